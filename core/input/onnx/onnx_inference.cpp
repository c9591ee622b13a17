#include "core/input/onnx/onnx_inference.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <google/protobuf/stubs/logging.h>
#include <new>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace zz::core::onnx_import {
namespace {

using Clock = std::chrono::steady_clock;

// docs/limits.md names these limits.
constexpr std::chrono::seconds longest_inference{30};
constexpr rlim_t most_memory = rlim_t{4} << 30;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// In this process. Returns why it did not come to its end, or "".
std::string infer_here(onnx::ModelProto& model) {
  constexpr bool check_types = false;
  constexpr int stop_at_first_failure = 0;
  constexpr bool follow_computed_shapes = true;
  google::protobuf::LogSilencer quiet;
  try {
    std::unordered_map<std::string, onnx::TensorShapeProto> computed_shapes;
    onnx::shape_inference::InferShapes(
        model, onnx::OpSchemaRegistry::Instance(),
        onnx::ShapeInferenceOptions(check_types, stop_at_first_failure, follow_computed_shapes),
        &computed_shapes);
  } catch (const std::length_error&) {
    return "lengths that cannot be";  // the library reserves room for what a node says
  } catch (const std::bad_alloc&) {
    return "lengths that cannot be";
  } catch (const std::exception& failure) {
    return first_line(failure.what());
  }
  return "";
}

/// Sanitizers reserve more addresses than any limit.
constexpr bool memory_can_be_limited() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#elif defined(__has_feature)
  return !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
  return true;
#endif
}

void limit(int what, rlim_t most) {
  const rlimit limits{most, most};
  ::setrlimit(what, &limits);
}

/// Of a child: what ends it makes no noise, and it cannot take the machine with it.
void prepare_child() {
  for (const int signal :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    std::signal(signal, SIG_DFL);
  if (const int nothing = ::open("/dev/null", O_WRONLY); nothing >= 0) ::dup2(nothing, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, longest_inference.count());
  if (!memory_can_be_limited()) return;
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  limit(RLIMIT_AS, pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + most_memory);
}

void write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(to, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(1);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// The child: infers over the first `nodes` nodes and answers with the failure, a line end, and the graph's
/// outputs and values.
[[noreturn]] void run_child(onnx::ModelProto& model, int nodes, int to) {
  prepare_child();
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.mutable_node()->DeleteSubrange(nodes, graph.node_size() - nodes);
  const std::string failure = infer_here(model);
  onnx::GraphProto found;
  found.mutable_output()->Swap(graph.mutable_output());
  found.mutable_value_info()->Swap(graph.mutable_value_info());
  write_all(to, failure + "\n" + found.SerializePartialAsString());
  ::_exit(0);
}

/// What a child said and how it ended.
struct Ended {
  std::string answer;
  std::string reason;  ///< "" when it came to its end
  bool in_time = true;
};

/// Reads until the other end is closed; false when that takes too long.
bool read_all(int from, std::string& answer) {
  const Clock::time_point deadline = Clock::now() + longest_inference;
  std::array<char, 1 << 16> bytes{};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready{from, POLLIN, 0};
    const int count = left <= 0 ? 0 : ::poll(&ready, 1, static_cast<int>(left));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    const ssize_t size = ::read(from, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return true;
    answer.append(bytes.data(), static_cast<std::size_t>(size));
  }
}

Ended infer_in_child(onnx::ModelProto& model, int nodes) {
  // The registry must not be in the middle of being made while the process is copied.
  onnx::OpSchemaRegistry::Instance();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {"", std::strerror(errno)};
  const pid_t child = ::fork();
  if (child == 0) run_child(model, nodes, ends[1]);
  ::close(ends[1]);
  Ended ended;
  if (child > 0) {
    ended.in_time = read_all(ends[0], ended.answer);
    if (!ended.in_time) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!ended.in_time || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)) {
      ended.in_time = false;
      ended.reason = fmt::format("more than {} seconds", longest_inference.count());
    } else if (WIFSIGNALED(status)) {
      ended.reason = ::strsignal(WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
      ended.reason = fmt::format("exit code {}", WEXITSTATUS(status));
    }
  } else {
    ended.reason = std::strerror(errno);
  }
  ::close(ends[0]);
  return ended;
}

/// Index of the node without which, and without those behind it, the library comes to its end.
int node_that_ends_it(onnx::ModelProto& model) {
  int good = 0, bad = model.graph().node_size();
  while (bad - good > 1) {
    const int middle = good + (bad - good) / 2;
    (infer_in_child(model, middle).reason.empty() ? good : bad) = middle;
  }
  return bad - 1;
}

void report_end(onnx::ModelProto& model, const Ended& ended, const SourceMark& mark,
                Diagnostics& diagnostics) {
  const std::string message =
      fmt::format("the ONNX library ended while it inferred shapes ({})", ended.reason);
  const char* const hint =
      "is the model damaged? With the shapes of all tensors in the file nothing is inferred";
  if (!ended.in_time || model.graph().node_size() == 0) {
    diagnostics.error(mark, message, hint);
    return;
  }
  const int id = node_that_ends_it(model);
  const onnx::NodeProto& proto = model.graph().node(id);
  report(NodeProblem(message, hint),
         {id, proto.name().empty() ? fmt::format("Op{}", id) : proto.name(), &proto, {}}, mark,
         diagnostics);
}

}  // namespace

std::string infer_shapes(onnx::ModelProto& model, const SourceMark& mark, Diagnostics& diagnostics) {
  Ended ended = infer_in_child(model, model.graph().node_size());
  const std::size_t line_end = ended.answer.find('\n');
  if (ended.reason.empty() && line_end == std::string::npos) ended.reason = "no answer";
  onnx::GraphProto found;
  if (!ended.reason.empty() || !found.ParsePartialFromString(ended.answer.substr(line_end + 1))) {
    report_end(model, ended, mark, diagnostics);
    return ended.reason;
  }
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.mutable_output()->Swap(found.mutable_output());
  graph.mutable_value_info()->Swap(found.mutable_value_info());
  return ended.answer.substr(0, line_end);
}

}  // namespace zz::core::onnx_import
