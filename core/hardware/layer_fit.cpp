#include "core/hardware/layer_fit.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/workload/layer_precision.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

class FitCheck {
 public:
  FitCheck(const Layer& layer, const Accelerator& accelerator)
      : layer_(layer), accelerator_(accelerator), hierarchy_(accelerator.hierarchy()) {}

  void check() {
    if (accelerator_.array.unit_count() == 0) error("it has no units to compute with", "");
    for (int operand = 0; operand < static_cast<int>(layer_.operands.size()); ++operand)
      check_operand(operand);
    check_types();
    diagnostics_.throw_if_errors();
  }

 private:
  /// Numbers in blocks are taken as they are, or converted where the array says so.
  void check_types() {
    std::vector<OperandPrecision> types;
    for (int operand = 0; operand < static_cast<int>(layer_.operands.size()); ++operand) {
      const LayerOperand& tensor = layer_.operands[static_cast<std::size_t>(operand)];
      TileBits(layer_, operand, operand == 0);
      types.push_back({tensor.name, tensor.precision, tensor.scale});
    }
    types.push_back({"O_final", layer_.final_output_precision, layer_.final_output_scale});
    std::erase_if(types, [](const OperandPrecision& one) { return !one.scale.any(); });
    if (types.empty()) return;
    const OperationalArray& array = accelerator_.array;
    if (array.imc)
      return error(
          fmt::format("its {} has numbers of {}, and an array that computes in memory keeps no scales",
                      types.front().operand, to_text(types.front().type())),
          "give it a type without blocks");
    std::string first, others;
    for (const OperandPrecision& one : types) {
      const auto unit =
          std::find_if(array.operand_precision.begin(), array.operand_precision.end(),
                       [&](const OperandPrecision& taken) { return taken.operand == one.operand; });
      if (array.converts || unit == array.operand_precision.end() || same_numbers(unit->type(), one.type()))
        continue;
      if (first.empty())
        first = fmt::format("its {} has numbers of {}, and the units take {} of {}", one.operand,
                            to_text(one.type()), one.operand, to_text(unit->type()));
      else
        others += fmt::format("{}{}", others.empty() ? "; so for " : " and ", one.operand);
    }
    if (!first.empty())
      error(first + others,
            "say converts: true in the operational_array if they become these on the way, name the type in "
            "its "
            "operand_precision, or give the layer another type");
  }

  void check_operand(int operand) {
    const std::string& name = layer_.operands[static_cast<std::size_t>(operand)].name;
    const std::string& memory_operand = layer_.memory_operand(operand);
    if (memory_operand.empty()) {
      error(fmt::format("operand {} is assigned to no memory operand", name),
            fmt::format("name it in memory_operand_links of mapping entry '{}'", layer_.mapping.name));
      return;
    }
    const int index = hierarchy_.operand_index(memory_operand);
    if (index < 0) {
      error(fmt::format("operand {} is assigned to {}, which no memory of accelerator '{}' holds", name,
                        memory_operand, accelerator_.name),
            "memories hold: " + held_operands());
      return;
    }
    const std::vector<int>& levels = hierarchy_.levels[static_cast<std::size_t>(index)];
    const bool is_output = operand == 0;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const bool below_top = level + 1 < levels.size();
      if (is_output) {
        need(name, index, levels[level], Direction::write_from_low, "results come in from below");
        if (below_top)
          need(name, index, levels[level], Direction::read_to_high, "results go out to the memory above");
      }
      if (!is_output) {
        need(name, index, levels[level], Direction::read_to_low, "data go out to the units");
        if (below_top)
          need(name, index, levels[level], Direction::write_from_high,
               "data come in from the memory above");
      }
    }
  }

  void need(const std::string& operand, int index, int memory, Direction direction, const char* why) {
    const auto& ports =
        hierarchy_.port_of[static_cast<std::size_t>(memory)][static_cast<std::size_t>(index)];
    if (ports[static_cast<std::size_t>(direction)] >= 0) return;
    const char* code = direction_codes[static_cast<std::size_t>(direction)];
    const std::string& memory_operand = hierarchy_.operands[static_cast<std::size_t>(index)];
    error(fmt::format("operand {} needs a port for '{}, {}' in memory '{}', where {}", operand,
                      memory_operand, code, accelerator_.memories[static_cast<std::size_t>(memory)].name,
                      why),
          fmt::format("add \"{}, {}\" to the allocation of one of its ports", memory_operand, code));
  }

  std::string held_operands() const {
    std::string text;
    for (const std::string& operand : hierarchy_.operands) text += (text.empty() ? "" : ", ") + operand;
    return text;
  }

  void error(const std::string& message, const std::string& hint) {
    diagnostics_.error({},
                       fmt::format("layer '{}' does not fit accelerator '{}': {}", layer_.name,
                                   accelerator_.name, message),
                       hint);
  }

  const Layer& layer_;
  const Accelerator& accelerator_;
  const MemoryHierarchy& hierarchy_;
  Diagnostics diagnostics_;
};

