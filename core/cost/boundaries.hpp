#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/cost/cost_tables.hpp"

namespace zz::core {

/// The boundary over which a service of a port moves data, as an architecture level of its operand. Nothing
/// where no data pass: inputs do not travel up, and nothing lies above the topmost memory.
std::optional<int> boundary_of(const CostTables& tables, const Service& service);

/// The service moves partial sums of the output that return towards the units.
bool returns_partial_sums(const CostTables& tables, const Service& service);

/// The boundaries between the levels of a layer's operands, and who shares ports and memories there: what
/// combining the costs of boundaries needs to know, for every mapping the same.
///
/// The boundary of an architecture level is its lower side: level 0 lies between the units and the lowest
/// memory, the last one above the topmost memory, where nothing passes. Boundaries are numbered by operand,
/// then by level.
class Boundaries {
 public:
  static constexpr int most = max_operands * (max_memory_levels + 1);

  explicit Boundaries(const CostTables& tables);

  struct Boundary {
    int operand, level;  ///< architecture level
    bool top;            ///< above the topmost memory
  };
  const std::vector<Boundary>& all() const { return all_; }
  const Boundary& operator[](int boundary) const { return all_[static_cast<std::size_t>(boundary)]; }
  /// The number of an operand's boundary.
  int number(int operand, int level) const { return lowest_[operand] + level; }

  /// A transfer that a port may serve.
  struct PortUse {
    int boundary;
    int direction;
    bool below;              ///< at a port of the memory below the boundary, not of that above
    bool partial_sums_back;  ///< only where partial sums return; never counts as loading
  };
  struct Port {
    double bandwidth = 0;  ///< PortTable
    std::vector<PortUse> uses;
    int memory = 0, port = 0;             ///< index into Accelerator::memories and Memory::ports
    double overlap = 1, line_cycles = 0;  ///< PortTable
  };
  const std::vector<Port>& ports() const { return ports_; }
  /// Those with an overlap below 1, by position in ports().
  const std::vector<std::size_t>& partly_hiding() const { return partly_hiding_; }
  /// The longest PortTable::line_cycles.
  double line_cycles() const { return line_cycles_; }

  /// Portions over the boundary follow each other after so many cycles at least.
  struct Paced {
    int boundary;
    double interval;
  };
  const std::vector<Paced>& paced() const { return paced_; }
  /// Those over which shared tiles come (CostTables), one bit each.
  std::uint64_t tiles() const { return tiles_; }

  /// Tells if the ports below and above a boundary of an input serve both inputs.
  struct Sharing {
    bool below = false, above = false;
  };
  const Sharing& sharing(int boundary) const { return sharing_[boundary]; }

  /// A memory as those operands see it that share it.
  struct SharedMemory {
    std::vector<int> holders;  ///< their boundaries above it, in the order in which shares are added
    double size = 0;           ///< bits
    bool shared = false;       ///< by the tables' groups; else one operand has it for itself
  };
  /// Those that somebody passes data on from.
  const std::vector<SharedMemory>& memories() const { return memories_; }
  /// The holders of all of these, one bit each.
  std::uint64_t holders() const { return holders_; }

 private:
  void list_ports(const CostTables& tables);
  void list_memories(const CostTables& tables);

  std::vector<Boundary> all_;
  std::array<int, max_operands> lowest_{};
  std::vector<Port> ports_;
  std::array<Sharing, most> sharing_{};
  std::vector<std::size_t> partly_hiding_;
  double line_cycles_ = 0;
  std::vector<Paced> paced_;
  std::uint64_t tiles_ = 0;
  std::vector<SharedMemory> memories_;
  std::uint64_t holders_ = 0;
};

}  // namespace zz::core
