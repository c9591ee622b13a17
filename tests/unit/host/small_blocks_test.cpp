#include "host/services/small_blocks.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <memory>
#include <new>
#include <set>
#include <thread>
#include <vector>

// The test program takes its memory from there as well, so that every other test is one of it, too.
namespace {

using zz::host::largest_small_block;

TEST_CASE("small blocks: of every size, apart from each other, aligned") {
  struct Held {
    unsigned char* block;
    std::size_t bytes;
  };
  std::vector<Held> held;
  for (int round = 0; round < 3; ++round)
    for (std::size_t bytes = 0; bytes <= largest_small_block + 40; ++bytes) {
      auto* const block = static_cast<unsigned char*>(::operator new(bytes));
      CHECK(reinterpret_cast<std::uintptr_t>(block) % 16 == 0);
      std::memset(block, static_cast<int>(bytes % 251), bytes);
      held.push_back({block, bytes});
    }
  int damaged = 0;
  for (const Held& one : held)
    for (std::size_t at = 0; at < one.bytes; ++at) damaged += one.block[at] != one.bytes % 251;
  CHECK(damaged == 0);
  // Half of them tell their size when they are dropped.
  for (std::size_t i = 0; i < held.size(); ++i)
    i % 2 == 0 ? ::operator delete(held[i].block)
               : std::allocator<unsigned char>().deallocate(held[i].block, held[i].bytes);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

using Small = std::array<std::byte, 48>;

/// Makes so many blocks and drops them on another thread; notes where they were.
void pass_on(int count, std::set<Small*>& places) {
  std::allocator<Small> memory;
  std::vector<Small*> blocks;
  for (int i = 0; i < count; ++i) blocks.push_back(memory.allocate(1));
  places.insert(blocks.begin(), blocks.end());
  std::thread([&] {
    for (Small* const block : blocks) memory.deallocate(block, 1);
  }).join();
}

TEST_CASE("small blocks: what other threads dropped is used again") {
  std::set<Small*> places;
  constexpr int count = 20000;
  for (int round = 0; round < 10; ++round) pass_on(count, places);
  CHECK(places.size() < 2 * count);
}

#endif

}  // namespace
