#include "host/plugins/crashed_library.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "core/base/sha256.hpp"
#include "host/base/cancellation.hpp"
#include "host/base/last_words.hpp"
#include "host/plugins/file_state.hpp"
#include "host/plugins/search_path.hpp"

namespace zz::host {
namespace {

std::string content_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

[[noreturn]] void end_of_patience(const std::string& library, std::chrono::milliseconds limit) {
  const std::string words = fmt::format("loading the plugin {} has taken {:g} s and does not end", library,
                                        std::chrono::duration<double>(limit).count());
  say_from_handler(
      ("\nzz-host: error: " + words + ": it is passed over from now on, until it changes\n").c_str());
  end_from_handler(ExitCode::stage_failed, words.c_str());
}

}  // namespace

LoadingMark::LoadingMark(const std::string& library, std::chrono::milliseconds limit)
    : folder_(user_folder("XDG_CACHE_HOME", ".cache", "zz")) {
  const FileState now = state_of(library);
  if (folder_.empty() || !now.is_there()) return;
  state_ = now.text();
  constexpr std::size_t enough = 16;
  file_ = fmt::format("{}/crashed-{}", folder_, core::sha256(library).substr(0, enough));
  if (const std::string left = content_of(file_); left == state_)
    reason_ = fmt::format(
        "ended the program when it was loaded last, and is passed over until it changes; "
        "to try it again, remove {}",
        file_);
  else if (!left.empty())
    ::unlink(file_.c_str());
  if (!reason_.empty()) return;
  leave_file_from_handler(folder_.c_str(), file_.c_str(), state_.c_str());
  const SignalsBlocked blocked;
  watch_ = std::thread([this, library, limit] {
    std::unique_lock<std::mutex> lock(mutex_);
    // In pieces: time in which the whole process is stopped counts as one of them.
    constexpr std::chrono::milliseconds piece{100};
    for (std::chrono::milliseconds left = limit; left.count() > 0; left -= std::min(left, piece))
      if (ended_.wait_for(lock, std::min(left, piece), [this] { return over_; })) return;
    end_of_patience(library, limit);
  });
}

LoadingMark::~LoadingMark() {
  if (watch_.joinable()) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      over_ = true;
    }
    ended_.notify_one();
    watch_.join();
  }
  leave_file_from_handler(nullptr, nullptr, nullptr);  // which the watch may use
}

}  // namespace zz::host
