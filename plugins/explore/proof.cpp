#include "plugins/explore/proof.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

constexpr auto energy = BoxLayers::energy, latency = BoxLayers::latency;
using Effort = BoundsOfLayers::Effort;

/// Boxes that are worked on against one state of the front.
constexpr std::size_t boxes_a_group = 16;
/// Larger boxes are split where no mapping is known that tells what a search may bring.
constexpr std::uint64_t most_searched = 64;

/// A figure, and no metric of the space that has such a name.
bool is_rate_of_latency(const core::SpaceForms& forms, const std::string& name) {
  return FiguresOfLayers::follows_from_latency(name) &&
         std::find(forms.figures.begin(), forms.figures.end(), name) != forms.figures.end();
}

}  // namespace

struct Proof::Box : BoxLayers {
  std::vector<core::Interval> intervals;  ///< of quantities
  bool bounded = false;                   ///< by joint_bound()
  double order = 0;                       ///< the least is worked on first
  std::uint64_t number = 0;               ///< decides among equals
};

/// The outcome of a box.
struct Proof::Decision {
  enum Kind { discarded, bounded, split, solved } kind = split;
  Box box;
  std::vector<Box> children;
  std::vector<double> bounds;  ///< of the objectives, where it is discarded
  std::string reason;
  double excess = 0;     ///< by which fraction it misses a constraint at least, where that discards it
  PointOutcome outcome;  ///< where it is solved
  std::vector<BoundsOfLayers::Found> found;
  std::vector<PointOutcome> reached;  ///< designs, by known mappings
};

Proof::Proof(Exploration& exploration, FiguresOfLayers& figures, double tolerance, bool exact)
    : exploration_(exploration),
      figures_(figures),
      tolerance_(tolerance),
      relaxed_(exploration.points(), figures.placed().layers, exact, figures.filled_costs(),
               figures.unit()),
      layers_(figures, relaxed_, tolerance),
      needed_(BoxLayers::figures, false) {
  if (const auto base = object_or_null<core::Accelerator>(exploration.points().base()))
    clock_period_ = base->clock_period;
  const core::SpaceForms& forms = exploration.points().forms();
  const auto need = [&](const std::string& name) {
    if (name == "energy" || name == "edp") needed_[energy] = true;
    if (name == "latency" || name == "edp" || is_rate_of_latency(forms, name)) needed_[latency] = true;
  };
  for (const std::string& objective : exploration.objectives()) need(objective);
  for (const core::Constraint& constraint : forms.constraints)
    for (const std::string& name : constraint.names()) need(name);
}

std::vector<double> Proof::objective_bounds(const Box& box) const {
  const DesignPoints& points = exploration_.points();
  const double least_energy = layers_.sum_of(box.lower[energy]),
               least_latency = layers_.sum_of(box.lower[latency]);
  std::vector<double> bounds;
  for (const std::string& objective : exploration_.objectives()) {
    if (objective == "energy")
      bounds.push_back(least_energy);
    else if (objective == "latency")
      bounds.push_back(least_latency);
    else if (objective == "edp")
      bounds.push_back(least_energy * least_latency);
    else if (is_rate_of_latency(points.forms(), objective))
      bounds.push_back(least_latency > 0 ? figures_.rate(objective, least_latency, clock_period_) : 0);
    else
      bounds.push_back(box.intervals[points.quantity_of(objective)].low);
  }
  return bounds;
}

void Proof::discard(const Box& box, std::string reason, Decision& decision) const {
  decision.kind = Decision::discarded;
  decision.bounds = objective_bounds(box);
  decision.reason = std::move(reason);
}

bool Proof::is_discarded(Box& box, Decision& decision) const {
  const DesignPoints& points = exploration_.points();
  const double least_energy = layers_.sum_of(box.lower[energy]),
               least_latency = layers_.sum_of(box.lower[latency]);
  if (least_energy == no_value || least_latency == no_value) {
    discard(box, "no layer mapping fits on any of them", decision);
    return true;
  }
  const auto bound_figure = [&](const char* name, double bound) {
    if (const auto quantity = points.find_quantity(name)) box.intervals[*quantity].low = bound;
  };
  bound_figure("energy", least_energy);
  bound_figure("latency", least_latency);
  bound_figure("edp", least_energy * least_latency);
  for (const std::string& figure : points.forms().figures) {
    const auto quantity = points.find_quantity(figure);
    if (!quantity || !FiguresOfLayers::follows_from_latency(figure) || !(least_latency > 0)) continue;
    const double bound = figures_.rate(figure, least_latency, clock_period_);
    // The longer it takes, the fewer come out.
    (figure == "latency_ms" ? box.intervals[*quantity].low : box.intervals[*quantity].high) = bound;
  }
  for (std::size_t i = 0; i < points.forms().constraints.size(); ++i) {
    const core::Constraint& constraint = points.forms().constraints[i];
    std::vector<core::Interval> own;
    for (const std::size_t quantity : points.uses_of_constraint(i)) own.push_back(box.intervals[quantity]);
    decision.excess = constraint.least_excess(own);
    if (decision.excess == 0) continue;
    discard(box, "breaks " + constraint.text(), decision);
    return true;
  }
  const std::vector<double> bounds = objective_bounds(box);
  // A design is not discarded by what known mappings reach on it: it belongs to the front with its bounds.
  std::optional<std::uint64_t> own;
  if (box.designs.single()) own = points.space().number_of(box.designs.lower);
  const core::DesignFront::Member* const member =
      tolerance_ > 0 ? incumbents_.covers(bounds, 1 + tolerance_, own) : incumbents_.surely_beats(bounds);
  if (member == nullptr) return false;
  discard(box, fmt::format("point {} is no worse", member->point), decision);
  return true;
}

