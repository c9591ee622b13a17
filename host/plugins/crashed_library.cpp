#include "host/plugins/crashed_library.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include "host/base/last_words.hpp"
#include "host/plugins/search_path.hpp"

namespace zz::host {
namespace {

/// The library as it is now: its name, and what changes when it is built again. "": it is not there.
std::string state_of(const std::string& library) {
  struct stat status {};
  if (::stat(library.c_str(), &status) != 0) return "";
  return fmt::format("{}\n{} {} {}\n", library, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

std::string content_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

LoadingMark::LoadingMark(const std::string& library)
    : folder_(user_folder("XDG_CACHE_HOME", ".cache", "zz")), state_(state_of(library)) {
  if (folder_.empty() || state_.empty()) return;
  file_ = fmt::format("{}/crashed-{:016x}", folder_, std::hash<std::string>()(library));
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
