#pragma once
#include <string>

namespace zz::host {

/// What the thread does for a plugin, for messages about crashes. A plain pointer, because signal handlers
/// read it.
extern thread_local const char* current_breadcrumb;

/// For signal handlers: write a text on stderr, or " in " and the breadcrumb of the thread if there is one.
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