/// Raises the bounds of the energy where that may discard the box: what known mappings need on the relaxed
/// accelerator is no less than these bounds can become. First by one_order_bound(); then, where there are
/// mappings that say what may be left, by searches. True when the box is discarded.
bool Proof::raise_energy(Box& box, Decision& decision) const {
  const std::vector<double> known = layers_.known(box, energy);
  const bool all_known = std::find(known.begin(), known.end(), no_value) == known.end();
  Box most = box;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i] < no_value) most.lower[energy][i] = std::max(box.lower[energy][i], known[i]);
  Decision ignored;
  if (all_known ? !is_discarded(most, ignored) : box.designs.size() > most_searched) return false;
  const auto discards = [&] { return is_discarded(box, decision); };
  if (layers_.raise(box, energy, Effort::in_one_order, discards)) return true;
  return all_known && layers_.search_energy(box, known, decision.found, discards);
}

/// Searches the layers of a single design until it is discarded or its figures are known.
void Proof::solve(Box& box, Decision& decision) const {
  const std::uint64_t number = exploration_.points().space().number_of(box.designs.lower);
  decision.kind = Decision::solved;
  box.relaxed[energy] = box.relaxed[latency];  // the design itself
  const auto discards = [&] { return is_discarded(box, decision); };
  if (needed_[energy] && layers_.raise(box, energy, Effort::in_one_order, discards)) return;
  // Mappings just found on the relaxed accelerator may do here.
  DesignLayers layers = layers_.reached(box, needed_, decision.found);
  try {
    if (layers_.close(box, layers, decision.found, discards)) return;
  } catch (const core::NoResult& none) {
    return exploration_.fail(number, none.what(), decision.outcome);
  } catch (const core::InputError& wrong) {
    return exploration_.fail(number, wrong.what(), decision.outcome);
  }
  exploration_.work_out(number, layers_.figures_of(box, layers), decision.outcome);
}

/// The wanted figures of a design of the front.
std::vector<core::StoredFigure> Proof::complete(std::uint64_t number, const std::vector<bool>& wanted,
                                                Decision& decision) const {
  Box& box = decision.box;
  box.designs.lower = box.designs.upper = exploration_.points().space().steps_of(number);
  box.relaxed.fill(relaxed_.accelerator(box.designs));
  const auto never = [] { return false; };
  for (const auto figure : {energy, latency}) {
    box.lower[figure].assign(figures_.questions().size(), 0);
    if (wanted[figure] && tolerance_ > 0) layers_.raise(box, figure, Effort::joint, never);
  }
  DesignLayers layers = layers_.reached(box, wanted, {});
  // No other design depends on these: each layer may have all of the tolerance.
  layers_.close(box, layers, decision.found, never, tolerance_);
  // The store shows the layers of the front, also those that needed no search.
  layers_.keep_known(box, layers);
  return layers_.figures_of(box, layers);
}

