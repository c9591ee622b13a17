#include "host/serve/line_input.hpp"

#include <cerrno>
#include <unistd.h>
#include <utility>

namespace zz::host {

bool LineInput::fill() {
  char bytes[65536];
  ssize_t size = 0;
  do {
    size = ::read(file_, bytes, sizeof bytes);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) {
    ended_ = true;
    return false;
  }
  waiting_.append(bytes, static_cast<std::size_t>(size));
  return true;
}

LineInput::Next LineInput::next(std::string& line) {
  const auto end = waiting_.find('\n', searched_);
  if (end == std::string::npos && !ended_) {
    searched_ = waiting_.size();
    if (searched_ <= most_line_bytes) return Next::none;
    too_long_ = true;
    waiting_.clear();
    waiting_.shrink_to_fit();
    searched_ = 0;
    return Next::none;
  }
  if (end == std::string::npos && waiting_.empty() && !too_long_) return Next::none;
  line = waiting_.substr(0, end);
  waiting_.erase(0, end == std::string::npos ? end : end + 1);
  searched_ = 0;
  const bool skipped = std::exchange(too_long_, false) || line.size() > most_line_bytes;
  return skipped ? Next::too_long : Next::line;
}

}  // namespace zz::host
