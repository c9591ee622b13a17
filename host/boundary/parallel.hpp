#pragma once
#include <cstdint>
#include <functional>

#include "zz/stage_abi.h"

namespace zz::host {

struct Run;

// Limits of docs/limits.md.
inline constexpr unsigned most_threads = 1024;

/// Threads of a run that was given this number of them: 0 stands for as many as the machine has.
unsigned threads_for(unsigned wanted);

/// Calls body(i) for each i < n on the threads of the run. `body` must not throw.
void for_each_on_threads(Run& run, std::uint32_t n, const std::function<void(std::uint32_t)>& body);

/// The extension "zz.parallel/0".
extern const zz_parallel parallel_table;

}  // namespace zz::host
