#include "core/answers/question.hpp"

#include <array>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <utility>

#include "core/compat/rules.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/optimal/searched_space.hpp"
#include "core/value/read.hpp"
#include "core/value/value.hpp"

namespace zz::core {
namespace {

template <class T>
std::string digest_of_object(T object) {
  return digest_of(
      to_json(Value::object(std::shared_ptr<const T>(std::make_shared<T>(std::move(object)))).ref()));
}

}  // namespace

std::string question_text(const Layer& layer) { return digest_of_object(without_identity(layer)); }

std::string question_text(const Accelerator& accelerator, Objective objective) {
  Accelerator seen = accelerator;
  seen.name.clear();
  seen.clock_period = 0;
  seen.array.unit_area = 0;
  seen.array.unit_range = {};
  seen.workload_sparsity.clear();  // the layers have it
  const bool costs_count = objective != Objective::latency || accelerator.array.imc.has_value();
  if (!costs_count) seen.array.unit_energy = 0;
  for (Memory& memory : seen.memories) {
    memory.area = 0;
    memory.latency = 0;
    memory.read_range = memory.write_range = {};
    if (!costs_count) memory.read_cost = memory.write_cost = 0;
  }
  return digest_of_object(std::move(seen));
}

std::string exact_text(const Accelerator& accelerator) {
  Accelerator seen = accelerator;
  seen.clock_period = 0;
  return digest_of_object(std::move(seen));
}

std::string question_text(const JointOptions& options) {
  std::string text = fmt::format("{}, space {}, same data free {}", word_of(options.objective),
                                 figure_of(space_of(options)), options.model.same_data_free);
  for (const RuleRow& row : rule_rows())
    if (options.model.rules.*row.rule) text += fmt::format(", {}", row.name);
  const bool brief = options.brief && options.factors == UnrollingFactors::any;
  if (has_second(options)) text += fmt::format(", within {}{}", *options.within, brief ? " in brief" : "");
  if (options.allowed.any())
    text += fmt::format(", at most {} pJ and {} cycles", options.allowed.most_energy,
                        options.allowed.most_latency);
  // Without some the answer may be worse where a limit ends the search.
  for (const RefinementRow& row : refinement_rows())
    if (!(options.refinements.*row.refinement)) text += fmt::format(", without {}", row.name);
  return text;
}

ContentKey question_key(const std::string& layer, const std::string& accelerator,
                        const std::string& options) {
  const std::array<std::string_view, 4> parts{"layer", layer, accelerator, options};
  return content_key(parts);
}

std::string text_of(const SearchLimits& limits) {
  return fmt::format("{} s, {} bytes, {} states", limits.seconds, limits.bytes, limits.states);
}

}  // namespace zz::core
