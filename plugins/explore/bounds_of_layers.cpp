#include "plugins/explore/bounds_of_layers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "core/base/diagnostics.hpp"
#include "core/search/methods/objective.hpp"

namespace zz::plugins {
namespace {

constexpr BoxLayers::Figure all_figures[] = {BoxLayers::energy, BoxLayers::latency};

core::Objective objective_of(BoxLayers::Figure figure) {
  return figure == BoxLayers::energy ? core::Objective::energy : core::Objective::latency;
}

/// Indices of weights, the largest first.
std::vector<std::size_t> largest_first(const std::vector<double>& weights) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  return order;
}

}  // namespace

double BoundsOfLayers::sum_of(const std::vector<double>& by_question) const {
  double sum = 0;
  for (const std::size_t question : figures_.question_of_layer()) sum += by_question[question];
  return sum;
}

std::string BoundsOfLayers::text_of(const BoxLayers& box, Figure figure) const {
  return core::question_text(*box.relaxed[figure].accelerator, objective_of(figure));
}

core::LayerAnswers::Known BoundsOfLayers::known(const BoxLayers& box, const std::string& family,
                                                Figure figure, std::size_t question) const {
  return figures_.answers().known(figures_.questions()[question].text, family,
                                  accelerator_of(box, figure, question), objective_of(figure));
}

std::vector<double> BoundsOfLayers::known(const BoxLayers& box, Figure figure) const {
  const std::string family = relaxed_.family(box.designs);
  std::vector<double> values;
  for (std::size_t i = 0; i < figures_.questions().size(); ++i)
    values.push_back(known(box, family, figure, i).value);
  return values;
}

/// The questions, those that count most in the sum of the figure first.
std::vector<std::size_t> BoundsOfLayers::by_weight(const BoxLayers& box, Figure figure) const {
  const auto& questions = figures_.questions();
  std::vector<double> weights;
  for (std::size_t i = 0; i < questions.size(); ++i)
    weights.push_back(box.lower[figure][i] * static_cast<double>(questions[i].layers));
  return largest_first(weights);
}

double BoundsOfLayers::bound_of(const BoxLayers& box, Figure figure, Effort effort, const std::string& text,
                                std::size_t question) const {
  const FiguresOfLayers::Question& asked = figures_.questions()[question];
  const auto& accelerator = accelerator_of(box, figure, question);
  const core::Objective objective = objective_of(figure);
  const core::ContentKey key = figures_.key(question, text, objective);
  try {
    if (effort == Effort::in_one_order)
      return figures_.answers().energy_bound_in_one_order(key, *asked.layer, accelerator);
    return figures_.answers().bound(key, asked.text, relaxed_.family(box.designs), *asked.layer,
                                    accelerator, objective);
  } catch (const core::NoResult&) {
    return no_value;
  } catch (const core::InputError&) {
    return 0;  // the search of the design itself will tell
  }
}

/// A bound of the relaxed accelerator.
bool BoundsOfLayers::raise_to(BoxLayers& box, Figure figure, std::size_t question, double bound) const {
  if (figure == BoxLayers::energy && !figures_.questions()[question].on_unit)
    bound -= box.relaxed[figure].energy_slack;
  double& lower = box.lower[figure][question];
  if (!(bound > lower)) return false;
  lower = bound;
  return true;
}

bool BoundsOfLayers::raise(BoxLayers& box, Figure figure, Effort effort, const Enough& enough) const {
  const std::string text = text_of(box, figure);
  for (const std::size_t i : by_weight(box, figure))
    if (raise_to(box, figure, i, bound_of(box, figure, effort, text, i)) && enough()) return true;
  return false;
}

bool BoundsOfLayers::search_energy(BoxLayers& box, const std::vector<double>& known,
                                   std::vector<Found>& found, const Enough& enough) const {
  const auto& questions = figures_.questions();
  std::vector<double>& lower = box.lower[BoxLayers::energy];
  const std::string text = text_of(box, BoxLayers::energy);
  std::vector<double> rises;
  for (std::size_t i = 0; i < questions.size(); ++i)
    rises.push_back(static_cast<double>(questions[i].layers) * (known[i] - lower[i]));
  for (const std::size_t i : largest_first(rises)) {
    // A mapping within the tolerance of the bound is all that is asked for.
    if (known[i] <= lower[i] * (1 + std::max(tolerance_, core::rounding_tolerance))) continue;
    try {
      const core::StoredAnswer answer = searched(box, BoxLayers::energy, text, i, 0, found);
      if (!raise_to(box, BoxLayers::energy, i, answer.bound)) continue;
    } catch (const core::NotFound&) {
      continue;  // nothing is proven
    } catch (const core::NoResult&) {
      lower[i] = no_value;
    } catch (const core::InputError&) {
      continue;
    }
    if (enough()) return true;
  }
  return false;
}

/// A mapping with a value below a bound says that the bound is wrong, whether this program made it or the
/// store has it: nothing that follows from it can be trusted.
void BoundsOfLayers::must_reach(Figure figure, std::size_t question, double bound, double value) const {
  if (bound <= value * (1 + core::rounding_tolerance)) return;
  const bool of_store = figures_.answers().used_store();
  throw Error(
      of_store ? ZZ_E_INVALID : ZZ_E_INTERNAL,
      fmt::format("a bound is wrong: no mapping of layer '{}' should have less {} than {:.10g}, but "
                  "one has {:.10g}{}",
                  figures_.questions()[question].layer->name,
                  figure == BoxLayers::energy ? "energy" : "latency", bound, value,
                  of_store ? "; answers of the store may be damaged" : ""));
}

