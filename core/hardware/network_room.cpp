#include "core/hardware/network_room.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/hardware/accelerator_check.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

constexpr double bits_of_byte = 8;

/// Fills the uses of an accelerator's outermost memories, layer by layer.
class RoomCounter {
 public:
  RoomCounter(const Accelerator& accelerator, const Rules& rules)
      : accelerator_(accelerator), rules_(rules), uses_(accelerator.memories.size()) {}

  void add(const Layer& layer) {
    const OperandRoles roles = operand_roles(layer);
    std::vector<double> working(uses_.size()), weights(uses_.size()), cached(uses_.size());
    for (std::size_t i = 0; i < layer.operands.size(); ++i) {
      const LayerOperand& operand = layer.operands[i];
      const int operand_index = static_cast<int>(i);
      const int memory = outermost(layer, operand_index);
      if (memory < 0) continue;
      const auto elements = static_cast<double>(layer.operand_elements(operand_index, rules_));
      const auto at = static_cast<std::size_t>(memory);
      if (operand_index == roles.weight && operand.constant) {
        const double bits = tensor_bits(layer, operand_index, false, rules_);
        weights[at] += bits;
        elements_ += elements;
        weight_bits_ += bits;
        weights_at_ = memory;
      } else {
        const double bits = tensor_bits(layer, operand_index, i == 0, rules_);
        // Data in the caches are counted for all layers together.
        if (operand_index == roles.weight) cached_at_ = memory;
        if (operand_index == roles.weight && caches_) {
          cached[at] += bits;
          continue;
        }
        working[at] += bits;
        if (i != 0) {
          input_bits_ = std::max(input_bits_, TileBits(layer, operand_index, false).least());
          if (inputs_at_ < 0) inputs_at_ = memory;
        }
      }
    }
    for (std::size_t at = 0; at < working.size(); ++at) {
      uses_[at].weights += weights[at];
      uses_[at].of_layer = std::max(uses_[at].of_layer, weights[at] + cached[at] + working[at]);
      uses_[at].weights_of_layer = std::max(uses_[at].weights_of_layer, weights[at]);
      if (working[at] <= uses_[at].working) continue;
      uses_[at].working = working[at];
      uses_[at].largest = layer.name;
    }
  }

  void expect_caches() { caches_ = true; }

  void add(const StoredData& stored) {
    if (stored.parameters > 0 && elements_ > 0)
      for (OutermostUse& use : uses_) use.weights *= stored.parameters / elements_;
    const double bits = stored.cached_bits > 0 ? stored.cached_bits
                        : elements_ > 0        ? weight_bits_ / elements_
                                               : 0;
    const int cached_at = cached_at_ >= 0 ? cached_at_ : weights_at_;
    if (cached_at >= 0) uses_[static_cast<std::size_t>(cached_at)].cached = stored.cached * bits;
    if (inputs_at_ >= 0) uses_[static_cast<std::size_t>(inputs_at_)].inputs = stored.inputs * input_bits_;
  }

  std::vector<OutermostUse> take() {
    std::vector<OutermostUse> used;
    for (std::size_t at = 0; at < uses_.size(); ++at) {
      if (uses_[at].total() == 0) continue;
      const Memory& memory = accelerator_.memories[at];
      uses_[at].memory = memory.name;
      uses_[at].size = static_cast<double>(memory.size) *
                       static_cast<double>(std::max<std::int64_t>(1, accelerator_.instances(memory)));
      used.push_back(std::move(uses_[at]));
    }
    return used;
  }

 private:
  /// The memory, or -1.
  int outermost(const Layer& layer, int operand) const {
    const MemoryHierarchy& hierarchy = accelerator_.hierarchy();
    const int index = hierarchy.operand_index(layer.memory_operand(operand));
    return index < 0 ? -1 : hierarchy.levels[static_cast<std::size_t>(index)].back();
  }

  const Accelerator& accelerator_;
  const Rules& rules_;
  std::vector<OutermostUse> uses_;  // by memory
  bool caches_ = false;
  double elements_ = 0, weight_bits_ = 0;  // of the weights of all layers
  double input_bits_ = 0;
  int weights_at_ = -1, cached_at_ = -1, inputs_at_ = -1;
};

/// "16.1 GB", in the unit that suits it.
std::string bytes_text(double bits, int digits) {
  const double bytes = bits / bits_of_byte;
  for (const auto& [unit, size] : {std::pair{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}})
    if (bytes >= size / 2) return fmt::format("{:.{}f} {}", bytes / size, digits, unit);
  return fmt::format("{:.0f} bytes", bytes);
}

}  // namespace

std::vector<OutermostUse> outermost_uses(const Workload& workload,
                                         const std::vector<std::shared_ptr<const Layer>>& layers,
                                         const Accelerator& accelerator, const Rules& rules) {
  RoomCounter counter(accelerator, rules);
  if (workload.stored && workload.stored->cached > 0) counter.expect_caches();
  for (const auto& layer : layers) counter.add(*layer);
  if (workload.stored) counter.add(*workload.stored);
  return counter.take();
}

std::string use_text(const OutermostUse& use) {
  constexpr int most_digits = 6;
  int digits = 1;
  while (digits < most_digits && use.total() != use.size &&
         bytes_text(use.total(), digits) == bytes_text(use.size, digits))
    ++digits;
  std::vector<std::string> parts;
  const auto add = [&](double bits, const std::string& what) {
    if (bits > 0) parts.push_back(fmt::format("{} of {}", bytes_text(bits, digits), what));
  };
  add(use.weights, "weights");
  add(use.cached, "keys and values");
  // Small beside the rest in most networks; told where it decides.
  const bool decides = use.weights + use.cached <= use.size;
  if (use.inputs > use.working)
    add(use.inputs, "inputs");
  else if (decides || parts.empty())
    add(use.working, fmt::format("inputs and results of layer '{}'", use.largest));
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return fmt::format("{} on {} of '{}'", text, bytes_text(use.size, digits), use.memory);
}

std::string why_network_does_not_fit(const std::vector<OutermostUse>& uses) {
  std::string text;
  for (const OutermostUse& use : uses) {
    const bool of_one_layer = use.of_layer > use.size &&
                              (use.weights_of_layer > use.size || use.weights + use.cached <= use.size);
    if (use.total() > use.size && !of_one_layer) text += (text.empty() ? "" : "; ") + use_text(use);
  }
  return text;
}

std::shared_ptr<const Accelerator> with_room_for_layers(
    const std::shared_ptr<const Accelerator>& accelerator, const std::vector<OutermostUse>& uses,
    std::vector<std::string>& warnings) {
  std::shared_ptr<Accelerator> larger;
  for (const OutermostUse& use : uses) {
    if (use.of_layer <= use.size) continue;
    if (larger == nullptr) larger = std::make_shared<Accelerator>(*accelerator);
    for (Memory& memory : larger->memories) {
      if (memory.name != use.memory) continue;
      const auto before = static_cast<double>(memory.size);
      // Copies share out each operand by itself, in whole elements.
      const double slack = use.size > before ? 2 : 1;
      const double needed = std::ceil(slack * use.of_layer / use.size * before);
      memory.size = static_cast<std::int64_t>(std::min(needed, static_cast<double>(largest_number)));
      warnings.push_back(fmt::format(
          "layers do not fit into '{}' of accelerator '{}', which is taken to hold {} and not {}",
          memory.name, accelerator->name, bytes_text(static_cast<double>(memory.size), 1),
          bytes_text(before, 1)));
    }
  }
  if (larger == nullptr) return accelerator;
  return larger;
}

}  // namespace zz::core
