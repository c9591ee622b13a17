#include "core/base/time_stamp.hpp"

#include <chrono>
#include <ctime>
#include <fmt/format.h>

namespace zz::core {

std::string time_stamp() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t whole = std::chrono::system_clock::to_time_t(now);
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  std::tm local{};
  ::localtime_r(&whole, &local);
  return fmt::format("{:04}-{:02}-{:02}T{:02}-{:02}-{:02}.{:06}", local.tm_year + 1900, local.tm_mon + 1,
                     local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec,
                     microseconds.count() % 1'000'000);
}

}  // namespace zz::core
