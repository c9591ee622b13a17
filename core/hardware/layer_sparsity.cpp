#include "core/hardware/layer_sparsity.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

#include "core/base/diagnostics.hpp"

namespace zz::core {
namespace {

/// "*" stands for any text.
bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  for (std::size_t begin = star; begin <= text.size(); ++begin)
    if (matches(pattern.substr(star + 1), text.substr(begin))) return true;
  return false;
}

const OperandSparsity* of_tensor(const Accelerator& accelerator, const std::string& layer,
                                 const std::string& operand) {
  const std::string full = layer + "." + operand;
  const auto first = [&](bool with_star) -> const OperandSparsity* {
    for (const OperandSparsity& one : accelerator.workload_sparsity) {
      const bool star = one.operand.find('*') != std::string::npos;
      if (star == with_star && (matches(one.operand, operand) || matches(one.operand, full))) return &one;
    }
    return nullptr;
  };
  const OperandSparsity* const exact = first(false);
  return exact != nullptr ? exact : first(true);
}

}  // namespace

const OperandSparsity* sparsity_of(const Layer& layer, const std::string& operand) {
  for (const OperandSparsity& one : layer.sparsity)
    if (one.operand == operand) return &one;
  return nullptr;
}

void set_sparsity(Layer& layer, const OperandSparsity& sparsity) {
  if (layer.operand_index(sparsity.operand) < 0) return;
  std::erase_if(layer.sparsity,
                [&](const OperandSparsity& one) { return one.operand == sparsity.operand; });
  layer.sparsity.push_back(sparsity);
}

std::string sparsity_problem(const Layer& layer, const OperandSparsity& sparsity) {
  const int operand = layer.operand_index(sparsity.operand);
  if (operand < 0 || sparsity.pattern.empty()) return "";
  const int loop = layer.loop_index(sparsity.along);
  const auto is_dimension = [&](int index) {
    return layer.relevancy(operand, index) == Relevancy::relevant;
  };
  if (loop < 0 || !is_dimension(loop)) {
    std::string known;
    for (int index = 0; index < static_cast<int>(layer.loops.size()); ++index)
      if (is_dimension(index))
        known += (known.empty() ? "; known: " : ", ") + layer.loops[static_cast<std::size_t>(index)].name;
    return fmt::format("{} of {} is along {}, which is no dimension of {} that is a loop{}",
                       sparsity.pattern, sparsity.operand, sparsity.along, sparsity.operand, known);
  }
  const std::int64_t size = layer.loops[static_cast<std::size_t>(loop)].size;
  if (const std::int64_t of = pattern_of(sparsity.pattern).of; of > 0 && size % of != 0)
    return fmt::format("{} of {} is along {}, whose {} iterations are no whole number of blocks of {}",
                       sparsity.pattern, sparsity.operand, sparsity.along, size, of);
  return "";
}

bool adopt_sparsity(Layer& layer, const Accelerator& accelerator) {
  bool adopted = false;
  for (const LayerOperand& operand : layer.operands) {
    if (sparsity_of(layer, operand.name) != nullptr) continue;
    const OperandSparsity* const found = of_tensor(accelerator, layer.name, operand.name);
    if (found == nullptr) continue;
    OperandSparsity own = *found;
    own.operand = operand.name;
    if (!sparsity_problem(layer, own).empty()) continue;
    layer.sparsity.push_back(std::move(own));
    adopted = true;
  }
  return adopted;
}

