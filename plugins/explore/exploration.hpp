#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/exploration/design_front.hpp"
#include "core/exploration/point_key.hpp"
#include "core/store/result_store.hpp"
#include "plugins/explore/design_points.hpp"
#include "plugins/explore/point_figures.hpp"
#include "plugins/explore/point_runner.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Everything that was found of one point.
struct PointOutcome {
  bool stored = false;  ///< the store had all of it
  bool found = false;   ///< the store had its figures, of another space or of a sweep
  DesignPoint design;
  core::StoredPoint row;
  std::vector<core::StoredFigure> figures;  ///< by Exploration::kept(); none where it was not looked at
  std::vector<bool> new_figures;            ///< that the store lacks
  bool new_failure = false;
  std::optional<bool> proven_failure;  ///< as PointFailure::proven
  std::optional<DesignPoints::Broken> broken;
};

/// Works points out, hands them to the store, and keeps the front.
class Exploration {
 public:
  /// `shared`: other programs may be at the store, too. All references must outlive it.
  Exploration(const PointRunner& runner, core::ResultStore& store, PointFigures& figures,
              std::vector<std::string> objectives, bool shared);

  /// Finds out about a point. Throws Error for what concerns more than the point. [any]
  void work_out(std::uint64_t number, PointOutcome& outcome) const;
  /// The same with figures that are known already, by SpaceForms::figures.
  void work_out(std::uint64_t number, const std::vector<core::StoredFigure>& figures,
                PointOutcome& outcome) const;

  /// The same with figures that were measured or computed elsewhere.
  void take_given(std::uint64_t number, const std::vector<core::StoredFigure>& figures,
                  PointOutcome& outcome) const;

  /// A point of which is known that it has no figures, and why.
  void fail(std::uint64_t number, const std::string& reason, PointOutcome& outcome) const;

  /// Hands an outcome to the store and to the front. Outcomes come in one order whatever the threads.
  void take(PointOutcome& outcome);

  std::vector<double> objectives_of(const PointOutcome& outcome) const;
  /// Works out the figures that a point of the front lacks because no objective needed them: of all
  /// figures, `figures` finds those that it is told to be missing.
  void complete(std::uint64_t number, PointOutcome& outcome,
                const std::function<std::vector<core::StoredFigure>(const std::vector<bool>& missing)>&
                    figures) const;
  /// Hands the layers of the points of the front to the store, as far as they have been answered: nothing
  /// is searched for it.
  void keep_layers_of_front(FiguresOfLayers& figures);

  /// With others at the same store: takes what they have put on the front, now and then. True when it did.
  bool learn_of_others();
  /// Counts what all programs have found, in place of this one's.
  void count_all();

  const core::DesignFront& front() const { return front_; }
  const DesignPoints& points() const { return points_; }
  const std::vector<std::string>& objectives() const { return objectives_; }
  core::ResultStore& store() { return store_; }
  const Stage& stage() const { return runner_.stage(); }
  std::size_t known() const { return known_; }
  std::size_t found() const { return found_; }
  std::size_t infeasible() const { return infeasible_; }
  std::size_t beyond() const { return beyond_; }
  /// A point that breaks constraints less than those before: what is told where none keeps them.
  void offer_nearest(const std::string& words, double excess);
  /// "2 points are infeasible, the first is point 1: ..."; "" where none is.
  std::string infeasible_words() const;
  /// Why there is no front.
  std::string why_none(std::uint64_t looked_at) const;

 private:
  /// The names of the figures that the store keeps of a point: those of the space come first.
  const std::vector<std::string>& kept() const { return kept_; }
  /// `known`: figures that the store has need not be found. `given`: they are from elsewhere.
  void finish(PointOutcome& outcome, bool known,
              const std::function<std::vector<core::StoredFigure>(const Value&)>& figures,
              bool given = false) const;
  core::ContentKey key_of(const DesignPoint& design, const Value& below, const std::string& manner) const;
  /// Takes the figures that the store has under a key. False where the space needs more.
  bool find_figures(PointOutcome& outcome, const core::ContentKey& key) const;
  std::optional<DesignPoints::Broken> broken_again(const core::StoredPoint& row) const;
  void load_front();

  const PointRunner& runner_;
  const DesignPoints& points_;
  core::ChainContent chain_;  ///< below a point without settings of its own
  std::string manner_;
  core::ResultStore& store_;
  PointFigures& figures_;
  std::vector<std::string> objectives_;
  std::vector<std::string> kept_;
  bool shared_;
  bool asks_store_ = true;  ///< it had something at the beginning, or others put something into it
  std::chrono::steady_clock::time_point learned_{};
  core::DesignFront front_;
  std::size_t known_ = 0, found_ = 0, infeasible_ = 0, beyond_ = 0;
  std::string first_reason_;
  std::optional<std::string> nearest_;
  double nearest_excess_ = 0;
};

}  // namespace zz::plugins
