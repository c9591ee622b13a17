#include "host/plugins/crashed_library.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <sstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

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

/// A line that names this process among those of all machines.
std::string own_process() {
  char machine[256] = "";
  ::gethostname(machine, sizeof machine - 1);
  return fmt::format("{} {}\n", ::getpid(), machine);
}

/// The mark is of a process that is loading the library now, or may be, on another machine.
bool is_being_loaded(const std::string& process) {
  const std::string own = own_process();
  if (process.substr(process.find(' ') + 1) != own.substr(own.find(' ') + 1)) return true;
  return ::kill(static_cast<pid_t>(std::strtol(process.c_str(), nullptr, 10)), 0) == 0;
}

std::string content_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

LoadingMark::LoadingMark(const std::string& library) {
  const std::string folder = user_folder("XDG_CACHE_HOME", ".cache", "zz");
  const std::string version = state_of(library);
  if (folder.empty() || version.empty()) return;
  const std::string mark = fmt::format("{}/loading-{:016x}", folder, std::hash<std::string>()(library));
  if (const std::string left = content_of(mark);
      left.starts_with(version) && !is_being_loaded(left.substr(version.size()))) {
    reason_ = fmt::format(
        "ended the program when it was loaded last, and is passed over until it changes; "
        "to try it again, remove {}",
        mark);
    return;
  }
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  // Two processes that load one library write the same, and who is left without a mark loads it all the
  // same.
  std::ofstream(mark) << version << own_process();
  file_ = mark;
}

LoadingMark::~LoadingMark() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

}  // namespace zz::host
