#include "host/serve/outlet.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <unistd.h>

#include "core/base/json_text.hpp"

namespace zz::host {

Outlet::Outlet() {
  std::signal(SIGPIPE, SIG_IGN);
  std::fflush(stdout);
  file_ = ::dup(STDOUT_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

Outlet::~Outlet() {
  std::fflush(stdout);
  ::dup2(file_, STDOUT_FILENO);
  ::close(file_);
}

void Outlet::send(const Json& message) {
  const std::string line = core::json_text(message, core::one_line) + "\n";
  const std::lock_guard lock(mutex_);
  for (std::size_t written = 0; written < line.size() && !broken_;) {
    const ssize_t size = ::write(file_, line.data() + written, line.size() - written);
    if (size > 0) written += static_cast<std::size_t>(size);
    if (size < 0 && errno != EINTR) broken_ = true;
  }
}

}  // namespace zz::host
