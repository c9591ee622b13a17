#include "host/services/heap.hpp"

#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace zz::host {
namespace {

/// What a run over a usual network touches besides its tables of results.
constexpr std::size_t usual_memory = 4 << 20;

}  // namespace

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
}

void fetch_usual_memory() {
#ifdef MADV_POPULATE_WRITE
  void* const room = std::malloc(usual_memory);
  if (room == nullptr) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(room) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(room) + usual_memory) / page * page;
  // Systems before Linux 5.14 refuse, and nothing is lost.
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
  std::free(room);
#endif
}

}  // namespace zz::host
