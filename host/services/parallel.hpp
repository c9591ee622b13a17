#pragma once
#include <cstdint>

#include "zz/stage_abi.h"

namespace zz::host {

/// Sets how many threads loops may use, with the calling one; 0: as many as the machine has. To be called
/// before the first loop. [main]
void set_thread_count(unsigned threads);

/// The extension "zz.parallel/0".
extern const zz_parallel parallel_table;

}  // namespace zz::host
