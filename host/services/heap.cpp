#include "host/services/heap.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/services/small_blocks.hpp"

namespace zz::host {
namespace {

constexpr std::uintptr_t huge_page = 2 << 20;
/// What a run over a usual network touches of small objects, and with all others a huge page.
constexpr std::size_t usual_small_blocks = 768 << 10;

/// What the heap must not use again. Volatile so that leak checkers find it: nobody reads it.
void* volatile kept = nullptr;

}  // namespace

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
}

void fetch_usual_memory() {
#ifdef MADV_POPULATE_WRITE
  void* const room = std::malloc(2 * huge_page);
  if (room == nullptr) return;
  const auto start = reinterpret_cast<std::uintptr_t>(room);
  const std::uintptr_t begin = (start / huge_page + 1) * huge_page;
  // Where there are no huge pages, and before Linux 5.14, the system refuses, and nothing is lost.
  madvise(reinterpret_cast<void*>(begin), huge_page, MADV_HUGEPAGE);
  madvise(reinterpret_cast<void*>(begin), huge_page, MADV_POPULATE_WRITE);
  use_for_small_blocks(reinterpret_cast<std::byte*>(begin), usual_small_blocks);
  // The heap goes on behind the small blocks. What is kept from it before is never touched, so takes no
  // memory.
  kept = std::realloc(room, begin + usual_small_blocks - start);
#endif
}

}  // namespace zz::host
