#include "core/files/whole_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace zz::core {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) fail(errno);
  }
  ~OpenFile() { ::close(number_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  [[noreturn]] static void fail(int error) { throw std::system_error(error, std::generic_category()); }

  /// In bytes; 0 for what has no size, such as a pipe.
  std::size_t size() const {
    struct stat status {};
    if (::fstat(number_, &status) != 0) fail(errno);
    if (S_ISDIR(status.st_mode)) fail(EISDIR);
    return S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  }
  /// The number of bytes read; 0 at the end.
  std::size_t read(char* to, std::size_t most) const {
    while (true) {
      const ssize_t count = ::read(number_, to, most);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) fail(errno);
    }
  }

 private:
  int number_;
};

}  // namespace

std::string read_whole_file(const std::string& path) {
  const OpenFile file(path);
  // Room for one byte more shows the end of a regular file without a second round.
  std::string content(file.size() + 1, '\0');
  std::size_t filled = 0;
  while (true) {
    const std::size_t count = file.read(content.data() + filled, content.size() - filled);
    if (count == 0) break;
    filled += count;
    if (filled == content.size()) content.resize(2 * content.size() + 4096);
  }
  content.resize(filled);
  return content;
}

}  // namespace zz::core
