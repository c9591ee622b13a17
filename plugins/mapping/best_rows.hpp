#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "zz/stage.hpp"

namespace zz::plugins {

/// The candidates that the reducers above a stage will keep, picked by score without evaluating each in
/// full.
class BestRows {
 public:
  /// Nothing when somebody above needs every result, or when the chain below cannot be scored. `vary` is
  /// the context key that a row stands for.
  static std::optional<BestRows> bind(const Stage& stage, const Value& ctx, Name vary);

  /// Scores a list of candidates, the next ones in order of production.
  void add(const Value& rows);

  /// The kept ones in order of production.
  std::vector<Value> chosen() const;

 private:
  static constexpr std::size_t most_metrics = std::size(decltype(zz_demand::metric){});
  struct Kept {
    std::array<double, most_metrics> score;
    uint64_t turn;
    Value rows;    ///< the list that it came in
    uint32_t row;  ///< its place there: candidates become objects only when they are chosen
  };

  BestRows(RowScorer scorer, const zz_demand& demand) : scorer_(std::move(scorer)), demand_(demand) {}
  /// A later candidate must be strictly better.
  bool better(const std::array<double, most_metrics>& a, const std::array<double, most_metrics>& b) const;

  RowScorer scorer_;
  zz_demand demand_;
  std::vector<Kept> kept_;  ///< best first
  std::vector<double> columns_;
  uint64_t turn_ = 0;
};

}  // namespace zz::plugins
