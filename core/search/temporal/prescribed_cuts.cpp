#include "core/search/temporal/prescribed_cuts.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/search/temporal/loop_allocator.hpp"
#include "core/search/temporal/mapping_check.hpp"

namespace zz::core {
namespace {

/// Reads the cuts by operand and level of its memories.
class CutsReader {
 public:
  CutsReader(const Layer& layer, const Accelerator& accelerator, const std::vector<OperandCuts>& cuts)
      : layer_(layer), accelerator_(accelerator), cuts_(cuts) {}

  /// Fills in stationary cuts. Throws InputError with all that is wrong.
  void read(CompactMapping& mapping) {
    for (const OperandCuts& operand : cuts_) {
      std::vector<std::string> names;
      for (const LayerOperand& own : layer_.operands) names.push_back(own.name);
      if (std::find(names.begin(), names.end(), operand.operand) == names.end())
        wrong(operand.operand,
              fmt::format("name the operand {}, which the layer does not have", operand.operand),
              suggestion(operand.operand, names));
    }
    for (std::size_t operand = 0; operand < layer_.operands.size(); ++operand)
      read(operand, mapping.loops, mapping.stationary[operand]);
    problems_.throw_if_errors();
  }

 private:
  using Levels = std::array<std::uint8_t, max_memory_levels>;

  /// `key` is of an operand, or of one of its memories: "W.scratchpad"; "": of the cuts themselves.
  void wrong(const std::string& key, const std::string& what, const std::string& hint) {
    problems_.error(
        layer_.mapping.places.mark(key.empty() ? "cuts" : "cuts." + key),
        fmt::format("layer '{}': cuts of mapping entry '{}' {}", layer_.name, layer_.mapping.name, what),
        hint);
  }

  void read(std::size_t operand, int loops, Levels& levels) {
    const std::string& name = layer_.operands[operand].name;
    const MemoryHierarchy& hierarchy = accelerator_.hierarchy();
    const int held = hierarchy.operand_index(layer_.memory_operand(static_cast<int>(operand)));
    if (held < 0) return;  // the cost model will tell
    std::vector<std::string> memories;
    for (const int memory : hierarchy.levels[held]) memories.push_back(accelerator_.memories[memory].name);
    const auto given = std::find_if(cuts_.begin(), cuts_.end(),
                                    [&](const OperandCuts& one) { return one.operand == name; });
    if (given == cuts_.end()) {
      wrong("", fmt::format("say nothing of {}", name),
            fmt::format("give a number of loops for {}", fmt::join(memories, ", ")));
      return;
    }
    for (const MemoryCut& cut : given->memories)
      if (std::find(memories.begin(), memories.end(), cut.memory) == memories.end())
        wrong(fmt::format("{}.{}", name, cut.memory),
              fmt::format("name the memory '{}', which does not hold {} in '{}'", cut.memory, name,
                          accelerator_.name),
              suggestion(cut.memory, memories));
    std::int64_t below = 0;
    for (std::size_t level = 0; level < memories.size(); ++level) {
      const bool top = level + 1 == memories.size();
      const auto cut = std::find_if(given->memories.begin(), given->memories.end(),
                                    [&](const MemoryCut& one) { return one.memory == memories[level]; });
      if (cut == given->memories.end() && !top) {
        wrong(name, fmt::format("say nothing of {} in '{}'", name, memories[level]),
              fmt::format("give a number of loops from {} to {}", below, loops));
        continue;
      }
      const std::int64_t said = cut == given->memories.end() ? loops : cut->loops;
      below = check(fmt::format("{}.{}", name, memories[level]), name, memories, level, said, below, loops);
      levels[level] = static_cast<std::uint8_t>(below);
    }
  }

  /// The cut, or the nearest that works after reporting it.
  std::int64_t check(const std::string& key, const std::string& operand,
                     const std::vector<std::string>& memories, std::size_t level, std::int64_t said,
                     std::int64_t below, std::int64_t loops) {
    const bool top = level + 1 == memories.size();
    std::string why;
    std::int64_t nearest = said;
    if (said < 0) {
      why = "fewer than none";
      nearest = top ? loops : below;
    } else if (said > loops) {
      why = fmt::format("more than the {} loops of the order", loops);
      nearest = loops;
    } else if (said < below) {
      why = fmt::format("fewer than the {} of '{}' below it", below, memories[level - 1]);
      nearest = top ? loops : below;
    } else if (top && said < loops) {
      why = fmt::format("but the topmost memory holds all {}", loops);
      nearest = loops;
    }
    if (!why.empty())
      wrong(key,
            fmt::format("say that '{}' holds {} below {} loops, {}", memories[level], operand, said, why),
            fmt::format("the nearest that works is {}", nearest));
    return nearest;
  }

  const Layer& layer_;
  const Accelerator& accelerator_;
  const std::vector<OperandCuts>& cuts_;
  Diagnostics problems_;
};

/// Holds cuts to the sizes of the memories.
class RoomForCuts {
 public:
  RoomForCuts(const Layer& layer, const Accelerator& accelerator, const SpatialMapping& spatial_mapping,
              const Rules& rules)
      : layer_(layer), accelerator_(accelerator), check_(layer, accelerator, spatial_mapping, rules) {}