HeldBits held_bits_of(const Layer& layer, int operand, const Accelerator& accelerator,
                      const std::vector<int>& memories) {
  HeldBits held;
  held.stored = TileBits(layer, operand, false);
  held.final_stored = operand == 0 ? TileBits(layer, operand, true) : held.stored;
  const std::string& name = layer.operands[static_cast<std::size_t>(operand)].name;
  const OperandSparsity* const zeros = sparsity_of(layer, name);
  if (zeros == nullptr || density_of(*zeros) >= 1) return held;
  for (std::size_t level = 0; level < memories.size(); ++level) {
    const Memory& memory = accelerator.memories[static_cast<std::size_t>(memories[level])];
    for (const OperandFormat& one : memory.formats) {
      if (one.operand != name || one.format == StoredFormat::none) continue;
      held.in_format.resize(memories.size(), {held.stored, held.final_stored});
      for (const bool finished : {false, true})
        held.in_format[level][finished ? 1 : 0] =
            TileBits(layer, operand, finished && operand == 0, one.format, memory.format_quantile);
    }
  }
  return held;
}

bool has_format(const Memory& memory) {
  return std::any_of(memory.formats.begin(), memory.formats.end(),
                     [](const OperandFormat& one) { return one.format != StoredFormat::none; });
}

bool counts_zeros(const Accelerator& accelerator) {
  return !accelerator.array.on_zero.empty() ||
         std::any_of(accelerator.memories.begin(), accelerator.memories.end(), has_format);
}

namespace {

bool has_zeros(const Layer& layer, const std::string& operand) {
  const OperandSparsity* const zeros = sparsity_of(layer, operand);
  return zeros != nullptr && density_of(*zeros) < 1;
}

bool looks_for(const Accelerator& accelerator, const std::string& operand) {
  return std::any_of(accelerator.array.on_zero.begin(), accelerator.array.on_zero.end(),
                     [&](const OperandOnZero& one) { return one.operand == operand; }) ||
         std::any_of(accelerator.memories.begin(), accelerator.memories.end(), [&](const Memory& memory) {
           return std::any_of(memory.formats.begin(), memory.formats.end(), [&](const OperandFormat& one) {
             return one.operand == operand && one.format != StoredFormat::none;
           });
         });
}

/// The entry says the zeros of some operand of what has this name.
bool decides_for_some(const Accelerator& accelerator, const OperandSparsity& entry,
                      const std::string& name) {
  constexpr const char* operands[] = {"W", "I", "O"};
  return std::any_of(std::begin(operands), std::end(operands),
                     [&](const char* operand) { return of_tensor(accelerator, name, operand) == &entry; });
}

bool all_dense(const std::vector<std::shared_ptr<const Layer>>& layers, const std::string& operand) {
  return std::none_of(layers.begin(), layers.end(),
                      [&](const auto& layer) { return has_zeros(*layer, operand); });
}

}  // namespace

std::vector<std::string> entries_without_tensors(const Accelerator& accelerator,
                                                 const std::vector<std::shared_ptr<const Layer>>& layers,
                                                 const std::vector<std::string>& passed_over) {
  std::vector<std::string> told;
  for (const OperandSparsity& one : accelerator.workload_sparsity) {
    bool found = false;
    std::size_t misfits = 0;
    std::string problem;
    for (const auto& layer : layers) {
      for (const LayerOperand& operand : layer->operands) {
        if (of_tensor(accelerator, layer->name, operand.name) != &one) continue;
        found = true;
        OperandSparsity own = one;
        own.operand = operand.name;
        const std::string why = sparsity_problem(*layer, own);
        if (why.empty()) continue;
        if (++misfits == 1) problem = fmt::format("layer '{}': {}", layer->name, why);
      }
    }
    const auto without_cost =
        found ? passed_over.end()
              : std::find_if(passed_over.begin(), passed_over.end(), [&](const std::string& name) {
                  return decides_for_some(accelerator, one, name);
                });
    if (without_cost != passed_over.end())
      told.push_back(
          fmt::format("workload_sparsity of '{}' names '{}', which decides only for tensors of what has no "
                      "cost here, as '{}'",
                      accelerator.name, one.operand, *without_cost));
    else if (!found)
      told.push_back(
          fmt::format("workload_sparsity of '{}' names '{}', which decides for no tensor of the network",
                      accelerator.name, one.operand));
    if (misfits > 0)
      told.push_back(fmt::format("'{}' of workload_sparsity of '{}' is left out for {} tensor{}: {}",
                                 one.operand, accelerator.name, misfits, misfits == 1 ? "" : "s", problem));
  }
  return told;
}

