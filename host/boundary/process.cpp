#include "host/boundary/process.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/value/value.hpp"
#include "host/base/cancellation.hpp"
#include "host/plugins/allowed_code.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int tick = 50;                                ///< ms between looks at whether to stop
constexpr std::chrono::milliseconds time_to_end{1000};  ///< between asking the program to end and ending it
// docs/limits.md names it.
constexpr std::size_t most_output = std::size_t{256} << 20;  ///< bytes of one stream

[[noreturn]] void throw_cannot_start(const std::string& program, int number) {
  throw core::InputError(fmt::format("the program '{}' cannot be started: {}", program, strerror(number)));
}

/// A file descriptor, closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void reset(int number) {
    close();
    number_ = number;
  }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

/// Both ends of a channel that no other process inherits.
struct Channel {
  Descriptor ours, its;
  Channel() {
    int ends[2];
    // A socket, so that writing to a program that no longer reads is an error and no signal.
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw std::runtime_error(fmt::format("no channel to a program can be made: {}", strerror(errno)));
    ours.reset(ends[0]);
    its.reset(ends[1]);
    ::fcntl(ours.number(), F_SETFL, O_NONBLOCK);
  }
};

/// A program in its own process group, so that its children end with it.
class Program {
 public:
  Program(const std::vector<std::string>& words, const std::string& folder) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, input.its.number(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, output.its.number(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, errors.its.number(), STDERR_FILENO);
    if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const int problem =
        ::posix_spawnp(&id_, arguments.front(), &files, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (problem != 0) throw_cannot_start(words.front(), problem);
    for (Channel* channel : {&input, &output, &errors}) channel->its.close();
  }
  ~Program() {
    if (id_ > 0) end();
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// True once the program has ended. `status` is then its exit code, or 128 plus the signal that ended it.
  bool has_ended(int& status) {
    int state = 0;
    if (::waitpid(id_, &state, WNOHANG) != id_) return false;
    id_ = -1;
    status = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    return true;
  }

  Channel input, output, errors;

 private:
  /// Asks the processes of the group to end, then kills the rest.
  void end() {
    const pid_t group = id_;
    ::kill(-group, SIGTERM);
    const auto limit = Clock::now() + time_to_end;
    int status = 0;
    while (!has_ended(status) && Clock::now() < limit) ::poll(nullptr, 0, 10);
    ::kill(-group, SIGKILL);
    if (id_ > 0) ::waitpid(id_, nullptr, 0);
  }

  pid_t id_ = -1;
};

void send(Descriptor& to, std::string_view& left) {
  if (!to.is_open()) return;
  if (!left.empty()) {
    const auto sent = ::send(to.number(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent > 0) left.remove_prefix(static_cast<std::size_t>(sent));
    if (sent < 0 && errno != EAGAIN && errno != EINTR) left = {};  // it does not want to read more
  }
  if (left.empty()) to.close();
}

/// Reads the available bytes. False at the end of the stream.
bool receive(Descriptor& from, std::string& text) {
  std::array<char, 65536> buffer;
  for (;;) {
    const auto size = ::read(from.number(), buffer.data(), buffer.size());
    if (size > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(size));
      if (text.size() > most_output)
        throw core::NoResult(fmt::format("it wrote more than {} MiB", most_output >> 20));
    } else {
      return size < 0 && (errno == EAGAIN || errno == EINTR);
    }
  }
}

struct Answer {
  int status = 0;
  std::string output, errors;
};

/// Nothing when the run was asked to stop.
bool talk(Program& program, std::string_view input, double seconds, Answer& answer) {
  const auto begin = Clock::now();
  for (;;) {
    std::array<pollfd, 3> waiting{{{program.output.ours.number(), POLLIN, 0},
                                   {program.errors.ours.number(), POLLIN, 0},
                                   {program.input.ours.number(), POLLOUT, 0}}};
    ::poll(waiting.data(), waiting.size(), tick);
    if (cancel_requested()) return false;
    send(program.input.ours, input);
    // Checked before reading, so that all output before the end is read.
    const bool ended = program.has_ended(answer.status);
    for (auto [stream, text] :
         {std::pair{&program.output.ours, &answer.output}, std::pair{&program.errors.ours, &answer.errors}})
      if (stream->is_open() && !receive(*stream, *text)) stream->close();
    if (ended) return true;
    if (seconds > 0 && std::chrono::duration<double>(Clock::now() - begin).count() > seconds)
      throw core::NoResult(fmt::format("it took longer than {:g} s", seconds));
  }
}

zz_value* run(zz_place*, const zz_str* argv, std::uint32_t n, zz_str input, zz_str folder, double seconds,
              zz_error* error) noexcept {
  try {
    std::vector<std::string> words;
    for (std::uint32_t i = 0; i < n; ++i) words.emplace_back(argv[i].p, argv[i].n);
    if (words.empty() || words.front().empty()) throw core::InputError("no program is named");
    for (const std::string& word : words)
      if (word.find('\0') != std::string::npos)
        throw core::InputError(fmt::format("an argument of '{}' holds a zero byte", words.front()));
    const std::string in(folder.p, folder.n);
    check_may_start(words.front(), in);
    Program program(words, in);
    Answer answer;
    try {
      if (!talk(program, std::string_view(input.p, input.n), seconds, answer)) {
        report(error, ZZ_E_CANCELLED, "interrupted");
        return nullptr;
      }
    } catch (const core::NoResult& problem) {
      throw core::NoResult(fmt::format("the program '{}': {}", words.front(), problem.what()));
    }
    return new_handle(core::Value::map({{"status", core::Value::integer(answer.status)},
                                        {"output", core::Value::text(std::move(answer.output))},
                                        {"errors", core::Value::text(std::move(answer.errors))}}));
  } catch (...) {
    report_current_exception(error);
    return nullptr;
  }
}

}  // namespace

const zz_process process_table{sizeof(zz_process), run};

}  // namespace zz::host
