#include "core/base/new_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "core/base/short_quotes.hpp"
#include "core/base/text.hpp"

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

/// True if `path` still names the open file, and nobody has replaced it since.
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

/// A new file beside `path`, called "<name>.part" or, when another writer has that, "<name>.part-2" and so
/// on. The file is locked as long as it is open, so a file that an ended process left is told from one that
/// is being written, whatever the process was called: it is deleted and its name is used again.
struct TemporaryFile {
  int file = -1;  ///< open for writing; -1: not made
  std::string path;
  int error = 0;  ///< errno when it was not made
};

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

enum class Use { free, changing, unfinished };

/// Paths are copied, so that a handler never reads memory that another thread frees.
struct Slot {
  std::atomic<Use> use{Use::free};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<Use>::is_always_lock_free);

/// More files than that are rarely open; a file without a slot is taken over by the next run that writes
/// it.
std::array<Slot, 64> slots;

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) {
  if (path.size() >= PATH_MAX) return;
  for (int i = 0; i < static_cast<int>(slots.size()); ++i) {
    Use expected = Use::free;
    if (!slots[i].use.compare_exchange_strong(expected, Use::changing)) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].use = Use::unfinished;
    slot_ = i;
    return;
  }
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

UnfinishedFile::~UnfinishedFile() {
  if (slot_ >= 0) slots[slot_].use = Use::free;
}

void remove_unfinished_files() noexcept {
  for (const Slot& slot : slots) {
    if (slot.use == Use::unfinished) ::unlink(slot.path.data());
  }
}

namespace {

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw std::runtime_error(with_short_quotes("cannot write '" + path + "': ") + std::strerror(error));
}

/// "." for a file of the working folder.
std::filesystem::path folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

void make_folder_of(const std::string& path) {
  const auto folder = folder_of(path);
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem)
    throw std::runtime_error(with_short_quotes("cannot create the folder '" + folder.string() + "': ") +
                             problem.message());
}

/// A rename onto a folder would only fail after all the work.
void refuse_folder(const std::string& path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) cannot_write(path, EISDIR);
}

}  // namespace

NewFile::NewFile(std::string path) {
  refuse_folder(path);
  open(std::move(path));
}

void NewFile::open(std::string path) {
  check_written_path(path);
  path_ = std::move(path);
  TemporaryFile made = make_temporary_file(path_);
  if (made.error == ENOENT) {
    make_folder_of(path_);
    made = make_temporary_file(path_);
  }
  if (made.file < 0) fail(made.error);
  file_ = made.file;
  temporary_ = std::move(made.path);
  unfinished_ = UnfinishedFile(temporary_);
}

void NewFile::write_whole(std::string path, std::string_view content) {
  NewFile file;
  file.open(std::move(path));
  file.write(content);
  file.commit();
}

NewFile::~NewFile() { drop(); }

void NewFile::drop() {
  if (file_ < 0) return;
  ::unlink(temporary_.c_str());
  ::close(std::exchange(file_, -1));
  unfinished_ = {};
}

void NewFile::fail(int error) {
  drop();
  cannot_write(path_, error);
}

void NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    // A device that takes nothing would otherwise be asked for ever.
    if (count <= 0) fail(count < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void NewFile::commit_as(std::string path) {
  check_written_path(path);
  path_ = std::move(path);
  commit();
}

void NewFile::commit() {
  // Some file systems tell of a full disk at the end only. The second descriptor holds the lock until the
  // file has its name.
  const int second = ::dup(file_);
  if (second < 0) fail(errno);
  const int written = std::exchange(file_, second);
  if (::close(written) != 0 && errno != EINTR) fail(errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  unfinished_ = {};
  ::close(std::exchange(file_, -1));
}

void check_new_file(const std::string& path) {
  check_written_path(path);
  if (std::filesystem::path(path).filename().native().size() > NAME_MAX) cannot_write(path, ENAMETOOLONG);
  make_folder_of(path);
  refuse_folder(path);
  if (::access(folder_of(path).c_str(), W_OK | X_OK) != 0) cannot_write(path, errno);
}

namespace {

/// Never destroyed: threads may write until the end. Empty: anywhere.
std::filesystem::path& only_folder() {
  static auto* const folder = new std::filesystem::path;
  return *folder;
}

}  // namespace

void write_only_below(const std::string& folder) { only_folder() = std::filesystem::canonical(folder); }

void check_written_path(const std::string& path) {
  // The system would read the name up to there, and all that is checked is the whole.
  if (path.find('\0') != std::string::npos)
    throw std::runtime_error("cannot write '" + std::string(path.c_str()) +
                             "...': the name of a file has no byte 0");
  const std::filesystem::path& folder = only_folder();
  if (folder.empty()) return;
  std::error_code problem;
  const std::filesystem::path real =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path).parent_path(), problem);
  const bool below =
      !problem &&
      std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first == folder.end();
  if (!below)
    throw std::runtime_error(with_short_quotes(
        "cannot write '" + path + "': files are written only below '" + folder.string() + "'"));
}

std::string place_of_file(const std::string& path) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error("cannot use '" + shown_text(path) + "': " + why);
  };
  if (path.find('\0') != std::string::npos) refuse("the name of a file has no byte 0");
  constexpr int most_links = 40;  // as Linux has it
  std::error_code problem;
  fs::path place = fs::absolute(path, problem);
  for (int links = 0; fs::is_symlink(place, problem); ++links) {
    if (links == most_links) refuse("its links lead in a circle");
    const fs::path target = fs::read_symlink(place, problem);
    if (problem) refuse(problem.message());
    place = place.parent_path() / target;
  }
  const fs::path folder = fs::weakly_canonical(place.parent_path(), problem);
  if (problem) refuse(problem.message());
  place = folder / place.filename();
  const fs::file_status status = fs::status(place, problem);
  if (fs::exists(status) && !fs::is_regular_file(status))
    refuse(fs::is_directory(status) ? "it is a folder" : "it is no regular file");
  return place.string();
}

}  // namespace zz::core
