#pragma once

#include <cstddef>

namespace zz::host {

/// Memory for small objects: `operator new` and `operator delete` of the whole process, plugins included.
///
/// A run makes some thousand small objects for each layer and drops most of them soon after. What a thread
/// drops it keeps in lists, one for each sixteen bytes of size up to `largest_small_block`, and takes from
/// there next: a few instructions each way, where the system's allocator looks for neighbours to merge and
/// to split. Larger blocks are left to that, and so is everything where the system grants no room for small
/// ones
/// (`ulimit -v`) and in programs that sanitizers watch.
///
/// Small blocks are 16-byte aligned and never go back to the system. Of what a thread drops beyond a limit,
/// and of all that it leaves when it ends, other threads are served.
inline constexpr std::size_t largest_small_block = 512;

/// Has the calling thread make its next small blocks in this memory, which begins at a page and is given
/// away for good. Only speed depends on it. [main, before any thread, once]
void use_for_small_blocks(std::byte* begin, std::size_t bytes);

}  // namespace zz::host
