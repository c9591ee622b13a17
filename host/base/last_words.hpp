#pragma once
#include <string>

#include "host/base/exit_code.hpp"
#include "host/base/process_guard.hpp"

namespace zz::host {

/// Words for the thread's work for a plugin, for messages about crashes. A plain pointer, because signal
/// handlers read it.
extern thread_local const char* current_breadcrumb;

/// For a thread that has none: those of a stage that has started it.
void find_breadcrumb();

/// For handlers that end the process, before they say why: the first thread goes on, and others that fail
/// meanwhile wait for the end. Finds the breadcrumb.
void begin_last_words();

/// For signal handlers: write a text on stderr, or " in " and the breadcrumb of the thread if there is one.
void say_from_handler(const char* text);
void say_stage_from_handler();

/// Sets the breadcrumb for its own life time.
class Breadcrumb {
 public:
  explicit Breadcrumb(std::string text) : text_(std::move(text)), before_(current_breadcrumb) {
    current_breadcrumb = text_.c_str();
  }
  ~Breadcrumb() {
    end_file_mask_of_plugin();
    current_breadcrumb = before_;
  }
  Breadcrumb(const Breadcrumb&) = delete;
  Breadcrumb& operator=(const Breadcrumb&) = delete;

 private:
  std::string text_;
  const char* before_;
};

/// While these stand, a failure that ends the process from a handler makes the file with that content, in a
/// folder that may have to be made. Null: nothing. They outlive the time. [main]
void leave_file_from_handler(const char* folder, const char* file, const char* content);

/// From now on end_from_handler() prints a JSON document on stdout, or no longer, as one was printed.
/// [main]
void give_last_words_as_json(bool wanted);

/// For signal handlers: deletes unfinished files and ends the process. After give_last_words_as_json(true)
/// it prints {"errors", "exit_status"} with `message` and the stage of the thread.
[[noreturn]] void end_from_handler(ExitCode code, const char* message);

}  // namespace zz::host
