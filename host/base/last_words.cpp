#include "host/base/last_words.hpp"

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/new_file.hpp"
#include "host/base/process_guard.hpp"
#include "host/base/stage_libraries.hpp"
#include "host/base/standard_output.hpp"

namespace zz::host {

thread_local const char* current_breadcrumb = nullptr;

void find_breadcrumb() {
  if (current_breadcrumb == nullptr) current_breadcrumb = stage_of_own_thread();
}

void begin_last_words() {
  static std::atomic<pid_t> speaker{0};
  static_assert(std::atomic<pid_t>::is_always_lock_free);
  const pid_t own = ::gettid();
  pid_t first = 0;
  // The speaker may crash itself.
  if (!speaker.compare_exchange_strong(first, own) && first != own)
    for (;;) ::pause();
  find_breadcrumb();
}

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

namespace {

std::atomic<bool> as_json{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void print(const char* text, std::size_t size) {
  const auto ignored = ::write(::fileno(standard_output()), text, size);
  static_cast<void>(ignored);
}
void print(const char* text) { print(text, std::strlen(text)); }

/// Replaces characters that JSON must escape, because nothing may be allocated here.
void print_quoted(const char* text) {
  print("\"");
  for (; *text != '\0'; ++text) {
    const bool plain = static_cast<unsigned char>(*text) >= ' ' && *text != '"' && *text != '\\';
    print(plain ? text : "?", 1);
  }
  print("\"");
}

void print_json(ExitCode code, const char* message) {
  print("{\"errors\": [{\"message\": ");
  print_quoted(message);
  if (current_breadcrumb != nullptr) {
    print(", \"stage\": ");
    print_quoted(current_breadcrumb);
  }
  print(code == ExitCode::interrupted ? ", \"code\": \"cancelled\"}], \"exit_status\": 130}\n"
                                      : ", \"code\": \"failed\"}], \"exit_status\": 1}\n");
}

}  // namespace

namespace {

std::atomic<const char*> left_folder{nullptr}, left_file{nullptr}, left_content{nullptr};

void leave_file() {
  const char* const file = left_file;
  if (file == nullptr) return;
  // The folders above it, too.
  char folder[PATH_MAX] = "";
  const char* const whole = left_folder;
  for (std::size_t i = 0; whole[i] != '\0' && i + 1 < sizeof folder; ++i) {
    folder[i] = whole[i];
    if (whole[i + 1] == '/' || whole[i + 1] == '\0') ::mkdir(folder, S_IRWXU);
  }
  const int made = ::open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  const auto ignored = made < 0 ? -1 : ::write(made, left_content, std::strlen(left_content));
  static_cast<void>(ignored);
}

}  // namespace

void leave_file_from_handler(const char* folder, const char* file, const char* content) {
  left_folder = folder;
  left_content = content;
  left_file = file;
}

void give_last_words_as_json(bool wanted) { as_json = wanted; }

void end_from_handler(ExitCode code, const char* message) {
  core::remove_unfinished_files();
  if (code == ExitCode::stage_failed) leave_file();
  if (as_json) print_json(code, message);
  end_process(static_cast<int>(code));
}

}  // namespace zz::host
