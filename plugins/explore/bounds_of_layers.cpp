#include "plugins/explore/bounds_of_layers.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <map>
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

/// Pieces of work that are done in order until one suffices, of which this is the first: `first()` does it
/// and says whether it sufficed, which is what comes back. Meanwhile threads that have nothing else to do
/// call `ahead(i, over)` for the pieces that follow, 0 < i < n; `over()` says that the first one sufficed.
/// What they find may only save work later: which pieces they come to is a matter of time. A piece that
/// fails ahead fails again in its turn.
template <class First, class Ahead>
bool with_others_ahead(std::size_t n, First&& first, Ahead&& ahead) {
  std::atomic<bool> done = false, enough = false;
  std::exception_ptr failure;
  const std::function<bool()> over = [&] { return enough.load(std::memory_order_relaxed); };
  for_each(static_cast<uint32_t>(std::min<std::size_t>(n, threads())), [&](uint32_t i) {
    if (i > 0) {
      if (done) return;
      try {
        ahead(i, over);
      } catch (...) {
        // Told in its turn.
      }
      return;
    }
    try {
      enough = first();
    } catch (...) {
      failure = std::current_exception();
      enough = true;
    }
    done = true;
  });
  if (failure) std::rethrow_exception(failure);
  return enough;
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
  const std::vector<std::size_t> order = by_weight(box, figure);
  std::vector<std::optional<double>> bounds(order.size());
  const auto find = [&](std::size_t i) {
    if (!bounds[i]) bounds[i] = bound_of(box, figure, effort, text, order[i]);
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto raise_first = [&] {
      find(i);
      return raise_to(box, figure, order[i], *bounds[i]) && enough();
    };
    if (with_others_ahead(order.size() - i, raise_first, [&](uint32_t k, const auto&) { find(i + k); }))
      return true;
  }
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
  std::vector<std::size_t> order = largest_first(rises);
  // A mapping within the tolerance of the bound is all that is asked for.
  std::erase_if(order, [&](std::size_t i) {
    return known[i] <= lower[i] * (1 + std::max(tolerance_, core::rounding_tolerance));
  });
  std::vector<std::optional<core::StoredAnswer>> answers(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto search_first = [&] {
      try {
        const core::StoredAnswer answer =
            searched(box, BoxLayers::energy, text, order[i], 0, answers[i], found);
        if (!raise_to(box, BoxLayers::energy, order[i], answer.bound)) return false;
      } catch (const core::NotFound&) {
        return false;  // nothing is proven
      } catch (const core::NoResult&) {
        lower[order[i]] = no_value;
      } catch (const core::InputError&) {
        return false;
      }
      return enough();
    };
    const auto search_ahead = [&](uint32_t k, const std::function<bool()>& over) {
      if (!answers[i + k])
        answers[i + k] = searched_ahead(box, BoxLayers::energy, text, order[i + k], 0, over);
    };
    if (with_others_ahead(order.size() - i, search_first, search_ahead)) return true;
  }
  return false;
}

/// A mapping with a value below a bound says that the bound is wrong, whether this program made it or the
/// store has it: nothing that follows from it can be trusted.
void BoundsOfLayers::must_reach(Figure figure, std::size_t question, double bound, double value) const {
  if (bound <= value * (1 + core::rounding_tolerance)) return;
  throw Error(
      ZZ_E_INTERNAL,
      fmt::format("a bound is wrong: no mapping of layer '{}' should have less {} than {:.10g}, but "
                  "one has {:.10g}; answers of the store may be damaged",
                  figures_.questions()[question].layer->name,
                  figure == BoxLayers::energy ? "energy" : "latency", bound, value));
}

/// A search begins with what is known.
std::shared_ptr<const core::JointOptions::Start> BoundsOfLayers::start(const BoxLayers& box, Figure figure,
                                                                       std::size_t question) const {
  const FiguresOfLayers::Question& asked = figures_.questions()[question];
  return figures_.answers().start(asked.text, relaxed_.family(box.designs), *asked.layer,
                                  accelerator_of(box, figure, question), objective_of(figure));
}

/// The answer to a question that may have its turn later; nothing where it is known or `over`.
std::optional<core::StoredAnswer> BoundsOfLayers::searched_ahead(const BoxLayers& box, Figure figure,
                                                                 const std::string& text,
                                                                 std::size_t question, double gap,
                                                                 const std::function<bool()>& over) const {
  const core::Objective objective = objective_of(figure);
  if (figures_.answers().find(figures_.key(question, text, objective), gap)) return std::nullopt;
  const core::StoredAnswer answer = figures_.answers().search(
      *figures_.questions()[question].layer, accelerator_of(box, figure, question), objective,
      start(box, figure, question), gap, over);
  if (over()) return std::nullopt;
  return answer;
}

