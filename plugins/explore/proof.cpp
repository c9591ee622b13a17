#include "plugins/explore/proof.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
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
constexpr std::size_t boxes_a_group = 16;
/// Larger boxes are split where no mapping is known that tells what a search may bring.
constexpr std::uint64_t most_searched = 64;

}  // namespace

struct Proof::Box {
  DesignBox designs;
  std::array<std::vector<double>, searched_figures> lower;  ///< by question
  std::vector<core::Interval> intervals;                    ///< of quantities
  std::array<core::RelaxedAccelerator, searched_figures> relaxed;
  bool bounded = false;      ///< by joint_bound()
  double order = 0;          ///< the least is worked on first
  std::uint64_t number = 0;  ///< decides among equals
};

/// What came of a box.
struct Proof::Decision {
  enum Kind { discarded, bounded, split, solved } kind = split;
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
    std::shared_ptr<const core::Accelerator> accelerator;
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

/// The questions, those that count most in the sum of the figure first.
std::vector<std::size_t> Proof::by_weight(const Box& box, std::size_t figure) const {
  const auto& questions = figures_.questions();
  std::vector<std::size_t> order(questions.size());
  std::iota(order.begin(), order.end(), 0);
  const auto weight = [&](std::size_t i) {
    return box.lower[figure][i] * static_cast<double>(questions[i].layers);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  return order;
}

/// joint_bound() of a question on the relaxed accelerator of a box.
double Proof::bound_of(const Box& box, std::size_t figure, const std::string& text,
                       std::size_t question) const {
  const core::Objective objective = objectives_searched[figure];
  try {
    return figures_.answers().bound(
        figures_.key(question, text, objective), figures_.questions()[question].text,
        relaxed_.family(box.designs), *figures_.questions()[question].layer,
        figures_.accelerator_of(question, box.relaxed[figure].accelerator), objective);
  } catch (const core::NoResult&) {
    return no_value;
  } catch (const core::InputError&) {
    return 0;  // the search of the design itself will tell
  }
}

/// Raises the bounds of one figure by joint_bound(). True when the box is discarded by them.
bool Proof::raise(Box& box, std::size_t figure, Decision& decision) const {
  const std::string text =
      core::question_text(*box.relaxed[figure].accelerator, objectives_searched[figure]);
  for (const std::size_t i : by_weight(box, figure)) {
    if (!raise_to(box, figure, i, bound_of(box, figure, text, i))) continue;
    if (is_discarded(box, decision)) return true;
  }
  return false;
}

/// Raises the bounds of the energy by one_order_bound(). True when the box is discarded by them.
bool Proof::raise_in_one_order(Box& box, Decision& decision) const {
  const std::string text = core::question_text(*box.relaxed[energy].accelerator, core::Objective::energy);
  for (const std::size_t i : by_weight(box, energy)) {
    double bound = no_value;
    try {
      bound = figures_.answers().energy_bound_in_one_order(
          figures_.key(i, text, core::Objective::energy), *figures_.questions()[i].layer,
          figures_.accelerator_of(i, box.relaxed[energy].accelerator));
    } catch (const core::NoResult&) {
    } catch (const core::InputError&) {
      continue;  // the search of the design itself will tell
    }
    if (raise_to(box, energy, i, bound) && is_discarded(box, decision)) return true;
  }
  return false;
}

/// A bound of the relaxed accelerator.
bool Proof::raise_to(Box& box, std::size_t figure, std::size_t question, double bound) const {
  if (figure == energy && !figures_.questions()[question].on_unit)
    bound -= box.relaxed[energy].energy_slack;
  double& lower = box.lower[figure][question];
  if (!(bound > lower)) return false;
  lower = bound;
  return true;
}

/// Raises the bounds of the energy where that may discard the box: what known mappings need on the relaxed
/// accelerator is no less than these bounds can become. First by one_order_bound(); then, where there are
/// mappings that say what may be left, by the least energy, of those layers first that may rise most. True
/// when the box is discarded.
bool Proof::search_energy(Box& box, Decision& decision) const {
  const auto& questions = figures_.questions();
  const std::string family = relaxed_.family(box.designs);
  std::vector<double> known;
  Box most = box;
  bool all_known = true;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    known.push_back(figures_.answers()
                        .known(questions[i].text, family,
                               figures_.accelerator_of(i, box.relaxed[energy].accelerator),
                               core::Objective::energy)
                        .value);
    all_known = all_known && known[i] < no_value;
    most.lower[energy][i] = std::max(box.lower[energy][i], known[i] < no_value ? known[i] : 0);
  }
  Decision ignored;
  if (all_known ? !is_discarded(most, ignored) : box.designs.size() > most_searched) return false;
  if (raise_in_one_order(box, decision)) return true;
  if (!all_known) return false;
  const std::string text = core::question_text(*box.relaxed[energy].accelerator, core::Objective::energy);
  std::vector<double> rise;
  for (std::size_t i = 0; i < questions.size(); ++i)
    rise.push_back(static_cast<double>(questions[i].layers) * (known[i] - box.lower[energy][i]));
  std::vector<std::size_t> order(questions.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rise[a] > rise[b]; });
  for (const std::size_t i : order) {
    // A mapping within the tolerance of the bound is all that is asked for.
    if (known[i] <= box.lower[energy][i] * (1 + std::max(tolerance_, core::rounding_tolerance))) continue;
    try {
      const core::StoredAnswer answer = searched(box, energy, text, i, decision);
      if (!raise_to(box, energy, i, answer.bound)) continue;
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

/// A mapping with a value below a bound says that the bound is wrong, whether this program made it or the
/// store has it: nothing that follows from it can be trusted.
void Proof::must_reach(const FiguresOfLayers::Question& question, core::Objective objective, double bound,
                       double value) const {
  if (bound <= value * (1 + core::rounding_tolerance)) return;
  throw Error(
      ZZ_E_INTERNAL,
      fmt::format("a bound is wrong: no mapping of layer '{}' should have less {} than {:.10g}, but "
                  "one has {:.10g}; answers of the store may be damaged",
                  question.layer->name, objective == core::Objective::energy ? "energy" : "latency", bound,
                  value));
}

/// The answer to a question about the relaxed accelerator of a box. The search begins with what is known.
core::StoredAnswer Proof::searched(const Box& box, std::size_t figure, const std::string& text,
                                   std::size_t question, Decision& decision) const {
  const core::Objective objective = objectives_searched[figure];
  const FiguresOfLayers::Question& asked = figures_.questions()[question];
  const auto& accelerator = figures_.accelerator_of(question, box.relaxed[figure].accelerator);
  const core::ContentKey key = figures_.key(question, text, objective);
  if (const auto answer = figures_.answers().find(key)) {
    // Also one of another run, whose mapping says what is true.
    const core::TriedMapping found(core::known_mapping(answer->mapping), *asked.layer, accelerator,
                                   figures_.answers().options().model);
    must_reach(asked, objective, answer->bound, found.value(accelerator, objective));
    decision.found.push_back({question, objective, accelerator, *answer});
    return *answer;
  }
  const core::StoredAnswer answer =
      figures_.answers().answer(key, *asked.layer, accelerator, objective,
                                figures_.answers().start(asked.text, relaxed_.family(box.designs),
                                                         *asked.layer, accelerator, objective));
  decision.found.push_back({question, objective, accelerator, answer});
  return answer;
}

/// What is known of the layers of a single design, of the figures that are wanted.
struct Proof::Layers {
  std::vector<bool> wanted;  ///< by figure
  std::array<std::vector<double>, searched_figures> upper;
  std::array<std::vector<bool>, searched_figures> searched;
  std::array<std::string, searched_figures> text;
};

/// The figure and the question with the largest difference that may still matter; nothing: all is known.
std::optional<std::pair<std::size_t, std::size_t>> Proof::most_open(const Box& box,
                                                                    const Layers& layers) const {
  const auto& questions = figures_.questions();
  std::optional<std::pair<std::size_t, std::size_t>> found;
  double largest = -1;
  for (std::size_t f = 0; f < searched_figures; ++f) {
    if (!layers.wanted[f]) continue;
    const double sum = sum_of(box.lower[f]);
    if (tolerance_ > 0 && sum_of(layers.upper[f]) <= sum * (1 + tolerance_)) continue;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (layers.searched[f][i]) continue;
      const double lower = box.lower[f][i], upper = layers.upper[f][i];
      const double share = static_cast<double>(questions[i].layers) / std::max(sum, 1e-300);
      const double weight = upper < no_value ? share * (upper - lower) : 1 + share * lower;
      if (weight <= largest) continue;
      largest = weight;
      found = {f, i};
    }
  }
  return found;
}

/// What known mappings reach on a single design.
Proof::Layers Proof::known_layers(const Box& box, const std::vector<bool>& wanted) const {
  const auto& questions = figures_.questions();
  const std::string family = relaxed_.family(box.designs);
  Layers layers{wanted, {}, {}, {}};
  for (std::size_t figure = 0; figure < searched_figures; ++figure) {
    layers.upper[figure].assign(questions.size(), no_value);
    layers.searched[figure].assign(questions.size(), false);
    if (!wanted[figure]) continue;
    layers.text[figure] =
        core::question_text(*box.relaxed[figure].accelerator, objectives_searched[figure]);
    for (std::size_t i = 0; tolerance_ > 0 && i < questions.size(); ++i) {
      const auto known = figures_.answers().known(
          questions[i].text, family, figures_.accelerator_of(i, box.relaxed[figure].accelerator),
          objectives_searched[figure]);
      must_reach(questions[i], objectives_searched[figure], box.lower[figure][i], known.value);
      layers.upper[figure][i] = std::max(box.lower[figure][i], known.value);
    }
  }
  return layers;
}

/// Searches layers of a single design until its figures are known, or `enough`.
void Proof::close(Box& box, Layers& layers, Decision& decision, const std::function<bool()>& enough) const {
  while (const auto open = most_open(box, layers)) {
    const auto& [figure, question] = *open;
    const core::StoredAnswer answer = searched(box, figure, layers.text[figure], question, decision);
    must_reach(figures_.questions()[question], objectives_searched[figure], box.lower[figure][question],
               answer.value);
    box.lower[figure][question] = std::max(box.lower[figure][question], answer.bound);
    layers.upper[figure][question] = std::min(layers.upper[figure][question], answer.value);
    layers.searched[figure][question] = true;
    if (enough()) return;
  }
}

std::vector<core::StoredFigure> Proof::figures_of(const Box& box, const Layers& layers) const {
  std::array<core::StoredFigure, searched_figures> found;
  for (std::size_t f = 0; f < searched_figures; ++f)
    found[f] = layers.wanted[f] ? core::StoredFigure{sum_of(layers.upper[f]), sum_of(box.lower[f])}
                                : core::StoredFigure{not_known, not_known};
  return figures_.named(found[energy], found[latency]);
}

/// Searches the layers of a single design until it is discarded or its figures are known.
void Proof::solve(Box& box, Decision& decision) const {
  const std::uint64_t number = exploration_.points().space().number_of(box.designs.lower);
  decision.kind = Decision::solved;
  const auto& questions = figures_.questions();
  box.relaxed[energy] = box.relaxed[latency];  // the design itself
  if (needed_[energy] && raise_in_one_order(box, decision)) return;
  Layers layers = known_layers(box, needed_);
  // What was just found on the relaxed accelerator may do here.
  for (const Decision::Found& found : decision.found) {
    const core::TriedMapping mapping(core::known_mapping(found.answer.mapping),
                                     *questions[found.question].layer, found.accelerator,
                                     figures_.answers().options().model);
    const double value = mapping.value(
        figures_.accelerator_of(found.question, box.relaxed[energy].accelerator), core::Objective::energy);
    must_reach(questions[found.question], core::Objective::energy, box.lower[energy][found.question],
               value);
    double& upper = layers.upper[energy][found.question];
    upper = std::min(upper, std::max(value, box.lower[energy][found.question]));
  }
  try {
    bool gone = false;
    close(box, layers, decision, [&] { return gone = is_discarded(box, decision); });
    if (gone) return;
  } catch (const core::NoResult& none) {
    return exploration_.fail(number, none.what(), decision.outcome);
  } catch (const core::InputError& wrong) {
    return exploration_.fail(number, wrong.what(), decision.outcome);
  }
  exploration_.work_out(number, figures_of(box, layers), decision.outcome);
}

/// The wanted figures of a design of the front.
std::vector<core::StoredFigure> Proof::complete(std::uint64_t number, const std::vector<bool>& wanted,
                                                Decision& decision) const {
  const auto& questions = figures_.questions();
  Box& box = decision.box;
  box.designs.lower = box.designs.upper = exploration_.points().space().steps_of(number);
  box.relaxed.fill(relaxed_.accelerator(box.designs));
  for (std::size_t figure = 0; figure < searched_figures; ++figure) {
    box.lower[figure].assign(questions.size(), 0);
    if (!wanted[figure] || tolerance_ == 0) continue;
    const std::string text =
        core::question_text(*box.relaxed[figure].accelerator, objectives_searched[figure]);
    for (std::size_t i = 0; i < questions.size(); ++i)
      box.lower[figure][i] = bound_of(box, figure, text, i);
  }
  Layers layers = known_layers(box, wanted);
  close(box, layers, decision, [] { return false; });
  // The store shows the layers of the front, also those that needed no search.
  for (std::size_t figure = 0; figure < searched_figures; ++figure) {
    const core::Objective objective = objectives_searched[figure];
    for (std::size_t i = 0; wanted[figure] && i < questions.size(); ++i) {
      if (layers.searched[figure][i]) continue;
      const auto& accelerator = figures_.accelerator_of(i, box.relaxed[figure].accelerator);
      figures_.answers().keep_known(
          figures_.key(i, layers.text[figure], objective),
          figures_.answers().known(questions[i].text, relaxed_.family(box.designs), accelerator, objective),
          box.lower[figure][i]);
    }
  }
  return figures_of(box, layers);
}

void Proof::complete_front() {
  exploration_.store().write();
  std::vector<std::uint64_t> numbers;
  for (const auto& row : exploration_.store().front().rows)
    numbers.push_back(row.front().get<std::uint64_t>());
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
    });
    for (std::size_t i = 0; i < size; ++i) {
      make_known(decisions[i]);
      if (outcomes[i].row.state == core::PointState::done) exploration_.take(outcomes[i]);
    }
  }
}

