#include "host/plugins/crashed_library.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "core/base/sha256.hpp"
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

}  // namespace

LoadingMark::LoadingMark(const std::string& library)
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
  leave_file_from_handler(folder_.c_str(), file_.c_str(), state_.c_str());
}

LoadingMark::~LoadingMark() { leave_file_from_handler(nullptr, nullptr, nullptr); }

}  // namespace zz::host
