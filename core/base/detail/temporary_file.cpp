#include "core/base/detail/temporary_file.hpp"

#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/utf8.hpp"

namespace zz::core {
namespace {

/// More writers of one file than that are an accident.
constexpr int most_writers = 1000;

std::string temporary_path(const std::string& path, int writer) {
  const std::filesystem::path whole(path);
  const std::string ending = writer == 1 ? ".part" : ".part-" + std::to_string(writer);
  const std::string name(utf8_prefix(whole.filename().native(), NAME_MAX - ending.size()));
  return (whole.parent_path() / (name + ending)).string();
}

/// Whether `path` still names the open file, and nobody has replaced it since.
bool still_names(const std::string& path, int file) {
  struct stat opened {
  }, named{};
  return ::fstat(file, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

enum class Lock { mine, held, unsupported };

Lock lock(int file) {
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return Lock::mine;
  return errno == EWOULDBLOCK ? Lock::held : Lock::unsupported;
}

/// Deletes what an ended process left under that name. False when somebody writes it, or when it is none of
/// our files.
bool remove_stale(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return errno == ENOENT;
  struct stat status {};
  const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const bool stale = regular && lock(file) == Lock::mine;
  const bool removed = stale && (!still_names(path, file) || ::unlink(path.c_str()) == 0);
  ::close(file);
  return removed;
}

}  // namespace

TemporaryFile make_temporary_file(const std::string& path) {
  for (int writer = 1; writer <= most_writers;) {
    std::string name = temporary_path(path, writer);
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0) {
      // Between making and locking it another writer may have taken it for stale.
      if (lock(file) != Lock::held && still_names(name, file)) return {file, std::move(name), 0};
      ::close(file);
    } else if (errno != EEXIST) {
      return {-1, {}, errno};
    } else if (!remove_stale(name)) {
      ++writer;
    }
  }
  return {-1, {}, EEXIST};
}

}  // namespace zz::core
