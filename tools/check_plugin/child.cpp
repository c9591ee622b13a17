#include "tools/check_plugin/child.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <typeinfo>
#include <unistd.h>

#include "host/base/cancellation.hpp"
#include "host/base/exit_code.hpp"
#include "host/base/process_guard.hpp"
#include "host/base/standard_output.hpp"

namespace zz::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{
    5};  ///< until a call is asked to stop, and again until it is killed
constexpr std::chrono::seconds longest{60};        ///< for all calls of a group together
constexpr std::chrono::seconds enough_to_stop{1};  ///< on a processor, for a child that was asked
constexpr int exit_of_escaped_exception = 71;

Findings* findings_of_child = nullptr;

[[noreturn]] void on_escaped_exception() {
  std::string what = "terminated without an exception";
  if (abi::__cxa_current_exception_type() != nullptr) {
    try {
      throw;
    } catch (const std::exception& error) {
      what = std::string("an exception escaped: ") + error.what();
    } catch (...) {
      what = "an exception escaped that is no std::exception";
    }
  }
  if (findings_of_child != nullptr)
    findings_of_child->failed("F1", findings_of_child->current() + ": " + what);
  zz::host::end_process(exit_of_escaped_exception);
}

/// Reports of the host on crashes are not wanted here: the parent tells.
void forget_crash_handlers() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, SIG_DFL);
  std::set_terminate(on_escaped_exception);
}

void keep_quiet() {
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, ::fileno(zz::host::standard_output())})
    ::dup2(nowhere, file);
  ::close(nowhere);
}

/// A program's watcher may start a thread of its own with the first one, as the thread sanitizer does.
/// It is there before threads are counted, or it would count as the stage's.
void start_the_first_thread() {
  std::thread([] {}).join();
}

[[noreturn]] void be_the_child(const std::function<void(Findings&)>& check, int file,
                               const std::string& folder) {
  forget_crash_handlers();
  install_interrupt_handler();  // SIGTERM asks to stop
  keep_quiet();
  start_the_first_thread();
  if (::chdir(folder.c_str()) != 0) zz::host::end_process(EXIT_FAILURE);
  Findings findings(file);
  findings_of_child = &findings;
  check(findings);
  findings.finished();
  zz::host::end_process(EXIT_SUCCESS);
}

/// A folder of its own for each child.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "zz-check-plugin-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Ended {
  std::string text;
  int status = 0;
  bool asked = false;     ///< a call was asked to stop
  bool killed = false;    ///< and did not
  bool too_long = false;  ///< every call ended, and there were too many slow ones
};

/// Seconds that the process has computed.
double processor_time(pid_t process) {
  clockid_t clock = 0;
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// True if a thread of the process could go on and has to wait for a processor, or has just got one.
bool could_go_on(pid_t process) {
  std::error_code gone;
  for (const auto& thread :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), gone)) {
    std::ifstream file(thread.path() / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t name_end = text.rfind(')');  // "number (name) state ..."
    if (name_end != text.npos && name_end + 2 < text.size() && text[name_end + 2] == 'R') return true;
  }
  return false;
}

/// True if the child had `seconds` for itself since it had computed `before`: it sleeps, so it waits for no
/// processor, or it has computed that long. On a busy machine the clock on the wall says nothing.
bool had(std::chrono::seconds seconds, pid_t child, double before) {
  return !could_go_on(child) || processor_time(child) - before >= static_cast<double>(seconds.count());
}

/// Reads until the child ends, with `patience` for each pause between two findings.
Ended follow(pid_t child, int file) {
  Ended ended;
  const auto last = Clock::now() + longest;
  auto limit = Clock::now() + patience;
  bool stopping = false;
  double computed = 0;  // processor time at the last finding, or when it was asked to stop
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit - Clock::now());
    pollfd waiting{file, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    const bool too_long = Clock::now() >= last && had(longest, child, 0);
    if (ready > 0 && !too_long) {
      char buffer[4096];
      const auto size = ::read(file, buffer, sizeof buffer);
      if (size <= 0) break;
      ended.text.append(buffer, static_cast<std::size_t>(size));
      limit = Clock::now() + patience;
      computed = processor_time(child);
      stopping = false;
      continue;
    }
    if (ready < 0 && errno == EINTR) continue;
    if (!too_long && !had(stopping ? enough_to_stop : patience, child, computed)) {
      limit = Clock::now() + std::chrono::seconds{1};
      continue;
    }
    computed = processor_time(child);
    ended.killed = stopping;
    ended.too_long = !stopping && too_long;
    ::kill(child, ended.killed || ended.too_long ? SIGKILL : SIGTERM);
    if (ended.killed || ended.too_long) break;
    ended.asked = stopping = true;
    limit = Clock::now() + patience;
  }
  while (::waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
  }
  return ended;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("crashed ({})", strsignal(WTERMSIG(status)));
  return fmt::format("ended the process with exit code {}", WEXITSTATUS(status));
}

std::vector<Observation> observations_of(const Ended& ended, const char* crash_rule,
                                         const char* hang_rule) {
  FindingsRead findings = read_findings(ended.text);
  const bool told = WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == exit_of_escaped_exception;
  const std::string doing = findings.doing.empty() ? "" : findings.doing + ": ";
  // The second request ends the process at once: the stage went on after the first.
  const bool ignored = ended.asked && WIFEXITED(ended.status) &&
                       WEXITSTATUS(ended.status) == static_cast<int>(ExitCode::interrupted);
  if (ended.too_long) {
    findings.observations.push_back(
        {hang_rule, Outcome::unchecked, findings.where,
         fmt::format("{}stopped after {} s; smaller settings (--set) make it faster", doing,
                     longest.count())});
  } else if (ended.killed || ignored) {
    findings.observations.push_back(
        {hang_rule, Outcome::failed, findings.where,
         fmt::format("{}did not end within {} s, nor {} s after it was asked to stop", doing,
                     patience.count(), patience.count())});
  } else if (!findings.finished && !told) {
    findings.observations.push_back(
        {crash_rule, Outcome::failed, findings.where, doing + how_it_ended(ended.status)});
  } else if (ended.asked && findings.finished) {
    findings.observations.push_back(
        {hang_rule, Outcome::passed, findings.where, "ended when it was asked to stop"});
  }
  return std::move(findings.observations);
}

}  // namespace

std::vector<Observation> observe_in_child(const std::function<void(Findings&)>& check,
                                          const char* crash_rule, const char* hang_rule) {
  const TemporaryFolder folder;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no child process can be started");
  if (child == 0) {
    ::close(ends[0]);
    be_the_child(check, ends[1], folder.path());
  }
  ::close(ends[1]);
  const Ended ended = follow(child, ends[0]);
  ::close(ends[0]);
  return observations_of(ended, crash_rule, hang_rule);
}

}  // namespace zz::host
