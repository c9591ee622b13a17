#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/mapping/temporal_mapping.hpp"
#include "core/search/loma/loma.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The candidates that the reducers above a stage will keep, picked by score without evaluating each in
/// full.
class BestRows {
 public:
  /// Nothing when somebody above needs every result, or when the chain below cannot be scored. `vary` is
  /// the context key that a row stands for.
  static std::optional<BestRows> bind(const Stage& stage, const Value& ctx, Name vary);

  /// Scores a list of temporal mappings, the next ones in order of production. Those that are kept are
  /// copied: the list may change afterwards.
  void add(const Value& rows);

  /// Lets the chain below find the best of all orders by itself: how many it covered. It may decline:
  /// nothing.
  std::optional<uint64_t> find_all(const core::Loma& orders);

  /// The kept ones in order of production.
  std::vector<core::TemporalMapping> chosen() const;

 private:
  static constexpr std::size_t most_metrics = std::size(decltype(zz_demand::metric){});
  struct Kept {
    std::array<double, most_metrics> score;
    uint64_t turn;
    uint32_t place;  ///< in the list that it came in
    /// None while that list is looked at: only what survives it is copied.
    std::optional<core::TemporalMapping> mapping;
  };

  BestRows(const Stage& stage, RowScorer scorer, const zz_demand& demand)
      : stage_(stage), scorer_(std::move(scorer)), demand_(demand) {}
  /// A later candidate must be strictly better.
  bool better(const std::array<double, most_metrics>& a, const std::array<double, most_metrics>& b) const;

  const Stage& stage_;
  RowScorer scorer_;
  zz_demand demand_;
  std::vector<Kept> kept_;  ///< best first
  std::vector<double> columns_;
  uint64_t turn_ = 0;
  std::vector<core::TemporalMapping> found_;  ///< by the chain below
};

}  // namespace zz::plugins