/// Mappings that were found, to all other designs.
void Proof::make_known(const Decision& decision) {
  for (const Decision::Found& found : decision.found)
    figures_.answers().make_known(
        figures_.questions()[found.question].text, relaxed_.family(decision.box.designs),
        *figures_.questions()[found.question].layer, found.accelerator, found.objective, found.answer);
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
    const std::array<DesignBox, 2> two = box.designs.halves(axis);
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
  for (DesignBox& half : box.designs.halves(chosen)) {
    Box& child = decision.children.emplace_back();
    child.designs = std::move(half);
    child.lower = box.lower;
  }
}

/// What known mappings reach on a design; nothing where they do not fit.
bool Proof::reach(const DesignBox& design, PointOutcome& outcome) const {
  const std::uint64_t number = exploration_.points().space().number_of(design.lower);
  std::shared_ptr<const core::Accelerator> accelerator;
  try {
    accelerator = relaxed_.accelerator(design).accelerator;
  } catch (const Error&) {
    return false;
  }
  const std::string family = relaxed_.family(design);
  const auto& questions = figures_.questions();
  std::array<core::StoredFigure, searched_figures> found;
  for (std::size_t f = 0; f < searched_figures; ++f) {
    found[f] = {not_known, not_known};
    if (!needed_[f]) continue;
    std::vector<double> values;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      values.push_back(figures_.answers()
                           .known(questions[i].text, family, figures_.accelerator_of(i, accelerator),
                                  objectives_searched[f])
                           .value);
      if (values.back() == no_value) return false;
    }
    found[f].value = sum_of(values);
  }
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
        // What is wrong with it is told by making it.
        decision.kind = Decision::solved;
        exploration_.work_out(number, decision.outcome);
      }
      return finish();
    }
    if (!box.bounded) {
      // Its turn comes again when no other one has less.
      figures_.check(*box.relaxed[latency].accelerator);
      for (const std::size_t figure : {latency, energy})
        if (needed_[figure] && raise(box, figure, decision)) return finish();
      box.bounded = true;
      box.relaxed = {};
      decision.kind = Decision::bounded;
      return finish();
    }
    const bool searches = needed_[energy] && (tolerance_ > 0 || !box.designs.single());
    if (searches && search_energy(box, decision)) return finish();
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

ProofCounts Proof::run(std::vector<DesignBox> from, Progress& display) {
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
      make_known(decision);
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
