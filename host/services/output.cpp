#include "host/services/output.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>

#include "host/values/error_sink.hpp"

namespace zz::host {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw std::runtime_error("cannot write '" + path + "': " + std::strerror(error));
}

/// Writes everything or returns the error.
int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

zz_status write(zz_place*, zz_str path, const char* data, std::size_t size, zz_error* error) noexcept {
  try {
    write_whole_file(std::string(path.p, path.n), std::string_view(data, size));
    return ZZ_OK;
  } catch (...) {
    return report_current_exception(error);
  }
}

}  // namespace

void write_whole_file(const std::string& path, std::string_view content) {
  static std::atomic<unsigned> counter{0};
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code problem;
  if (!folder.empty()) std::filesystem::create_directories(folder, problem);
  if (problem)
    throw std::runtime_error("cannot create the folder '" + folder.string() + "': " + problem.message());

  const std::string temporary =
      path + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail(path, errno);
  int error = write_all(file, content);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail(path, error);
  }
}

const zz_output output_table{sizeof(zz_output), write};

}  // namespace zz::host
