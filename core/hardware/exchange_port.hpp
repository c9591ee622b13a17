#pragma once
#include <cstdint>

#include "core/hardware/accelerator.hpp"

namespace zz::core {

/// The port through which layers of a group hand tensors on within a memory, and the memory behind it
/// (core/search/fused/exchange_memories.hpp). No file names such a port; results have it.
inline constexpr const char* exchange_port_name = "exchange";
/// So wide that no transfer of whole tensors takes an access or a cycle: beyond what a file may say.
inline constexpr std::int64_t exchange_port_width = std::int64_t{1} << 54;

inline bool is_exchange_port(const Port& port) {
  return port.name == exchange_port_name && port.bandwidth_max == exchange_port_width;
}

}  // namespace zz::core
