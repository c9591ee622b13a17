#pragma once
#include <cstdint>
#include <functional>

#include "zz/stage_abi.h"

namespace zz::host {

/// How many threads loops may use, the calling one included; 0: as many as the machine has. Takes effect
/// before the first loop. [main]
void set_thread_count(unsigned threads);

/// Calls body(i) once for every i < n on the pool and the calling thread; returns when all are done.
/// Calls may nest. [any]
void for_each_index(std::uint32_t n, const std::function<void(std::uint32_t)>& body);

/// The extension "zz.parallel/0".
extern const zz_parallel parallel_table;

}  // namespace zz::host