void refuse_zeros(const Accelerator& accelerator, const Layer& layer, const std::string& where) {
  const auto refuse = [&](const std::string& operand, const std::string& key) {
    if (!has_zeros(layer, operand)) return;
    throw InputError(fmt::format("layer '{}': zeros of {} are not counted in {}, and '{}' has {}",
                                 layer.name, operand, where, accelerator.name, key));
  };
  for (const OperandOnZero& one : accelerator.array.on_zero) refuse(one.operand, "on_zero of its array");
  for (const Memory& memory : accelerator.memories)
    for (const OperandFormat& one : memory.formats)
      if (one.format != StoredFormat::none)
        refuse(one.operand, fmt::format("a format of memory '{}'", memory.name));
}

std::vector<std::string> zeros_on_several_cores(
    const std::vector<std::shared_ptr<const Layer>>& layers,
    const std::vector<std::shared_ptr<const Accelerator>>& cores) {
  constexpr const char* nothing = "they change nothing, as zeros are counted on a single core";
  std::vector<std::string> told;
  for (const char* operand : {"W", "I", "O"})
    if (!all_dense(layers, operand))
      told.push_back(fmt::format("layers have zeros of {} (sparsity): {}", operand, nothing));
  std::vector<std::string> names;
  for (const auto& core : cores)
    if (std::any_of(core->workload_sparsity.begin(), core->workload_sparsity.end(),
                    [](const OperandSparsity& one) { return density_of(one) < 1; }) &&
        std::find(names.begin(), names.end(), core->name) == names.end())
      names.push_back(core->name);
  for (const std::string& name : names)
    told.push_back(fmt::format("core '{}' has zeros of tensors (workload_sparsity): {}", name, nothing));
  return told;
}

std::vector<std::string> room_for_formats(const Accelerator& accelerator,
                                          const std::vector<std::shared_ptr<const Layer>>& layers) {
  std::vector<std::string> told;
  for (const Memory& memory : accelerator.memories)
    for (const OperandFormat& one : memory.formats)
      if (one.format != StoredFormat::none && !all_dense(layers, one.operand))
        told.push_back(fmt::format(
            "memory '{}' of '{}' has room for {} as {}: for the {:g} % of its tiles with the "
            "fewest nonzeros (format_quantile)",
            memory.name, accelerator.name, one.operand,
            stored_format_words[static_cast<std::size_t>(one.format)], 100 * memory.format_quantile));
  return told;
}

std::vector<std::string> keys_without_zeros(const Accelerator& accelerator,
                                            const std::vector<std::shared_ptr<const Layer>>& layers) {
  const auto dense = [&](const std::string& operand) { return all_dense(layers, operand); };
  std::vector<std::string> told;
  for (const char* operand : {"W", "I", "O"})
    if (!looks_for(accelerator, operand) && !dense(operand))
      told.push_back(fmt::format(
          "layers have zeros of {} (sparsity), but neither on_zero nor a format of '{}' names it: "
          "they change nothing",
          operand, accelerator.name));
  for (const OperandOnZero& one : accelerator.array.on_zero)
    if (dense(one.operand))
      told.push_back(
          fmt::format("on_zero of the array of '{}' names {}, of which no layer says that it has zeros "
                      "(sparsity)",
                      accelerator.name, one.operand));
  for (const Memory& memory : accelerator.memories)
    for (const OperandFormat& one : memory.formats)
      if (one.format != StoredFormat::none && dense(one.operand))
        told.push_back(
            fmt::format("format of memory '{}' of '{}' names {}, of which no layer says that it has "
                        "zeros (sparsity): it is stored as it is",
                        memory.name, accelerator.name, one.operand));
  return told;
}

}  // namespace zz::core
