#include "tests/fuzz/run.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <set>
#include <sstream>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/base/exit_code.hpp"
#include "host/base/run.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"

namespace zz::fuzz {
namespace {

namespace fs = std::filesystem;

// It maps terabytes.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitizer = true;
#elif defined(__has_feature)
constexpr bool address_sanitizer = __has_feature(address_sanitizer);
#else
constexpr bool address_sanitizer = false;
#endif

// On a machine with other work a run of milliseconds takes seconds. What computes for too long ends by its
// limit of processor time.
constexpr std::chrono::seconds until_interrupted{10}, until_killed{130};
constexpr const char* messages_file = "messages.txt";

void limit(int what, rlim_t most) {
  const rlimit limits{most, most};
  ::setrlimit(what, &limits);
}

/// As host/main.cpp.
int run_host(const std::vector<std::string>& arguments) {
  using namespace zz::host;
  Run run;
  const WorkingFor working(run);
  try {
    const Options options = parse_options(arguments);
    run.log.show(LogLevel::info, write_on_terminal(false, false));
    return find_verb(options.verb)->run(options);
  } catch (const UsageError& error) {
    fmt::print(stderr, "zz-host: error: {}\n", error.what());
    return static_cast<int>(ExitCode::usage);
  } catch (const std::exception& error) {
    fmt::print(stderr, "zz-host: error: {}\n", error.what());
    return static_cast<int>(ExitCode::stage_failed);
  }
}

/// The file with requests; "" when there is none.
std::string requests_of(const Project& project) {
  for (const auto& [name, content] : project.files)
    if (name.ends_with(requests)) return name;
  return "";
}

[[noreturn]] void run_child(const Project& project, const fs::path& folder) {
  if (const std::string lines = requests_of(project); !lines.empty())
    ::dup2(::open((folder / lines).c_str(), O_RDONLY), STDIN_FILENO);
  const int messages = ::open((folder / messages_file).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ::dup2(messages, STDOUT_FILENO);
  ::dup2(messages, STDERR_FILENO);
  if (::chdir(folder.c_str()) != 0) ::_exit(99);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, 20);
  if (!address_sanitizer) limit(RLIMIT_AS, rlim_t{4} << 30);
  const int code = run_host(project.arguments);
  std::fflush(nullptr);
  ::_exit(code);
}

/// Waits until the child ends; "" or what it had to be done to it.
std::string wait_for(pid_t child, int& status) {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  if (handle < 0) return fmt::format("the end of a run cannot be waited for: {}", std::strerror(errno));
  const auto ends_within = [&](std::chrono::milliseconds time) {
    pollfd ended{handle, POLLIN, 0};
    while (::poll(&ended, 1, static_cast<int>(time.count())) < 0 && errno == EINTR) {
    }
    return ended.revents != 0;
  };
  std::string wrong;
  if (!ends_within(until_interrupted)) {
    ::kill(child, SIGINT);
    if (!ends_within(until_killed - until_interrupted)) {
      ::kill(child, SIGKILL);
      wrong = "it does not end, nor does SIGINT end it";
    }
  }
  ::close(handle);
  ::waitpid(child, &status, 0);
  return wrong;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// True if a figure is no number: one that is not finite has no other word in JSON than null. Points of a
/// sweep that are infeasible have none.
bool has_no_number(const nlohmann::json& tree, bool is_figure = false) {
  if (tree.is_array())
    return std::any_of(tree.begin(), tree.end(),
                       [&](const nlohmann::json& part) { return has_no_number(part, is_figure); });
  if (!tree.is_object()) return is_figure && tree.is_null();
  if (const auto feasible = tree.find("feasible"); feasible != tree.end() && *feasible == false)
    return false;
  for (const auto& [key, part] : tree.items()) {
    const bool names_figure = key.find("energy") != key.npos || key.find("latency") != key.npos ||
                              key.find("cycles") != key.npos || key == "edp" || key == "area";
    if (has_no_number(part, is_figure || names_figure)) return true;
  }
  return false;
}

/// Looks at what the run left.
std::string look_at_files(const fs::path& folder, bool succeeded) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".part") != std::string::npos) return "half-written: " + name;
    if (!entry.is_regular_file() || entry.path().parent_path() == folder || !name.ends_with(".json"))
      continue;
    const nlohmann::json tree = nlohmann::json::parse(text_of(entry.path()), nullptr, false);
    if (tree.is_discarded()) return "half-written: " + name;
    if (succeeded && has_no_number(tree)) return "not finite, or nothing: " + name;
  }
  return "";
}

