#include "core/files/new_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>
#include <utility>

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
  static std::atomic<unsigned> counter{0};
  path_ = std::move(path);
  temporary_ = path_ + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  const auto try_open = [&] {
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file_ >= 0;
  };
  if (try_open()) return;
  if (errno != ENOENT) fail(errno);
  make_folder_of(path_);
  if (!try_open()) fail(errno);
}

void NewFile::write_whole(std::string path, std::string_view content) {
  NewFile file;
  file.open(std::move(path));
  file.write(content);
  file.commit();
}

NewFile::~NewFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(temporary_.c_str());
}

void NewFile::fail(int error) {
  if (file_ >= 0) {
    ::close(std::exchange(file_, -1));
    ::unlink(temporary_.c_str());
  }
  cannot_write(path_, error);
}

void NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void NewFile::commit() {
  const int closed = ::close(std::exchange(file_, -1));
  if (closed == 0 && std::rename(temporary_.c_str(), path_.c_str()) == 0) return;
  const int error = errno;
  ::unlink(temporary_.c_str());
  fail(error);
}

void check_new_file(const std::string& path) {
  make_folder_of(path);
  refuse_folder(path);
  if (::access(folder_of(path).c_str(), W_OK | X_OK) != 0) cannot_write(path, errno);
}

}  // namespace zz::core
