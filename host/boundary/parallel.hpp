#pragma once
#include <cstdint>

#include "zz/stage_abi.h"

namespace zz::host {

// Limits of docs/limits.md.
inline constexpr unsigned most_threads = 1024;

/// Threads of a run that was given this number of them: 0 stands for as many as the machine has.
unsigned threads_for(unsigned wanted);

/// The extension "zz.parallel/0".
extern const zz_parallel parallel_table;

}  // namespace zz::host
