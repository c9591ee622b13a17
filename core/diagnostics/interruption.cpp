#include "core/diagnostics/interruption.hpp"

namespace zz::core {

std::atomic<bool> interruption_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace zz::core
