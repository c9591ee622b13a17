#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/components/component_cost.hpp"
#include "core/components/memory_cost.hpp"
#include "core/hardware/accelerator.hpp"

namespace zz::core::components {

/// Where the parts of an accelerator are made, and of what.
struct CostChoices {
  double node = 22;  ///< nm
  Transistors transistors = Transistors::high_performance;
  std::string dram = "lpddr4";  ///< the interface of memories whose type is "dram"
  std::string type = {};        ///< of the numbers of the units; "": integers of the array's precision
};

/// Answers for an SRAM, as sram_cost() does.
using SramSource = std::function<ComponentCost(const MemoryComponent&)>;

/// A part of an accelerator and what one instance of it costs.
struct PartCost {
  static constexpr const char* units = "units";
  std::string part;                 ///< the name of the memory, or `units`
  std::string component;            ///< "SRAM of 8192 bits, 32 wide"
  std::int64_t instances;           ///< on the accelerator
  std::vector<std::string> filled;  ///< the keys that the file left open
  ComponentCost cost;

  bool is_filled(const std::string& key) const {
    return std::find(filled.begin(), filled.end(), key) != filled.end();
  }
};

struct FilledAccelerator {
  Accelerator accelerator;      ///< without open costs
  std::vector<PartCost> parts;  ///< those that had open costs: units first, then memories in file order
};

/// Fills what an accelerator leaves open (core/hardware/open_costs.hpp). A memory is asked for by its type,
/// "sram", "rf", "dram" or an interface of DRAM; a read by the width of its first port that reads, a write
/// by that of the first that writes. An SRAM below the smallest size is a register file. Costs that are
/// told stay. What is filled has its range beside it (CostRange).
///
/// Throws InputError that names the part for which there is no answer. [any thread]
FilledAccelerator fill_open_costs(const Accelerator& accelerator, const CostChoices& choices,
                                  const SramSource& sram = sram_cost);

/// The same for one memory, whose part then counts one instance; nothing: none of its costs is open.
std::optional<PartCost> fill_open_costs(Memory& memory, const CostChoices& choices,
                                        const SramSource& sram = sram_cost);

/// mm2 of all units and memories, told ones included, without memories that `beside` (null: nothing) has,
/// too.
Estimate area_of(const FilledAccelerator& filled, const Accelerator* beside = nullptr);
/// The value of it, of an accelerator without open areas.
double area_of(const Accelerator& accelerator, const Accelerator* beside = nullptr);

/// mW of all instances on the chip, as far as they are known.
double leakage_of(const std::vector<PartCost>& parts);
/// ns of the slowest memory on the chip whose time is known; 0 when none is.
double access_time_of(const std::vector<PartCost>& parts);

}  // namespace zz::core::components
