#include "core/base/files.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/python_module.hpp"

namespace zz::core {
namespace {

[[noreturn]] void refuse_input(const std::string& path, std::string message, std::string hint = "") {
  throw InputError({Diagnostic{Severity::error, SourceMark{path}, std::move(message), std::move(hint)}});
}

[[noreturn]] void refuse_input(const std::string& path, int error) {
  if (error == ENOENT && is_python_module_name(path))
    refuse_input(path, "there is no such file; this looks like the name of a Python module",
                 python_module_hint);
  if (error == ENOENT) refuse_input(path, "there is no such file", suggestion_of_path(path));
  if (error == ENXIO) refuse_input(path, "this is a socket or a device", "a file is expected");
  refuse_input(path, "cannot open the file: " + std::generic_category().message(error));
}

void check_size(const std::string& path, std::uintmax_t size, std::uintmax_t most,
                std::string_view expected) {
  if (size > most)
    refuse_input(path, fmt::format("the file has {} bytes; at most {} are read", size, most),
                 fmt::format("{} is expected", expected));
}

const char* kind_of_special_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

class OpenFile {
 public:
  /// Does not wait for somebody to write into a pipe.
  explicit OpenFile(const std::string& path)
      : path_(path), number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number_ < 0) refuse_input(path_, errno);
  }
  ~OpenFile() { ::close(number_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::size_t checked_size(std::uintmax_t most_bytes, std::string_view expected) const {
    struct stat status {};
    if (::fstat(number_, &status) != 0) refuse_input(path_, errno);
    if (!S_ISREG(status.st_mode))
      refuse_input(path_, fmt::format("this is {}", kind_of_special_file(status.st_mode)),
                   fmt::format("{} is expected", expected));
    const auto size = static_cast<std::uintmax_t>(status.st_size);
    check_size(path_, size, most_bytes, expected);
    return static_cast<std::size_t>(size);
  }
  /// The number of bytes read; 0 at the end.
  std::size_t read(char* to, std::size_t most) const {
    while (true) {
      const ssize_t count = ::read(number_, to, most);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) refuse_input(path_, errno);
    }
  }

 private:
  const std::string& path_;
  int number_;
};

}  // namespace

const Files& Files::on_disk() {
  static const Files disk(false);
  return disk;
}

std::string Files::value_name(const std::string& path) const {
  if (values_.count(path) == 0) return "";
  const std::size_t begin = path.rfind('<'), end = path.rfind('>');
  return begin < end && end != std::string::npos ? path.substr(begin + 1, end - begin - 1) : path;
}

const std::string* Files::in_memory(const std::string& path) const {
  const auto found = in_memory_.find(path);
  return found == in_memory_.end() ? nullptr : &found->second;
}

void Files::check(const std::string& path, std::uintmax_t most_bytes, std::string_view expected) const {
  if (const std::string* const bytes = in_memory(path); bytes != nullptr)
    return check_size(path, bytes->size(), most_bytes, expected);
  const OpenFile file(path);
  note_read(path);
  file.checked_size(most_bytes, expected);
}

std::string Files::read(const std::string& path, std::uintmax_t most_bytes,
                        std::string_view expected) const {
  if (const std::string* const bytes = in_memory(path); bytes != nullptr) {
    check_size(path, bytes->size(), most_bytes, expected);
    return *bytes;
  }
  const OpenFile file(path);
  note_read(path);
  // Room for one byte more shows the end of the file without a second round. A file that grows meanwhile
  // is read as far as it went.
  std::string content(file.checked_size(most_bytes, expected) + 1, '\0');
  std::size_t filled = 0;
  while (filled < content.size()) {
    const std::size_t count = file.read(content.data() + filled, content.size() - filled);
    if (count == 0) break;
    filled += count;
  }
  content.resize(filled);
  return content;
}

void Files::note_read(const std::string& path) const {
  if (!recorded_) return;
  std::error_code unknown_folder;
  std::string absolute = std::filesystem::absolute(path, unknown_folder).lexically_normal().string();
  const std::lock_guard lock(mutex_);
  read_.insert(std::move(absolute));
}

std::set<std::string> Files::read_so_far() const {
  const std::lock_guard lock(mutex_);
  return read_;
}

}  // namespace zz::core
