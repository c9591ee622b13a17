#include "core/search/temporal/topmost_room.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

struct Resident {
  std::string name;
  double bits;
};

/// The bits of a whole operand; outputs are finished in their topmost memory.
double bits_of(const Layer& layer, int operand, const Rules& rules) {
  return tensor_bits(layer, operand, operand == 0 && layer.final_output_precision > 0, rules);
}

/// Into how many parts the copies of its topmost memory share out an operand.
double parts_of(const Layer& layer, int operand, const SpatialMapping& spatial_mapping) {
  double parts = 1;
  for (const UnrolledLoop& loop : spatial_mapping.operands[static_cast<std::size_t>(operand)].levels.back())
    if (layer.relevancy(operand, layer.loop_index(loop.dimension)) != Relevancy::irrelevant)
      parts *= std::max(1.0, loop.factor);
  return parts;
}

double sum_of(const std::vector<Resident>& residents) {
  return std::accumulate(residents.begin(), residents.end(), 0.0,
                         [](double sum, const Resident& resident) { return sum + resident.bits; });
}

std::string in_words(double bits) {
  return fmt::format("{}", fmt::group_digits(static_cast<std::int64_t>(bits)));
}

/// "W of layer conv has 294,912 bits; its topmost memory, weight_buffer, holds 1,024". Of several operands
/// those that are too large alone, else all.
std::string misfit(const Layer& layer, std::vector<Resident> residents, const std::string& memory,
                   double holds, const char* of_what) {
  std::vector<Resident> alone;
  for (const Resident& resident : residents)
    if (resident.bits > holds) alone.push_back(resident);
  const bool together = alone.empty() && residents.size() > 1;
  if (!alone.empty()) residents = alone;
  std::string text;
  for (const Resident& resident : residents)
    text += text.empty() ? fmt::format("{} of layer {} has {} bits", resident.name, layer.name,
                                       in_words(resident.bits))
                         : fmt::format(", {} has {}", resident.name, in_words(resident.bits));
  if (together) text += fmt::format(", together {}", in_words(sum_of(residents)));
  return fmt::format("{}{}; {} topmost memory, {}, holds {}", text, of_what,
                     residents.size() > 1 ? "their" : "its", memory, in_words(holds));
}

}  // namespace

void refuse_small_topmost_memories(const Layer& layer, const Accelerator& accelerator, const Rules& rules,
                                   const SpatialMapping* spatial_mapping) {
  const MemoryHierarchy& hierarchy = accelerator.hierarchy();
  std::string text;
  for (std::size_t index = 0; index < accelerator.memories.size(); ++index) {
    const Memory& memory = accelerator.memories[index];
    std::vector<Resident> residents, of_a_copy;
    for (const std::string& memory_operand : memory.operands) {
      const int operand = layer.operand_assigned_to(memory_operand);
      if (operand < 0 ||
          hierarchy.levels[hierarchy.operand_index(memory_operand)].back() != static_cast<int>(index))
        continue;
      const std::string& name = layer.operands[static_cast<std::size_t>(operand)].name;
      residents.push_back({name, bits_of(layer, operand, rules)});
      if (spatial_mapping != nullptr)
        of_a_copy.push_back({name, residents.back().bits / parts_of(layer, operand, *spatial_mapping)});
    }
    const double size = static_cast<double>(memory.size);
    const double all = size * static_cast<double>(accelerator.instances(memory));
    std::string problem;
    if (sum_of(residents) > all)
      problem = misfit(layer, residents, memory.name, all, "");
    else if (sum_of(of_a_copy) > size)
      problem = misfit(layer, of_a_copy, memory.name, size, " in each copy");
    if (!problem.empty()) text += (text.empty() ? "" : "; ") + problem;
  }
  if (!text.empty()) throw NoResult(text + ": is a memory missing, or are two in the wrong order?");
}

}  // namespace zz::core