/// A message names a file, a setting, a layer, a stage or a node.
bool names_something(const std::string& messages, const Project& project) {
  if (messages.find('\'') != std::string::npos || messages.find("Stage") != std::string::npos) return true;
  for (const auto& [name, content] : project.files)
    if (messages.find(name) != std::string::npos) return true;
  return false;
}

std::string look_at_end(int status, const std::string& messages, const Project& project) {
  using zz::host::ExitCode;
  if (WIFSIGNALED(status)) return fmt::format("ended by {}", ::strsignal(WTERMSIG(status)));
  const int code = WEXITSTATUS(status);
  if (code < 0 ||
      (code > static_cast<int>(ExitCode::no_result) && code != static_cast<int>(ExitCode::interrupted)))
    return fmt::format("exit code {}", code);
  if (code == 0 || code == static_cast<int>(ExitCode::interrupted)) return "";
  const std::size_t error = messages.find("error: ");
  if (error == std::string::npos) return "a failure without a message";
  for (const char* word : {"Sanitizer", "runtime error:", "bad_alloc", "std::", "vector::", "basic_string",
                           "internal error", "map::at", "[json."})
    if (messages.find(word) != std::string::npos) return fmt::format("a message for programmers: {}", word);
  return names_something(messages, project) ? "" : "a message that names nothing";
}

using Ids = std::multiset<std::string>;

/// The ids of the answers to a message, or of the requests in it: each of a list. What is none has the id
/// null.
void add_ids(const nlohmann::json& message, Ids& ids) {
  if (message.is_array() && !message.empty()) {
    for (const nlohmann::json& one : message) add_ids(one, ids);
    return;
  }
  const auto id = message.is_object() ? message.find("id") : message.end();
  const bool named = id != message.end() && (id->is_number() || id->is_string());
  const bool method = message.is_object() && message.contains("method");
  if (named)
    ids.insert(id->dump());
  else if (!method || id != message.end())
    ids.insert("null");
}

/// Each line of `text` as a value; what cannot be parsed is null.
std::vector<nlohmann::json> values_of(const std::string& text) {
  std::vector<nlohmann::json> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      values.push_back(nlohmann::json::parse(line));
    } catch (const nlohmann::json::exception&) {
      values.emplace_back();
    }
  }
  return values;
}

/// Looks for anything that a client may not see; "" when every request has one answer.
std::string look_at_answers(const std::string& requests, const std::string& messages) {
  Ids asked, answered;
  for (const nlohmann::json& request : values_of(requests)) {
    // An answer to the server, which has asked nothing, has no answer.
    const bool answer = request.is_object() && !request.contains("method") &&
                        (request.contains("result") || request.contains("error"));
    if (!answer) add_ids(request, asked);
  }
  for (const nlohmann::json& message : values_of(messages)) {
    if (message.is_null()) return "a line that is no message";
    if (!message.is_object() || !message.contains("method")) add_ids(message, answered);
  }
  if (asked == answered) return "";
  for (const std::string& id : asked)
    if (asked.count(id) > answered.count(id)) return "a request without an answer: " + id.substr(0, 80);
  return "an answer to nothing";
}

}  // namespace

std::string run_project(const Project& project, const std::string& parent) {
  const fs::path folder = fs::path(parent) / "run";
  fs::remove_all(folder);
  fs::create_directories(folder);
  write_files(project, folder);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return "no child process";
  if (child == 0) run_child(project, folder);
  int status = 0;
  std::string wrong = wait_for(child, status);
  const std::string messages = text_of(folder / messages_file);
  const std::string lines = requests_of(project);
  if (wrong.empty() && !lines.empty() && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    wrong = look_at_answers(project.files.at(lines), messages);
  if (wrong.empty() && !lines.empty() && WIFEXITED(status) && WEXITSTATUS(status) == 1)
    wrong = "the server has failed";
  if (wrong.empty()) wrong = look_at_end(status, messages, project);
  if (wrong.empty()) wrong = look_at_files(folder, WIFEXITED(status) && WEXITSTATUS(status) == 0);
  if (!wrong.empty()) wrong += "\n" + messages.substr(0, 2000);
  fs::remove_all(folder);
  return wrong;
}

}  // namespace zz::fuzz