/// The answer to a question about the relaxed accelerator of a box; `ahead`: of a search for it.
core::StoredAnswer BoundsOfLayers::searched(const BoxLayers& box, Figure figure, const std::string& text,
                                            std::size_t question, double gap,
                                            const std::optional<core::StoredAnswer>& ahead,
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
  } else if (ahead) {
    answer = ahead;
    answers.keep(key, *answer);
  } else {
    answer = answers.answer(key, *asked.layer, accelerator, objective, start(box, figure, question), gap);
  }
  found.push_back({question, figure, accelerator, *answer});
  return *answer;
}

/// The figures and questions whose difference may still matter, the largest first.
std::vector<BoundsOfLayers::Open> BoundsOfLayers::open(const BoxLayers& box,
                                                       const DesignLayers& layers) const {
  const auto& questions = figures_.questions();
  std::vector<Open> found;
  std::vector<double> weights;
  for (const Figure f : all_figures) {
    if (!layers.wanted[f]) continue;
    const double sum = sum_of(box.lower[f]);
    if (tolerance_ > 0 && sum_of(layers.upper[f]) <= sum * (1 + tolerance_)) continue;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (layers.searched[f][i]) continue;
      const double lower = box.lower[f][i], upper = layers.upper[f][i];
      const double share = static_cast<double>(questions[i].layers) / std::max(sum, 1e-300);
      weights.push_back(upper < no_value ? share * (upper - lower) : 1 + share * lower);
      found.emplace_back(f, i);
    }
  }
  std::vector<Open> ordered;
  for (const std::size_t i : largest_first(weights)) ordered.push_back(found[i]);
  return ordered;
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
  std::map<Open, std::optional<core::StoredAnswer>> ahead;
  for (;;) {
    const std::vector<Open> open = this->open(box, layers);
    if (open.empty()) return false;
    const auto [first_figure, first_question] = open.front();
    // Takes less than a search, and may show that what is known is good enough.
    if (first_figure == BoxLayers::energy && layers.upper[first_figure][first_question] < no_value &&
        raise_to(
            box, first_figure, first_question,
            bound_of(box, first_figure, Effort::in_one_order, layers.text[first_figure], first_question))) {
      if (enough()) return true;
      continue;
    }
    for (const Open& one : open) ahead.try_emplace(one);
    const auto search_first = [&] {
      const auto [figure, question] = open.front();
      const core::StoredAnswer answer =
          searched(box, figure, layers.text[figure], question, gap, ahead.at(open.front()), found);
      double& lower = box.lower[figure][question];
      must_reach(figure, question, lower, answer.value);
      lower = std::max(lower, answer.bound);
      layers.upper[figure][question] = std::min(layers.upper[figure][question], answer.value);
      layers.searched[figure][question] = true;
      return enough();
    };
    const auto search_ahead = [&](uint32_t i, const std::function<bool()>& over) {
      std::optional<core::StoredAnswer>& answer = ahead.at(open[i]);
      const auto [figure, question] = open[i];
      if (!answer) answer = searched_ahead(box, figure, layers.text[figure], question, gap, over);
    };
    if (with_others_ahead(open.size(), search_first, search_ahead)) return true;
  }
}

std::vector<core::StoredFigure> BoundsOfLayers::figures_of(const BoxLayers& box,
                                                           const DesignLayers& layers) const {
  std::array<core::StoredFigure, BoxLayers::figures> found;
  for (const Figure f : all_figures)
    found[f] = layers.wanted[f] ? core::StoredFigure{sum_of(layers.upper[f]), sum_of(box.lower[f])}
                                : core::StoredFigure{not_known, not_known};
  return figures_.named(found[BoxLayers::energy], found[BoxLayers::latency]);
}

void BoundsOfLayers::keep_known(const BoxLayers& box, const DesignLayers& layers) const {
  const std::string family = relaxed_.family(box.designs);
  for (const Figure figure : all_figures)
    for (std::size_t i = 0; layers.wanted[figure] && i < figures_.questions().size(); ++i)
      if (!layers.searched[figure][i])
        figures_.answers().keep_known(figures_.key(i, layers.text[figure], objective_of(figure)),
                                      known(box, family, figure, i), box.lower[figure][i]);
}

void BoundsOfLayers::make_known(const DesignBox& designs, const std::vector<Found>& found) const {
  if (found.empty()) return;
  const std::string family = relaxed_.family(designs);
  for (const Found& one : found)
    figures_.answers().make_known(figures_.questions()[one.question].text, family,
                                  *figures_.questions()[one.question].layer, one.accelerator,
                                  objective_of(one.figure), one.answer);
}

}  // namespace zz::plugins
