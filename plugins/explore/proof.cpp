#include "plugins/explore/proof.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <queue>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/search/methods/objective.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

/// The figures that layers are searched for, in the order in which bounds are raised.
enum Searched : std::size_t { energy, latency, searched_figures };
constexpr std::array<core::Objective, searched_figures> objectives_searched{core::Objective::energy,
                                                                            core::Objective::latency};
constexpr double no_value = std::numeric_limits<double>::infinity();
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// Boxes that are worked on against one state of the front.
constexpr std::size_t boxes_a_group = 4;
/// Larger boxes are split before energies of relaxed accelerators are searched.
constexpr std::uint64_t most_searched = 64;

}  // namespace

struct Proof::Box {
  DesignBox designs;
  std::array<std::vector<double>, searched_figures> lower;  ///< by question
  std::vector<core::Interval> intervals;                    ///< of quantities
  std::shared_ptr<const core::Accelerator> accelerator;     ///< the relaxed one
  double order = 0;                                         ///< the least is worked on first
  std::uint64_t number = 0;                                 ///< decides among equals
};

/// What came of a box.
struct Proof::Decision {
  enum Kind { discarded, split, solved } kind = split;
  Box box;
  std::vector<Box> children;
  std::vector<double> bounds;  ///< of the objectives, where it is discarded
  std::string reason;
  double excess = 0;     ///< by which fraction it misses a constraint at least, where that discards it
  PointOutcome outcome;  ///< where it is solved
  /// Mappings that were found, and designs that known mappings reach.
  struct Found {
    std::size_t question;
    core::Objective objective;
    core::StoredAnswer answer;
  };
  std::vector<Found> found;
  std::vector<PointOutcome> reached;
};

Proof::Proof(Exploration& exploration, FiguresOfLayers& figures, const Value& ctx, double tolerance,
             bool exact)
    : exploration_(exploration),
      figures_(figures),
      ctx_(ctx),
      tolerance_(tolerance),
      relaxed_(exploration.points(), exact),
      needed_(searched_figures, false) {
  const SpaceForms& forms = exploration.points().forms();
  const auto need = [&](const std::string& name) {
    if (name == "energy" || name == "edp") needed_[energy] = true;
    if (name == "latency" || name == "edp") needed_[latency] = true;
  };
  for (const std::string& objective : exploration.objectives()) need(objective);
  for (const core::Constraint& constraint : forms.constraints)
    for (const std::string& name : constraint.names()) need(name);
  for (const ClosedForm& metric : forms.metrics)
    for (const std::string& name : metric.expression.names())
      if (std::find(forms.figures.begin(), forms.figures.end(), name) != forms.figures.end())
        throw Error(
            ZZ_E_UNSUPPORTED,
            fmt::format(
                "strategy: proof: the metric '{}' names the figure '{}', and has no bound over boxes of "
                "designs; use strategy: grid, or write it as a constraint",
                metric.name, name));
}

double Proof::sum_of(const std::vector<double>& by_question) const {
  double sum = 0;
  for (const std::size_t question : figures_.question_of_layer()) sum += by_question[question];
  return sum;
}

std::vector<double> Proof::objective_bounds(const Box& box) const {
  const DesignPoints& points = exploration_.points();
  const double least_energy = sum_of(box.lower[energy]), least_latency = sum_of(box.lower[latency]);
  std::vector<double> bounds;
  for (const std::string& objective : exploration_.objectives()) {
    if (objective == "energy")
      bounds.push_back(least_energy);
    else if (objective == "latency")
      bounds.push_back(least_latency);
    else if (objective == "edp")
      bounds.push_back(least_energy * least_latency);
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
  const double least_energy = sum_of(box.lower[energy]), least_latency = sum_of(box.lower[latency]);
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
  // What known mappings reach on a design does not discard it: it belongs to the front with its bounds.
  std::optional<std::uint64_t> own;
  if (box.designs.single()) own = points.space().number_of(box.designs.lower);
  const core::DesignFront::Member* const member =
      tolerance_ > 0 ? incumbents_.covers(bounds, 1 + tolerance_, own) : incumbents_.surely_beats(bounds);
  if (member == nullptr) return false;
  discard(box, fmt::format("point {} is no worse", member->point), decision);
  return true;
}

/// Raises the bounds of one figure by joint_bound(). True when the box is discarded by them.
bool Proof::raise(Box& box, std::size_t figure, Decision& decision) const {
  const core::Objective objective = objectives_searched[figure];
  const std::string text = core::question_text(*box.accelerator, objective);
  const auto& questions = figures_.questions();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    double bound = 0;
    try {
      bound = figures_.answers().bound(figures_.key(i, text, objective), *questions[i].layer,
                                       figures_.accelerator_of(i, box.accelerator), objective);
    } catch (const core::NoResult&) {
      bound = no_value;
    } catch (const core::InputError&) {
      continue;  // the search of the design itself will tell
    }
    if (!(bound > box.lower[figure][i])) continue;
    box.lower[figure][i] = bound;
    if (is_discarded(box, decision)) return true;
  }
  return false;
}

