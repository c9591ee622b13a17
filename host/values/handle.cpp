#include "host/values/handle.hpp"

thread_local constinit std::int64_t zz_value::handles_of_thread = 0;

namespace zz::host {
namespace {

std::atomic<std::int64_t> counted{0};

}  // namespace

void count_handles_of_thread() {
  if (zz_value::handles_of_thread == 0) return;
  counted.fetch_add(std::exchange(zz_value::handles_of_thread, 0), std::memory_order_relaxed);
}

std::int64_t live_handles() {
  count_handles_of_thread();
  return counted.load(std::memory_order_relaxed);
}

}  // namespace zz::host