void Proof::complete_front() {
  exploration_.store().write();
  // The first designs of all families, then the second ones: what is found for one is known to the next.
  std::map<std::string, std::size_t> met;
  std::multimap<std::size_t, std::uint64_t> turns;
  for (const auto& row : exploration_.store().front().rows) {
    const auto number = row.front().get<std::uint64_t>();
    const core::DesignSpace::Steps steps = exploration_.points().space().steps_of(number);
    turns.emplace(met[relaxed_.family({steps, steps})]++, number);
  }
  std::vector<std::uint64_t> numbers;
  for (const auto& [turn, number] : turns) numbers.push_back(number);
  for (std::size_t first = 0; first < numbers.size(); first += boxes_a_group) {
    const std::size_t size = std::min(boxes_a_group, numbers.size() - first);
    std::vector<PointOutcome> outcomes(size);
    std::vector<Decision> decisions(size);
    for_each(static_cast<uint32_t>(size), [&](uint32_t i) {
      exploration_.complete(numbers[first + i], outcomes[i], [&](const std::vector<bool>& missing) {
        const std::vector<bool> wanted{figures_.is_wanted("energy", missing),
                                       figures_.is_wanted("latency", missing)};
        return complete(numbers[first + i], wanted, decisions[i]);
      });
      exploration_.store().write_if_due();
    });
    for (std::size_t i = 0; i < size; ++i) {
      layers_.make_known(decisions[i].box.designs, decisions[i].found);
      if (outcomes[i].row.state == core::PointState::done) exploration_.take(outcomes[i]);
    }
  }
}

/// Halves the box along the axis that changes the closed forms most, of equals the longest. The designs at
/// both corners are tried with known mappings.
void Proof::split(const Box& box, Decision& decision) const {
  decision.kind = Decision::split;
  double best = -1;
  std::size_t chosen = 0;
  for (std::size_t axis = 0; axis < box.designs.lower.size(); ++axis) {
    const std::uint32_t steps = box.designs.upper[axis] - box.designs.lower[axis] + 1;
    if (steps == 1) continue;
    double effect = 1e-6 * steps;
    const std::array<core::DesignBox, 2> two = box.designs.halves(axis);
    const auto first = relaxed_.intervals(two[0]), second = relaxed_.intervals(two[1]);
    for (const std::string& objective : exploration_.objectives()) {
      const auto quantity = exploration_.points().find_quantity(objective);
      if (!quantity || FiguresOfLayers::sums(objective)) continue;
      const double low = first[*quantity].low, high = second[*quantity].low;
      if (low > 0 && high > 0) effect += std::abs(std::log(high / low));
    }
    if (effect > best) {
      best = effect;
      chosen = axis;
    }
  }
  for (core::DesignBox& half : box.designs.halves(chosen)) {
    Box& child = decision.children.emplace_back();
    child.designs = std::move(half);
    child.lower = box.lower;
  }
}

/// Finds what known mappings reach on a design; false where they do not fit.
bool Proof::reach(const core::DesignBox& design, PointOutcome& outcome) const {
  BoxLayers box{design, {}, {}};
  try {
    box.relaxed.fill(relaxed_.accelerator(design));
  } catch (const Error&) {
    return false;
  }
  if (box.relaxed[latency].accelerator == nullptr) return false;
  std::array<core::StoredFigure, BoxLayers::figures> found;
  found.fill({not_known, not_known});
  for (const auto figure : {energy, latency}) {
    if (!needed_[figure]) continue;
    found[figure].value = layers_.sum_of(layers_.known(box, figure));
    if (found[figure].value == no_value) return false;
  }
  exploration_.work_out(exploration_.points().space().number_of(design.lower),
                        figures_.named(found[energy], found[latency], *box.relaxed[latency].accelerator),
                        outcome);
  return outcome.row.state == core::PointState::done;
}

Proof::Decision Proof::work_on(Box box) const {
  Decision decision;
  box.intervals = relaxed_.intervals(box.designs);
  const std::uint64_t number = exploration_.points().space().number_of(box.designs.lower);
  const auto finish = [&] {
    decision.box = std::move(box);
    return std::move(decision);
  };
  const auto end_with = [&](const Error& failure) {
    if (failure.code != ZZ_E_NO_RESULT && failure.code != ZZ_E_INVALID) throw;
    if (!box.designs.single()) {
      discard(box, fmt::format("nothing can be mapped on any of them: {}", failure.what()), decision);
    } else {
      decision.kind = Decision::solved;
      exploration_.fail(number, failure.what(), decision.outcome);
    }
    return finish();
  };
  if (is_discarded(box, decision)) return finish();
  try {
    box.relaxed[latency] = relaxed_.accelerator(box.designs);
    if (needed_[energy]) box.relaxed[energy] = relaxed_.accelerator_for_energy(box.designs);
    if (box.relaxed[latency].accelerator == nullptr ||
        (needed_[energy] && box.relaxed[energy].accelerator == nullptr)) {
      if (!box.designs.single()) {
        split(box, decision);
      } else {
        // Making it tells what is wrong with it.
        decision.kind = Decision::solved;
        exploration_.work_out(number, decision.outcome);
      }
      return finish();
    }
    if (!box.bounded) {
      // Its turn comes again when no other one has less.
      figures_.check(*box.relaxed[latency].accelerator);
      const auto discards = [&] { return is_discarded(box, decision); };
      for (const auto figure : {latency, energy})
        if (needed_[figure] && layers_.raise(box, figure, Effort::joint, discards)) return finish();
      box.bounded = true;
      box.relaxed = {};
      decision.kind = Decision::bounded;
      return finish();
    }
    const bool searches = needed_[energy] && (tolerance_ > 0 || !box.designs.single());
    if (searches && raise_energy(box, decision)) return finish();
  } catch (const Error& failure) {
    return end_with(failure);
  }
  if (box.designs.single()) {
    solve(box, decision);
    return finish();
  }
  split(box, decision);
  for (const core::DesignSpace::Steps& corner : {box.designs.lower, box.designs.upper}) {
    if (tried_.contains(exploration_.points().space().number_of(corner))) continue;
    PointOutcome reached;
    if (reach({corner, corner}, reached)) decision.reached.push_back(std::move(reached));
  }
  return finish();
}

