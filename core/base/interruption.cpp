#include "core/base/interruption.hpp"

namespace zz::core {

constinit thread_local const std::atomic<bool>* interruption = nullptr;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace zz::core
