#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/exploration/point_key.hpp"
#include "plugins/explore/design_points.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The reason why one point has no figures.
struct PointFailure {
  std::string reason;  ///< a line
  /// True: it is proven that nothing legal exists; false: a search that has not looked at everything found
  /// nothing; none: the point itself is wrong.
  std::optional<bool> proven;
};

/// True when a failure of the chain below a point says something about that point only.
inline bool concerns_point(const Error& failure) {
  return failure.code == ZZ_E_NO_RESULT || failure.code == ZZ_E_INVALID;
}

/// Opens the chain below a stage at points of a space. [any]
class PointRunner {
 public:
  /// `above`: the context of the stage. `folder`: in which each point has one for its files. The stage and
  /// the points must outlive it.
  PointRunner(const Stage& stage, const DesignPoints& points, Value above,
              std::optional<std::string> folder);

  /// Makes a point and hands `work` the context that the chain below is opened with there. Gives back why
  /// the point has no figures, where it failed by itself; throws Error for what concerns more than that.
  std::optional<PointFailure> run(std::uint64_t number, DesignPoint& point,
                                  const std::function<void(const Value& below)>& work) const;

  /// The key of a point in stores, where its figures follow from `chain` and from the objects in the
  /// context. `manner`: as for core::point_key().
  core::ContentKey key(const core::ChainContent& chain, const DesignPoint& point,
                       const std::string& manner) const;

  /// The context of the chain below at a point that was made.
  Value context(const DesignPoint& point) const;

  const Stage& stage() const { return stage_; }
  const DesignPoints& points() const { return points_; }
  const Value& above() const { return above_; }

 private:
  const Stage& stage_;
  const DesignPoints& points_;
  Value above_;
  std::optional<std::string> folder_;
  std::map<std::string, std::string> objects_;  ///< digests of what stages above hand down, by key
};

/// Works out the points at the places from `begin` to `end`, by work_out(place, outcome) on the threads of
/// the host, and hands their outcomes to take(place, outcome) in order. Throws Error(ZZ_E_CANCELLED) when
/// interrupted.
template <class Outcome, class WorkOut, class Take>
void work_out_in_order(const Stage& stage, std::uint64_t begin, std::uint64_t end, WorkOut work_out,
                       Take take) {
  constexpr std::uint64_t points_a_thread = 8;
  const std::uint64_t width = threads() > 1 ? points_a_thread * threads() : 1;
  for (std::uint64_t first = begin; first < end; first += width) {
    if (stage.cancelled()) throw Error(ZZ_E_CANCELLED, "interrupted");
    std::vector<Outcome> window(std::min(width, end - first));
    for_each(static_cast<uint32_t>(window.size()), [&](uint32_t i) { work_out(first + i, window[i]); });
    for (std::size_t i = 0; i < window.size(); ++i) take(first + i, window[i]);
  }
}

}  // namespace zz::plugins