ProofCounts Proof::run(std::vector<core::DesignBox> from, Progress& display) {
  const auto later = [](const Box& a, const Box& b) {
    return a.order != b.order ? a.order > b.order : a.number > b.number;
  };
  std::vector<Box> open;  // a heap, the least order in front
  std::uint64_t made = 0;
  const auto push = [&](Box box) {
    box.intervals = relaxed_.intervals(box.designs);
    box.order = 0;
    for (const double bound : objective_bounds(box)) box.order += std::log(std::max(bound, 1e-300));
    box.number = made++;
    open.push_back(std::move(box));
    std::push_heap(open.begin(), open.end(), later);
  };
  for (core::DesignBox& designs : from) {
    Box box;
    box.designs = std::move(designs);
    for (std::vector<double>& lower : box.lower) lower.assign(figures_.questions().size(), 0);
    push(std::move(box));
  }
  core::ResultStore& store = exploration_.store();
  ProofCounts counts;
  while (!open.empty()) {
    if (exploration_.stage().cancelled()) throw Error(ZZ_E_CANCELLED, "interrupted");
    if (exploration_.learn_of_others())
      for (const core::DesignFront::Member& member : exploration_.front().members()) {
        std::vector<std::uint64_t> beaten;
        incumbents_.add(member.point, member.figures, beaten);
      }
    // One design of a family at a time is solved: what is found on it may decide its neighbours.
    std::vector<Box> group, waiting;
    std::set<std::string> solving;
    while (!open.empty() && group.size() < boxes_a_group && waiting.size() < boxes_a_group) {
      std::pop_heap(open.begin(), open.end(), later);
      Box& box = open.back();
      const bool waits =
          box.bounded && box.designs.single() && !solving.insert(relaxed_.family(box.designs)).second;
      (waits ? waiting : group).push_back(std::move(box));
      open.pop_back();
    }
    for (Box& box : waiting) {
      open.push_back(std::move(box));
      std::push_heap(open.begin(), open.end(), later);
    }
    std::vector<Decision> decisions(group.size());
    for_each(static_cast<uint32_t>(group.size()), [&](uint32_t i) {
      decisions[i] = work_on(std::move(group[i]));
      store.write_if_due();  // answers of layers: a group may take long
    });
    for (Decision& decision : decisions) {
      layers_.make_known(decision.box.designs, decision.found);
      for (PointOutcome& outcome : decision.reached) {
        if (!tried_.insert(outcome.row.number).second) continue;
        std::vector<std::uint64_t> beaten;
        incumbents_.add(outcome.row.number, exploration_.objectives_of(outcome), beaten);
        // Within a tolerance what known mappings reach may be all that is found of a design.
        if (tolerance_ > 0) exploration_.take(outcome);
      }
      const std::uint64_t size = decision.box.designs.size();
      if (decision.kind == Decision::bounded) {
        push(std::move(decision.box));
        continue;
      }
      if (decision.kind == Decision::split) {
        for (Box& child : decision.children) push(std::move(child));
        continue;
      }
      display.advance(size);
      if (decision.kind == Decision::discarded) {
        counts.discarded += size;
        ++counts.boxes;
        if (decision.excess > 0)
          exploration_.offer_nearest(
              fmt::format("one of {} that a bound discards together, which {} by {:.3g} % at least", size,
                          decision.reason, 100 * decision.excess),
              decision.excess);
        store.add_box(
            {decision.box.designs.lower, decision.box.designs.upper, decision.bounds, decision.reason});
        continue;
      }
      ++counts.solved;
      if (decision.outcome.row.state == core::PointState::done) {
        std::vector<std::uint64_t> beaten;
        incumbents_.add(decision.outcome.row.number, exploration_.objectives_of(decision.outcome), beaten);
      }
      exploration_.take(decision.outcome);
    }
    store.write_if_due();
  }
  return counts;
}

}  // namespace zz::plugins