/// Raises the bounds of the energy by the least energy on the relaxed accelerator, the largest first.
bool Proof::search_energy(Box& box, Decision& decision) const {
  const std::string text = core::question_text(*box.accelerator, core::Objective::energy);
  const auto& questions = figures_.questions();
  std::vector<std::size_t> order(questions.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto weight = [&](std::size_t i) {
    return box.lower[energy][i] * static_cast<double>(questions[i].layers);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  for (const std::size_t i : order) {
    try {
      const core::StoredAnswer answer =
          figures_.answers().answer(figures_.key(i, text, core::Objective::energy), *questions[i].layer,
                                    figures_.accelerator_of(i, box.accelerator), core::Objective::energy);
      decision.found.push_back({i, core::Objective::energy, answer});
      box.lower[energy][i] = std::max(box.lower[energy][i], answer.bound);
    } catch (const core::NotFound&) {
      continue;  // nothing is proven
    } catch (const core::NoResult&) {
      box.lower[energy][i] = no_value;
    } catch (const core::InputError&) {
      continue;
    }
    if (is_discarded(box, decision)) return true;
  }
  return false;
}

/// Searches the layers of a single design until it is discarded or its figures are known.
void Proof::solve(Box& box, Decision& decision) const {
  const std::uint64_t number = exploration_.points().space().number_of(box.designs.lower);
  decision.kind = Decision::solved;
  const auto& questions = figures_.questions();
  const std::string family = relaxed_.family(box.designs);
  std::array<std::vector<double>, searched_figures> upper;
  std::array<std::vector<bool>, searched_figures> searched;
  std::array<std::string, searched_figures> text;
  for (std::size_t figure = 0; figure < searched_figures; ++figure) {
    upper[figure].assign(questions.size(), no_value);
    searched[figure].assign(questions.size(), false);
    if (!needed_[figure]) continue;
    text[figure] = core::question_text(*box.accelerator, objectives_searched[figure]);
    for (std::size_t i = 0; tolerance_ > 0 && i < questions.size(); ++i)
      upper[figure][i] = std::max(box.lower[figure][i], figures_.answers().known_value(
                                                            questions[i].text, family, *questions[i].layer,
                                                            figures_.accelerator_of(i, box.accelerator),
                                                            objectives_searched[figure]));
  }
  for (;;) {
    // The question with the largest difference that may still matter.
    double largest = -1;
    std::size_t figure = 0, question = 0;
    for (std::size_t f = 0; f < searched_figures; ++f) {
      if (!needed_[f]) continue;
      const double sum = sum_of(box.lower[f]);
      if (tolerance_ > 0 && sum_of(upper[f]) <= sum * (1 + tolerance_)) continue;
      for (std::size_t i = 0; i < questions.size(); ++i) {
        if (searched[f][i]) continue;
        const double share = static_cast<double>(questions[i].layers) / std::max(sum, 1e-300);
        const double weight =
            upper[f][i] < no_value ? share * (upper[f][i] - box.lower[f][i]) : 1 + share * box.lower[f][i];
        if (weight <= largest) continue;
        largest = weight;
        figure = f;
        question = i;
      }
    }
    if (largest < 0) break;
    try {
      const core::StoredAnswer answer = figures_.answers().answer(
          figures_.key(question, text[figure], objectives_searched[figure]), *questions[question].layer,
          figures_.accelerator_of(question, box.accelerator), objectives_searched[figure]);
      decision.found.push_back({question, objectives_searched[figure], answer});
      box.lower[figure][question] = std::max(box.lower[figure][question], answer.bound);
      upper[figure][question] = std::min(upper[figure][question], answer.value);
      searched[figure][question] = true;
    } catch (const core::NoResult& none) {
      return exploration_.fail(number, none.what(), decision.outcome);
    } catch (const core::InputError& wrong) {
      return exploration_.fail(number, wrong.what(), decision.outcome);
    }
    if (is_discarded(box, decision)) return;
  }
  std::array<core::StoredFigure, searched_figures> found;
  for (std::size_t f = 0; f < searched_figures; ++f)
    found[f] = needed_[f] ? core::StoredFigure{sum_of(upper[f]), sum_of(box.lower[f])}
                          : core::StoredFigure{not_known, not_known};
  exploration_.work_out(number, figures_.named(found[energy], found[latency]), decision.outcome);
}

/// Halves the box along the axis that changes the closed forms most, of equals the longest. The designs at
/// both corners are tried with known mappings.
void Proof::split(const Box& box, Decision& decision) const {
  decision.kind = Decision::split;
  const auto halves = [&](std::size_t axis) {
    std::array<DesignBox, 2> two{box.designs, box.designs};
    const std::uint32_t middle = (box.designs.lower[axis] + box.designs.upper[axis]) / 2;
    two[0].upper[axis] = middle;
    two[1].lower[axis] = middle + 1;
    return two;
  };
  double best = -1;
  std::size_t chosen = 0;
  for (std::size_t axis = 0; axis < box.designs.lower.size(); ++axis) {
    const std::uint32_t steps = box.designs.upper[axis] - box.designs.lower[axis] + 1;
    if (steps == 1) continue;
    double effect = 1e-6 * steps;
    const std::array<DesignBox, 2> two = halves(axis);
    const auto first = relaxed_.intervals(two[0]), second = relaxed_.intervals(two[1]);
    for (const std::string& objective : exploration_.objectives()) {
      const auto quantity = exploration_.points().find_quantity(objective);
      if (!quantity || exploration_.points().quantities()[*quantity].kind != DesignPoints::Quantity::metric)
        continue;
      const double low = first[*quantity].low, high = second[*quantity].low;
      if (low > 0 && high > 0) effect += std::abs(std::log(high / low));
    }
    if (effect > best) {
      best = effect;
      chosen = axis;
    }
  }
  for (DesignBox& half : halves(chosen)) {
    Box& child = decision.children.emplace_back();
    child.designs = std::move(half);
    child.lower = box.lower;
  }
}

/// What known mappings reach on a design; nothing where they do not fit.
bool Proof::reach(const DesignBox& design, PointOutcome& outcome) const {
  const auto intervals = relaxed_.intervals(design);
  const auto accelerator = object_or_null<core::Accelerator>(relaxed_.accelerator(design, intervals));
  if (accelerator == nullptr) return false;
  const std::string family = relaxed_.family(design);
  const auto& questions = figures_.questions();
  std::array<core::StoredFigure, searched_figures> found;
  for (std::size_t f = 0; f < searched_figures; ++f) {
    found[f] = {not_known, not_known};
    if (!needed_[f]) continue;
    std::vector<double> values;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      values.push_back(figures_.answers().known_value(questions[i].text, family, *questions[i].layer,
                                                      figures_.accelerator_of(i, accelerator),
                                                      objectives_searched[f]));
      if (values.back() == no_value) return false;
    }
    found[f].value = sum_of(values);
  }
  const std::uint64_t number = exploration_.points().space().number_of(design.lower);
  exploration_.work_out(number, figures_.named(found[energy], found[latency]), outcome);
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
  if (is_discarded(box, decision)) return finish();
  const Value relaxed = relaxed_.accelerator(box.designs, box.intervals);
  box.accelerator = object_or_null<core::Accelerator>(relaxed);
  if (box.accelerator == nullptr) {
    if (box.designs.single()) {
      // What is wrong with it is told by making it.
      decision.kind = Decision::solved;
      exploration_.work_out(number, decision.outcome);
    } else {
      split(box, decision);
    }
    return finish();
  }
  try {
    figures_.check(*box.accelerator);
    for (const std::size_t figure : {energy, latency})
      if (needed_[figure] && raise(box, figure, decision)) return finish();
    if (needed_[energy] && !box.designs.single() && box.designs.size() <= most_searched &&
        search_energy(box, decision))
      return finish();
  } catch (const Error& failure) {
    if (failure.code != ZZ_E_NO_RESULT && failure.code != ZZ_E_INVALID) throw;
    if (!box.designs.single()) {
      discard(box, fmt::format("nothing can be mapped on any of them: {}", failure.what()), decision);
    } else {
      decision.kind = Decision::solved;
      exploration_.fail(number, failure.what(), decision.outcome);
    }
    return finish();
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

ProofCounts Proof::run(std::vector<DesignBox> from, Progress& display) {
  const auto later = [](const Box& a, const Box& b) {
    return a.order != b.order ? a.order > b.order : a.number > b.number;
  };
  std::vector<Box> open;  // a heap, the least order in front
  std::uint64_t made = 0;
  const auto push = [&](Box box) {
    box.intervals = relaxed_.intervals(box.designs);
    for (const double bound : objective_bounds(box)) box.order += std::log(std::max(bound, 1e-300));
    box.number = made++;
    open.push_back(std::move(box));
    std::push_heap(open.begin(), open.end(), later);
  };
  for (DesignBox& designs : from) {
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
    std::vector<Box> group;
    while (!open.empty() && group.size() < boxes_a_group) {
      std::pop_heap(open.begin(), open.end(), later);
      group.push_back(std::move(open.back()));
      open.pop_back();
    }
    std::vector<Decision> decisions(group.size());
    for_each(static_cast<uint32_t>(group.size()),
             [&](uint32_t i) { decisions[i] = work_on(std::move(group[i])); });
    for (Decision& decision : decisions) {
      for (const Decision::Found& found : decision.found)
        figures_.answers().make_known(figures_.questions()[found.question].text,
                                      relaxed_.family(decision.box.designs), found.objective, found.answer);
      for (PointOutcome& outcome : decision.reached) {
        if (!tried_.insert(outcome.row.number).second) continue;
        std::vector<std::uint64_t> beaten;
        incumbents_.add(outcome.row.number, exploration_.objectives_of(outcome), beaten);
        // Within a tolerance what known mappings reach may be all that is found of a design.
        if (tolerance_ > 0) exploration_.take(outcome);
      }
      const std::uint64_t size = decision.box.designs.size();
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
