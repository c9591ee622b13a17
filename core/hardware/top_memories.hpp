#pragma once
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/hardware/multi_core_accelerator.hpp"

namespace zz::core {

/// The memories of a core in which some operand has its home, as indices in file order.
std::vector<int> top_memory_indices(const Accelerator& core);

/// Bits per cycle of the widest port that reads (writes); that of the other direction when there is none.
std::int64_t read_bandwidth(const Memory& memory);
std::int64_t write_bandwidth(const Memory& memory);

/// The same that long transfers reach (Port::bandwidth()).
double read_rate(const Memory& memory);
double write_rate(const Memory& memory);

/// For each core the lowest id among the cores that it shares memories with, itself included.
std::vector<int> sharing_groups(const MultiCoreAccelerator& accelerator);

/// True when both cores have a top memory of one name, which is then the same memory if they share
/// memories.
bool have_common_top_memory(const Accelerator& core, const Accelerator& other);

}  // namespace zz::core
