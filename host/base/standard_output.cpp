#include "host/base/standard_output.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace zz::host {
namespace {

std::FILE* kept = nullptr;

}  // namespace

void keep_standard_output_aside() {
  if (kept != nullptr) return;
  const int file = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  std::FILE* const opened = file < 0 ? nullptr : ::fdopen(file, "w");
  if (opened == nullptr) return;  // it is closed, which is told when something is printed
  kept = opened;
  std::fflush(stdout);
  if (::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) return;
  // Standard error is closed.
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::close(nowhere);
}

void give_standard_output_back() {
  if (kept == nullptr) return;
  std::fflush(kept);
  ::dup2(::fileno(kept), STDOUT_FILENO);
}

std::FILE* standard_output() { return kept != nullptr ? kept : stdout; }

}  // namespace zz::host
