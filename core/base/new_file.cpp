#include "core/base/new_file.hpp"

#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>
#include <utility>

#include "core/base/detail/temporary_file.hpp"

namespace zz::core {
namespace {

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw std::runtime_error("cannot write '" + path + "': " + std::strerror(error));
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
    throw std::runtime_error("cannot create the folder '" + folder.string() + "': " + problem.message());
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
  if (std::filesystem::path(path).filename().native().size() > NAME_MAX) cannot_write(path, ENAMETOOLONG);
  make_folder_of(path);
  refuse_folder(path);
  if (::access(folder_of(path).c_str(), W_OK | X_OK) != 0) cannot_write(path, errno);
}

}  // namespace zz::core
