#include "host/services/small_blocks.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ZZ_WATCHED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ZZ_WATCHED
#endif
#endif

#ifdef ZZ_WATCHED

namespace zz::host {
void use_for_small_blocks(std::byte*, std::size_t) {}
}  // namespace zz::host

#else

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <utility>

namespace zz::host {
namespace {

constexpr std::size_t step = 16;
constexpr std::size_t sizes = largest_small_block / step;
/// All blocks of a page are of one size. It begins with a number that tells which.
constexpr std::size_t page_bytes = 4096;
/// What a thread takes at a time. What it has left of that in the end is lost, but was never touched.
constexpr std::size_t span_bytes = 64 << 10;
/// Addresses, not memory: what is not touched costs nothing.
constexpr std::size_t room_bytes = std::size_t{16} << 30;
/// Blocks of one size that a thread keeps before it hands half of them to the others.
constexpr std::ptrdiff_t most_kept = 4096;

/// While it is free, a block holds its place in a list, and the first block of a list the list after it.
struct Block {
  Block* next;
  Block* next_list;
};

struct Kept {
  Block* first = nullptr;
  /// About how many more there may be. None until the thread has met the size.
  std::ptrdiff_t room = 0;
};

struct Span {
  std::byte* begin = nullptr;
  std::byte* end = nullptr;

  bool holds(const void* place) const {
    return std::greater_equal<const void*>()(place, begin) && std::less<const void*>()(place, end);
  }
};

/// What all threads share.
class Shared {
 public:
  /// No bytes if there is no room.
  Span take() {
    const std::scoped_lock lock(mutex_);
    if (free_ == nullptr && !refused_) reserve();
    if (static_cast<std::size_t>(end_ - free_) < span_bytes) return {};
    return {free_, free_ += span_bytes};
  }

  /// Memory that is not from here. [main, before any thread]
  void add(Span added) { added_ = added; }

  /// Any block of a thread that asks was given out after the room was there; of others it does not matter
  /// whether the thread sees it yet.
  bool holds(const void* block) const {
    const std::uintptr_t begin = begin_.load(std::memory_order_relaxed);
    return (begin != 0 && reinterpret_cast<std::uintptr_t>(block) - begin < room_bytes) ||
           added_.holds(block);
  }

  void hand_over(std::size_t size, Block* list) {
    const std::scoped_lock lock(mutex_);
    list->next_list = lists_[size];
    lists_[size] = list;
  }

  Block* take_list(std::size_t size) {
    const std::scoped_lock lock(mutex_);
    Block* const list = lists_[size];
    if (list != nullptr) lists_[size] = list->next_list;
    return list;
  }

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  void reserve();