/// The answer to a question about the relaxed accelerator of a box. The search begins with what is known.
core::StoredAnswer BoundsOfLayers::searched(const BoxLayers& box, Figure figure, const std::string& text,
                                            std::size_t question, double gap,
                                            std::vector<Found>& found) const {
  core::LayerAnswers& answers = figures_.answers();
  const core::Objective objective = objective_of(figure);
  const FiguresOfLayers::Question& asked = figures_.questions()[question];
  const auto& accelerator = accelerator_of(box, figure, question);
  const core::ContentKey key = figures_.key(question, text, objective);
  std::optional<core::StoredAnswer> answer = answers.find(key, gap);
  if (answer) {
    // Also one of another run, whose mapping says what is true.
    const core::TriedMapping mapping(core::known_mapping(answer->mapping), *asked.layer, accelerator,
                                     answers.options().model);
    must_reach(figure, question, answer->bound, mapping.value(accelerator, objective));
  } else {
    answer = answers.answer(
        key, *asked.layer, accelerator, objective,
        answers.start(asked.text, relaxed_.family(box.designs), *asked.layer, accelerator, objective), gap);
  }
  found.push_back({question, figure, accelerator, *answer});
  return *answer;
}

/// The figure and the question with the largest difference that may still matter; nothing: all is known.
std::optional<std::pair<BoxLayers::Figure, std::size_t>> BoundsOfLayers::most_open(
    const BoxLayers& box, const DesignLayers& layers) const {
  const auto& questions = figures_.questions();
  std::optional<std::pair<Figure, std::size_t>> found;
  double largest = -1;
  for (const Figure f : all_figures) {
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

DesignLayers BoundsOfLayers::reached(const BoxLayers& box, const std::vector<bool>& wanted,
                                     const std::vector<Found>& found) const {
  const auto& questions = figures_.questions();
  const std::string family = relaxed_.family(box.designs);
  DesignLayers layers{wanted, {}, {}, {}};
  const auto take = [&](Figure figure, std::size_t question, double value) {
    const double lower = box.lower[figure][question];
    must_reach(figure, question, lower, value);
    double& upper = layers.upper[figure][question];
    upper = std::min(upper, std::max(value, lower));
  };
  for (const Figure figure : all_figures) {
    layers.upper[figure].assign(questions.size(), no_value);
    layers.searched[figure].assign(questions.size(), false);
    if (!wanted[figure]) continue;
    layers.text[figure] = text_of(box, figure);
    for (std::size_t i = 0; tolerance_ > 0 && i < questions.size(); ++i)
      take(figure, i, known(box, family, figure, i).value);
  }
  for (const Found& one : found) {
    const core::TriedMapping mapping(core::known_mapping(one.answer.mapping),
                                     *questions[one.question].layer, one.accelerator,
                                     figures_.answers().options().model);
    take(one.figure, one.question,
         mapping.value(accelerator_of(box, one.figure, one.question), objective_of(one.figure)));
  }
  return layers;
}

bool BoundsOfLayers::close(BoxLayers& box, DesignLayers& layers, std::vector<Found>& found,
                           const Enough& enough, double gap) const {
  while (const auto open = most_open(box, layers)) {
    const auto& [figure, question] = *open;
    // Takes less than a search, and may show that what is known is good enough.
    const bool raised =
        figure == BoxLayers::energy && layers.upper[figure][question] < no_value &&
        raise_to(box, figure, question,
                 bound_of(box, figure, Effort::in_one_order, layers.text[figure], question));
    if (!raised) {
      const core::StoredAnswer answer = searched(box, figure, layers.text[figure], question, gap, found);
      double& lower = box.lower[figure][question];
      must_reach(figure, question, lower, answer.value);
      lower = std::max(lower, answer.bound);
      layers.upper[figure][question] = std::min(layers.upper[figure][question], answer.value);
      layers.searched[figure][question] = true;
    }
    if (enough()) return true;
  }
  return false;
}

std::vector<core::StoredFigure> BoundsOfLayers::figures_of(const BoxLayers& box,
                                                           const DesignLayers& layers) const {
  std::array<core::StoredFigure, BoxLayers::figures> found;
  for (const Figure f : all_figures)
    found[f] = layers.wanted[f] ? core::StoredFigure{sum_of(layers.upper[f]), sum_of(box.lower[f])}
                                : core::StoredFigure{not_known, not_known};
  return figures_.named(found[BoxLayers::energy], found[BoxLayers::latency],
                        *box.relaxed[BoxLayers::latency].accelerator);
}

void BoundsOfLayers::keep_known(const BoxLayers& box, const DesignLayers& layers) const {
  const std::string family = relaxed_.family(box.designs);
  for (const Figure figure : all_figures)
    for (std::size_t i = 0; layers.wanted[figure] && i < figures_.questions().size(); ++i)
      if (!layers.searched[figure][i])
        figures_.answers().keep_known(figures_.key(i, layers.text[figure], objective_of(figure)),
                                      known(box, family, figure, i), box.lower[figure][i]);
}

void BoundsOfLayers::make_known(const core::DesignBox& designs, const std::vector<Found>& found) const {
  if (found.empty()) return;
  const std::string family = relaxed_.family(designs);
  for (const Found& one : found)
    figures_.answers().make_known(figures_.questions()[one.question].text, family,
                                  *figures_.questions()[one.question].layer, one.accelerator,
                                  objective_of(one.figure), one.answer);
}

}  // namespace zz::plugins