  void require(const CompactMapping& mapping) const {
    const std::string place = layer_.mapping.places.place("cuts");
    const std::string where = fmt::format("{}{}layer '{}': cuts of mapping entry '{}'", place,
                                          place.empty() ? "" : ": ", layer_.name, layer_.mapping.name);
    for (const MappingCheck::Room& room : check_.needed_room(mapping)) {
      if (fits(room)) continue;
      const Memory& memory = accelerator_.memories[room.memory];
      throw NoResult(fmt::format("{}: '{}' of {} bits would have to hold {:.0f}, with {}; {}", where,
                                 memory.name, memory.size, room.bits,
                                 words_of(held_in(room.memory), mapping), nearest(mapping, room.memory)));
    }
    check_.check_shared_tiles(mapping, where);
  }

 private:
  struct Held {
    std::size_t operand, level;
    bool top;
  };

  bool fits(const MappingCheck::Room& room) const {
    return room.fits(static_cast<double>(accelerator_.memories[room.memory].size));
  }

  std::vector<Held> held_in(int memory) const {
    std::vector<Held> held;
    const MemoryHierarchy& hierarchy = accelerator_.hierarchy();
    for (std::size_t operand = 0; operand < layer_.operands.size(); ++operand) {
      const auto& levels =
          hierarchy.levels[hierarchy.operand_index(layer_.memory_operand(static_cast<int>(operand)))];
      for (std::size_t level = 0; level < levels.size(); ++level)
        if (levels[level] == memory) held.push_back({operand, level, level + 1 == levels.size()});
    }
    return held;
  }

  /// "W below 5 loops and I below 3"
  std::string words_of(const std::vector<Held>& held, const CompactMapping& mapping) const {
    std::string words;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const int loops = mapping.stationary[held[i].operand][held[i].level];
      words += fmt::format("{}{} below {}{}",
                           i == 0                 ? ""
                           : i + 1 == held.size() ? " and "
                                                  : ", ",
                           layer_.operands[held[i].operand].name, loops,
                           i > 0        ? ""
                           : loops == 1 ? " loop"
                                        : " loops");
    }
    return words;
  }

  /// Lowers the cuts at the memory, each time the one that leaves least to be held.
  std::string nearest(CompactMapping mapping, int memory) const {
    const std::vector<Held> held = held_in(memory);
    for (;;) {
      std::optional<CompactMapping> best;
      double least = std::numeric_limits<double>::infinity();
      for (const Held& one : held) {
        CompactMapping lower = mapping;
        std::uint8_t& cut = lower.stationary[one.operand][one.level];
        const int below = one.level > 0 ? lower.stationary[one.operand][one.level - 1] : 0;
        if (one.top || cut <= below) continue;
        --cut;
        for (const MappingCheck::Room& room : check_.needed_room(lower)) {
          if (room.memory != memory || !(room.bits < least)) continue;
          least = room.bits;
          best = lower;
        }
      }
      if (!best) return "with fewer loops it does not fit either, as the memories below have so many";
      mapping = *best;
      if (least <= static_cast<double>(accelerator_.memories[memory].size))
        return "the nearest that works there is " + words_of(held, mapping);
    }
  }

  const Layer& layer_;
  const Accelerator& accelerator_;
  MappingCheck check_;
};

}  // namespace

std::string cuts_of_other_memories(const Layer& layer, const Accelerator& accelerator) {
  const MemoryHierarchy& hierarchy = accelerator.hierarchy();
  for (const OperandCuts& operand : layer.mapping.cuts) {
    const int index = layer.operand_index(operand.operand);
    const int held = index < 0 ? -1 : hierarchy.operand_index(layer.memory_operand(index));
    if (held < 0) continue;
    std::vector<std::string> memories;
    for (const int memory : hierarchy.levels[held]) memories.push_back(accelerator.memories[memory].name);
    std::vector<std::string> named;
    for (const MemoryCut& cut : operand.memories) named.push_back(cut.memory);
    const auto first_outside = [&](const std::vector<std::string>& some,
                                   const std::vector<std::string>& others) {
      return std::find_if(some.begin(), some.end(), [&](const std::string& one) {
        return std::find(others.begin(), others.end(), one) == others.end();
      });
    };
    if (const auto other = first_outside(named, memories); other != named.end())
      return fmt::format("{} in '{}'", operand.operand, *other);
    if (const auto other = first_outside(memories, named);
        other != memories.end() && *other != memories.back())
      return fmt::format("{} in '{}'", operand.operand, *other);
  }
  return "";
}

void cut_as_prescribed(const Layer& layer, const Accelerator& accelerator,
                       const SpatialMapping& spatial_mapping, const std::vector<OperandCuts>& cuts,
                       MappingType type, const Rules& rules, CompactMapping& mapping) {
  CutsReader(layer, accelerator, cuts).read(mapping);
  LoopAllocator allocator(layer, accelerator, spatial_mapping, type, rules);
  CompactMapping greedy = mapping;
  const auto same = [&](std::size_t operand) {
    const auto& own = greedy.stationary[operand];
    return std::equal(own.begin(), own.begin() + allocator.levels(static_cast<int>(operand)),
                      mapping.stationary[operand].begin());
  };
  bool is_greedy = allocator.allocate(greedy);
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand)
    is_greedy = is_greedy && same(operand);
  if (is_greedy) {
    mapping = greedy;
    return;
  }
  mapping.allocated = mapping.stationary;
  RoomForCuts(layer, accelerator, spatial_mapping, rules).require(mapping);
}

}  // namespace zz::core
