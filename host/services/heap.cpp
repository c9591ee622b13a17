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
/// What a run over a usual network touches besides its tables of results.
constexpr std::size_t usual_memory = huge_page;
constexpr std::size_t usual_small_blocks = huge_page;

}  // namespace

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
}

void fetch_usual_memory() {
  fetch_small_blocks(usual_small_blocks);
#ifdef MADV_POPULATE_WRITE
  void* const room = std::malloc(huge_page + usual_memory);
  if (room == nullptr) return;
  const auto start = reinterpret_cast<std::uintptr_t>(room);
  const std::uintptr_t begin = (start / huge_page + 1) * huge_page;
  // Where there are no huge pages, and before Linux 5.14, the system refuses, and nothing is lost.
  madvise(reinterpret_cast<void*>(begin), usual_memory, MADV_HUGEPAGE);
  madvise(reinterpret_cast<void*>(begin), usual_memory, MADV_POPULATE_WRITE);
  // The heap goes on where the first huge page begins. What is kept from it is never touched, so takes no
  // memory.
  [[maybe_unused]] static void* const skipped = std::realloc(room, begin - start);
#endif
}

}  // namespace zz::host
