#pragma once
#include <string>

namespace zz::host {

/// Says on behalf of which plugin the thread works, for the handlers of crashes. Signal handlers read it,
/// so it is a plain pointer to a text that outlives the crash.
extern thread_local const char* current_breadcrumb;

/// For signal handlers: a text on stderr; and " in " with the breadcrumb of the thread, if there is one.
void say_from_handler(const char* text);
void say_stage_from_handler();

/// Sets the breadcrumb for its own life time.
class Breadcrumb {
 public:
  explicit Breadcrumb(std::string text) : text_(std::move(text)), before_(current_breadcrumb) {
    current_breadcrumb = text_.c_str();
  }
  ~Breadcrumb() { current_breadcrumb = before_; }
  Breadcrumb(const Breadcrumb&) = delete;
  Breadcrumb& operator=(const Breadcrumb&) = delete;

 private:
  std::string text_;
  const char* before_;
};

}  // namespace zz::host