  std::mutex mutex_;
  std::atomic<std::uintptr_t> begin_ = 0;  ///< of the room
  std::byte* free_ = nullptr;
  std::byte* end_ = nullptr;
  Span added_;
  bool refused_ = false;
  std::array<Block*, sizes> lists_{};
};

constinit Shared shared;

void Shared::reserve() {
  void* const begin =
      mmap(nullptr, room_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  refused_ = begin == MAP_FAILED;
  if (refused_) return;
  free_ = static_cast<std::byte*>(begin);
  end_ = free_ + room_bytes;
  begin_.store(reinterpret_cast<std::uintptr_t>(begin), std::memory_order_relaxed);
  // A child process must not find the room locked by a thread that it does not have.
  pthread_atfork([] { shared.lock(); }, [] { shared.unlock(); }, [] { shared.unlock(); });
}

constinit thread_local std::array<Kept, sizes> kept;
constinit thread_local Span span;

/// Leaves the lists of a thread that ends to the others.
struct Leaving {
  ~Leaving() {
    for (std::size_t size = 0; size < sizes; ++size)
      if (Block* const list = std::exchange(kept[size].first, nullptr)) shared.hand_over(size, list);
  }
};

void leave_lists_at_end() { thread_local Leaving leaving; }

[[gnu::noinline]] void* allocate_large(std::size_t bytes) {
  while (true) {
    if (void* const block = std::malloc(std::max<std::size_t>(bytes, 1))) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

/// All pages in one call of the system, which costs two thirds of what fetching each on first touch does.
/// Where the system cannot do that, before Linux 5.14, nothing is lost.
void fetch([[maybe_unused]] Span pages) {
#ifdef MADV_POPULATE_WRITE
  madvise(pages.begin, static_cast<std::size_t>(pages.end - pages.begin), MADV_POPULATE_WRITE);
#endif
}

/// Fills the empty list of a size and returns a block of it.
[[gnu::noinline]] void* allocate_slowly(std::size_t size) {
  leave_lists_at_end();
  Kept& list = kept[size];
  if (Block* const others = shared.take_list(size)) {
    list.first = others->next;
    list.room = most_kept / 2;
    return others;
  }
  const std::size_t bytes = (size + 1) * step;
  if (span.begin == span.end) {
    span = shared.take();
    if (span.begin == span.end) return allocate_large(bytes);
    fetch(span);
  }
  std::byte* const page = span.begin;
  span.begin += page_bytes;
  new (page) std::size_t{size};
  std::byte* const first = page + step;
  const std::size_t blocks = (page_bytes - step) / bytes;
  for (std::byte* at = first + (blocks - 1) * bytes; at > first; at -= bytes)
    list.first = new (at) Block{list.first, nullptr};
  list.room -= static_cast<std::ptrdiff_t>(blocks);
  return first;
}

/// Hands half of a list to the others if it is as long as it seems.
[[gnu::noinline]] void make_room(std::size_t size) {
  leave_lists_at_end();
  Kept& list = kept[size];
  Block* last = list.first;
  std::ptrdiff_t passed = 1;
  for (; passed < most_kept / 2 && last->next != nullptr; ++passed) last = last->next;
  list.room = most_kept - passed;
  if (last->next == nullptr) return;
  Block* const rest = last->next;
  last->next = nullptr;
  shared.hand_over(size, list.first);
  list.first = rest;
}

/// Where in the lists a block of so many bytes belongs; `sizes` or more if it is not small.
std::size_t size_of(std::size_t bytes) { return (bytes - 1) / step; }

void* allocate(std::size_t bytes) {
  const std::size_t size = size_of(bytes);
  if (size >= sizes) [[unlikely]]
    return allocate_large(bytes);
  Kept& list = kept[size];
  Block* const block = list.first;
  if (block == nullptr) [[unlikely]]
    return allocate_slowly(size);
  list.first = block->next;
  ++list.room;
  return block;
}

void keep(void* block, std::size_t size) {
  Kept& list = kept[size];
  Block* const free = new (block) Block;
  free->next = list.first;
  list.first = free;
  if (--list.room < 0) [[unlikely]]
    make_room(size);
}

void release(void* block, std::size_t bytes) {
  const std::size_t size = size_of(bytes);
  if (size >= sizes) [[unlikely]]
    std::free(block);
  else if (block != nullptr)
    keep(block, size);
}

/// Of a block whose size nobody tells.
void release(void* block) {
  if (!shared.holds(block)) return std::free(block);
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(block) / page_bytes * page_bytes;
  keep(block, *reinterpret_cast<std::size_t*>(page));
}

}  // namespace

void use_for_small_blocks(std::byte* begin, std::size_t bytes) {
  span = {begin, begin + bytes / page_bytes * page_bytes};
  shared.add(span);
}

}  // namespace zz::host

void* operator new(std::size_t bytes) { return zz::host::allocate(bytes); }
void operator delete(void* block) noexcept { zz::host::release(block); }
void operator delete(void* block, std::size_t bytes) noexcept { zz::host::release(block, bytes); }
void operator delete[](void* block) noexcept { zz::host::release(block); }
void operator delete[](void* block, std::size_t bytes) noexcept { zz::host::release(block, bytes); }

#endif