/// True if every accelerator fits both layers or none: their sizes do not count.
bool fit_alike(const Layer& a, const Layer& b) {
  return a.mapping.memory_operands == b.mapping.memory_operands && !has_blocks(a) && !has_blocks(b) &&
         std::equal(
             a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
             [](const LayerOperand& one, const LayerOperand& other) { return one.name == other.name; });
}

/// The reason for all layers; empty where one has a loop that makes the rows of blocks.
std::string why_no_rows(const std::vector<std::shared_ptr<const Layer>>& layers,
                        const Accelerator& accelerator) {
  if (layers.empty() || !accelerator.array.instruction) return "";
  const std::vector<std::string>& along = accelerator.array.instruction->along;
  std::set<std::string> loops;
  for (const auto& layer : layers)
    for (const LoopDimension& loop : layer->loops) loops.insert(loop.name);
  if (std::any_of(along.begin(), along.end(), [&](const auto& loop) { return loops.count(loop) > 0; }))
    return "";
  return fmt::format("along of instruction of '{}' names no loop of any layer: {}; the layers have {}",
                     accelerator.name, fmt::join(along, ", "), fmt::join(loops, ", "));
}

}  // namespace

void check_layer_fits(const Layer& layer, const Accelerator& accelerator) {
  FitCheck(layer, accelerator).check();
}

std::string why_not_all_fit(const std::vector<std::shared_ptr<const Layer>>& layers,
                            const Accelerator& accelerator) {
  if (std::string no_rows = why_no_rows(layers, accelerator); !no_rows.empty()) return no_rows;
  std::string first;
  std::size_t more = 0;
  const Layer* fits = nullptr;
  for (const auto& layer : layers) {
    if (fits != nullptr && fit_alike(*layer, *fits)) continue;
    try {
      check_layer_fits(*layer, accelerator);
      fits = layer.get();
    } catch (const InputError& error) {
      if (!first.empty()) ++more;
      if (first.empty()) first = error.what();
    }
  }
  return more == 0 ? first : fmt::format("{}\n(and {} more of {} layers)", first, more, layers.size());
}

std::string said_of_bits(const Layer& layer, const std::string& operand) {
  const bool assumed = std::find(layer.assumed_precision.begin(), layer.assumed_precision.end(), operand) !=
                       layer.assumed_precision.end();
  const char* const origin = !assumed         ? "given by the workload or by operand_precision"
                             : operand == "O" ? "the usual number for a partial sum"
                                              : "the floating-point type of its tensor";
  const char* const how =
      "; for 8 bits say --precision 8, in Python precision=8, or in a file "
      "`operand_precision: {W: 8, I: 8, O: 16, O_final: 8}`, as a parameter of the pipeline or below "
      "operational_array";
  return fmt::format("({}){}", origin, layer.assumed_precision.empty() ? "" : how);
}

std::string why_no_element_fits(const Layer& layer, const Accelerator& accelerator) {
  const MemoryHierarchy& hierarchy = accelerator.hierarchy();
  std::vector<std::int64_t> held(accelerator.memories.size());
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand) {
    const int index = hierarchy.operand_index(layer.memory_operand(operand));
    if (index < 0) continue;
    // Finished outputs alone pass through a memory above the last loop that adds to them.
    const LayerOperand& tensor = layer.operands[static_cast<std::size_t>(operand)];
    std::int64_t bits = tensor.precision + tensor.scale.bits;
    const std::int64_t finished = layer.final_output_precision + layer.final_output_scale.bits;
    const bool is_finished = operand == 0 && finished <= bits;
    if (is_finished) bits = finished;
    for (const int place : hierarchy.levels[static_cast<std::size_t>(index)]) {
      const Memory& memory = accelerator.memories[static_cast<std::size_t>(place)];
      held[static_cast<std::size_t>(place)] += bits;
      if (held[static_cast<std::size_t>(place)] <= memory.size) continue;
      const bool alone = held[static_cast<std::size_t>(place)] == bits;
      return fmt::format(
          "layer '{}' has no mapping on '{}': memory '{}' ({} bits) is too small for {} operand {}, which "
          "has {} bits{} {}",
          layer.name, accelerator.name, memory.name, memory.size,
          alone ? "an element of" : "an element of each of its operands; that of", tensor.name, bits,
          tensor.scale.any() ? " with its scale" : "",
          said_of_bits(layer, is_finished ? "O_final" : tensor.name));
    }
  }
  return "";
}

bool can_map(const Layer& layer, const Accelerator& accelerator) {
  return !accelerator.array.imc || (layer.type != "Pooling" && layer.type != "Add");
}

}  // namespace zz::core
