#include "host/base/stage_libraries.hpp"

#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <mutex>
#include <sched.h>

namespace zz::host {
namespace {

constexpr int most_frames = 64;
constexpr int most_labels = 4;
constexpr int most_asked = 10000;

std::mutex mutex;
std::atomic<StageInLibrary*> newest{nullptr};  // written under the mutex

const void* library_of(const void* address) {
  Dl_info info{};
  return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

/// Labels in memory that is there when a handler needs it.
class Labels {
 public:
  void add(const char* label) {
    if (count_ == most_labels || std::strstr(text_, label) != nullptr) return;
    append(count_++ == 0 ? "" : " or ");
    append(label);
  }
  void clear() {
    text_[0] = '\0';
    count_ = 0;
  }
  const char* text() const { return count_ == 0 ? nullptr : text_; }

 private:
  void append(const char* more) { std::strncat(text_, more, sizeof text_ - std::strlen(text_) - 1); }
  char text_[2048] = "";
  int count_ = 0;
};

}  // namespace

StageInLibrary::StageInLibrary(const char* label, const void* anchor)
    : label_(label), library_(library_of(anchor)) {
  const std::lock_guard lock(mutex);
  before_ = newest;
  if (before_ != nullptr) before_->after_ = this;
  newest = this;
}

StageInLibrary::~StageInLibrary() {
  const std::lock_guard lock(mutex);
  if (before_ != nullptr) before_->after_ = after_;
  if (after_ != nullptr)
    after_->before_ = before_;
  else
    newest = before_;
}

const char* stage_of_frames(void* const* frames, int count) {
  thread_local Labels labels;
  // Others let go in a moment; this thread may hold it itself, where it crashed.
  for (int asked = 1; !mutex.try_lock(); ++asked) {
    if (asked == most_asked) return nullptr;
    ::sched_yield();
  }
  labels.clear();
  for (int i = 0; i < count && labels.text() == nullptr; ++i) {
    const void* const library = library_of(frames[i]);
    for (const StageInLibrary* stage = newest; library != nullptr && stage != nullptr;
         stage = stage->before_)
      if (stage->library_ == library) labels.add(stage->label_);
  }
  mutex.unlock();
  return labels.text();
}

const char* stage_of_own_thread() {
  void* frames[most_frames];
  return stage_of_frames(frames, backtrace(frames, most_frames));
}

/// Without the lock: a handler of a signal may ask, while its thread holds it.
bool has_stages() { return newest != nullptr; }

void prepare_stage_of_own_thread() {
  void* frame = nullptr;
  backtrace(&frame, 1);  // the first call loads a library
}

}  // namespace zz::host
