#include "core/base/unfinished_files.hpp"

#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace zz::core {
namespace {

enum class Use { free, changing, unfinished };

/// Paths are copied, so that a handler never reads memory that another thread frees.
struct Slot {
  std::atomic<Use> use{Use::free};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<Use>::is_always_lock_free);

/// More files than that are rarely open; a file without a slot is taken over by the next run that writes
/// it.
std::array<Slot, 64> slots;

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) {
  if (path.size() >= PATH_MAX) return;
  for (int i = 0; i < static_cast<int>(slots.size()); ++i) {
    Use expected = Use::free;
    if (!slots[i].use.compare_exchange_strong(expected, Use::changing)) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].use = Use::unfinished;
    slot_ = i;
    return;
  }
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

UnfinishedFile::~UnfinishedFile() {
  if (slot_ >= 0) slots[slot_].use = Use::free;
}

void remove_unfinished_files() noexcept {
  for (const Slot& slot : slots) {
    if (slot.use == Use::unfinished) ::unlink(slot.path.data());
  }
}

}  // namespace zz::core
