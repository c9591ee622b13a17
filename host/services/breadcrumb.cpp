#include "host/services/breadcrumb.hpp"

#include <cstring>
#include <unistd.h>

namespace zz::host {

thread_local const char* current_breadcrumb = nullptr;

void say_from_handler(const char* text) {
  if (text == nullptr) return;
  const auto ignored = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(ignored);
}

void say_stage_from_handler() {
  if (current_breadcrumb == nullptr) return;
  say_from_handler(" in ");
  say_from_handler(current_breadcrumb);
}

}  // namespace zz::host
