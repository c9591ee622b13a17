#pragma once
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/loop_path.hpp"
#include "core/search/loma/allocation_tables.hpp"

namespace zz::core {

/// Why an order cannot be shared out.
struct AllocationFailure {
  int memory = -1;   ///< index into Accelerator::memories
  int operand = -1;  ///< that the memory is too small for; -1: all that share it
};

/// Fills the cuts of `mapping` for the order that goes along the path: the same ones as LoopAllocator
/// computes, looked up. False: some memory is too small, which `failure` tells.
bool allocate_by_tables(const AllocationTables& tables, const LoopPath& path, MappingType type,
                        CompactMapping& mapping, AllocationFailure& failure);

}  // namespace zz::core
