#include "core/multicore/schedule/detail/core_cost_questions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/hardware/layer_dataflow.hpp"
#include "core/hardware/layer_fit.hpp"
#include "core/multicore/schedule/detail/offchip_level.hpp"

namespace zz::core {
namespace {

std::string list_of_cores(const MultiCoreAccelerator& accelerator) {
  std::string text;
  for (int core = 0; core < accelerator.core_count(); ++core)
    text += fmt::format("{}{} ('{}')", core > 0 ? ", " : "", core, accelerator.cores[core]->name);
  return text;
}

void refuse(const Layer& piece, const std::string& what, Diagnostics& problems,
            const std::string& hint = "") {
  problems.error({}, fmt::format("layer '{}': {}", piece.name, what), hint);
}

bool fits(const Layer& piece, const Accelerator& accelerator, Diagnostics& problems) {
  try {
    check_layer_fits(piece, accelerator);
    return true;
  } catch (const InputError& problem) {
    for (const Diagnostic& found : problem.diagnostics())
      problems.error(found.mark, found.message, found.hint);
    return false;
  }
}

std::size_t hash_of_sizes(const Layer& layer) {
  std::size_t hash = layer.loops.size();
  for (const LoopDimension& loop : layer.loops) hash = hash * 1000003 + static_cast<std::size_t>(loop.size);
  return hash;
}

}  // namespace

std::string core_name(const MultiCoreAccelerator& accelerator, int core) {
  return fmt::format("core {} ('{}')", core, accelerator.cores[core]->name);
}

CoreCostQuestions::CoreCostQuestions(std::shared_ptr<const MultiCoreAccelerator> accelerator,
                                     const Rules& rules)
    : accelerator_(std::move(accelerator)), rules_(rules) {
  for (int core = 0; core < accelerator_->core_count(); ++core) {
    int twin = 0;
    while (accelerator_->cores[twin]->dataflows != accelerator_->cores[core]->dataflows) ++twin;
    same_dataflow_.push_back(twin);
  }
}

std::vector<CoreCostQuestions::Entry> CoreCostQuestions::ask(const Layer& piece, const OperandBits& needs,
                                                             Diagnostics& problems) {
  std::vector<Entry> entries;
  shape_numbers_.assign(accelerator_->cores.size(), -1);
  std::set<std::int64_t> known;
  for (const std::int64_t candidate : piece.mapping.core_allocation) {
    if (!known.insert(candidate).second || !usable(piece, candidate, problems)) continue;
    const int core = static_cast<int>(candidate);
    const Accelerator& base = *accelerator_->cores[core];
    if (!fits(piece, base, problems)) continue;
    std::vector<int> too_large = too_large_operands(piece, base, needs);
    if (!too_large.empty() && !can_stream(piece, core, too_large, needs, problems)) continue;
    Entry entry;
    entry.core = core;
    entry.question = question(piece, core, too_large);
    if (!too_large.empty() && !fits(piece, *questions_[entry.question].accelerator, problems)) continue;
    std::sort(too_large.begin(), too_large.end());
    entry.streamed = std::move(too_large);
    entries.push_back(std::move(entry));
  }
  if (entries.empty() && !problems.has_errors())
    refuse(piece, "no core may run it", problems, "name one in core_allocation of its mapping entry");
  return entries;
}

bool CoreCostQuestions::usable(const Layer& piece, std::int64_t core, Diagnostics& problems) const {
  if (core < 0 || core >= accelerator_->core_count()) {
    refuse(piece,
           fmt::format("core_allocation names core {}, which '{}' does not have", core, accelerator_->name),
           problems, "its cores are " + list_of_cores(*accelerator_));
    return false;
  }
  const int index = static_cast<int>(core);
  if (accelerator_->cores[index]->array.unit_count() > 0) return true;
  if (!rules_.unitless_cores_left_out) {
    refuse(piece,
           fmt::format("core_allocation names {}, which has no units to compute with",
                       core_name(*accelerator_, index)),
           problems);
  }
  return false;
}

/// Whether there is an off-chip memory that holds all that does not fit.
bool CoreCostQuestions::can_stream(const Layer& piece, int core, const std::vector<int>& too_large,
                                   const OperandBits& needs, Diagnostics& problems) const {
  std::int64_t bits = 0;
  std::string names;
  for (const int operand : too_large) {
    bits += needs[operand];
    names += (names.empty() ? "" : ", ") + piece.operands[operand].name;
  }
  const std::string does_not_fit =
      fmt::format("{} of one node ({} bits) does not fit into the memories of {}", names, bits,
                  core_name(*accelerator_, core));
  if (!accelerator_->offchip_core) {
    refuse(piece,
           fmt::format("{}, and '{}' has no off-chip core to stream it from", does_not_fit,
                       accelerator_->name),
           problems, "cut the layer into smaller nodes, or give the accelerator an off-chip core");
    return false;
  }
  const Accelerator& offchip = *accelerator_->cores[*accelerator_->offchip_core];
  std::int64_t room = 0;
  for (const Memory& memory : offchip.memories) room = std::max(room, memory.size);
  if (bits > room) {
    refuse(piece, fmt::format("{}, nor into the off-chip memory ({} bits)", does_not_fit, room), problems,
           "cut the layer into smaller nodes, or enlarge the memory");
    return false;
  }
  return true;
}

int CoreCostQuestions::question(const Layer& piece, int core, const std::vector<int>& too_large) {
  const std::pair key(shape_number(piece, core), accelerator_number(piece, core, too_large));
  const auto [known, is_new] = numbers_.try_emplace(key, static_cast<int>(questions_.size()));
  if (!is_new) return known->second;
  const auto mapped = std::make_shared<Layer>(prescribed(piece, core));
  questions_.push_back({mapped, accelerators_[key.second],
                        fmt::format("layer '{}' on {}", mapped->name, core_name(*accelerator_, core))});
  return known->second;
}

/// The node with the dataflow of the core. Stream knows no other prescription.
Layer CoreCostQuestions::prescribed(const Layer& piece, int core) const {
  Layer mapped = piece;
  const SpatialUnrolling& dataflows = accelerator_->cores[core]->dataflows;
  if (rules_.core_dataflow_only)
    mapped.mapping.spatial_mapping = dataflows;
  else if (!dataflows.dimensions.empty())
    mapped.mapping.spatial_mapping = dataflow_of_layer(mapped, *accelerator_->cores[core]);
  return mapped;
}

/// Number of the node's shape: the same for layers that differ in name and position only.
int CoreCostQuestions::shape_number(const Layer& piece, int core) {
  int& number = shape_numbers_[same_dataflow_[core]];
  if (number >= 0) return number;
  Layer shape = without_identity(prescribed(piece, core));
  const std::size_t hash = hash_of_sizes(shape);
  const auto [first, last] = shapes_by_size_.equal_range(hash);
  const auto known =
      std::find_if(first, last, [&](const auto& entry) { return shapes_[entry.second] == shape; });
  if (known != last) return number = known->second;
  number = static_cast<int>(shapes_.size());
  shapes_.push_back(std::move(shape));
  shapes_by_size_.emplace(hash, number);
  return number;
}

/// Number of the core with what streams to it: the same for identical cores.
int CoreCostQuestions::accelerator_number(const Layer& piece, int core, const std::vector<int>& too_large) {
  std::vector<std::string> operands;
  for (const int operand : too_large) operands.push_back(piece.memory_operand(operand));
  const auto [known, is_new] = accelerator_numbers_.try_emplace({core, operands}, 0);
  if (!is_new) return known->second;
  std::shared_ptr<const Accelerator> extended = accelerator_->cores[core];
  if (!operands.empty()) {
    extended = std::make_shared<Accelerator>(
        with_offchip_level(*extended, *accelerator_->cores[*accelerator_->offchip_core], operands, rules_));
  }
  const auto equal = std::find_if(accelerators_.begin(), accelerators_.end(),
                                  [&](const auto& other) { return *other == *extended; });
  known->second = static_cast<int>(equal - accelerators_.begin());
  if (equal == accelerators_.end()) accelerators_.push_back(std::move(extended));
  return known->second;
}

}  // namespace zz::core
