#pragma once
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "host/serve/rpc_message.hpp"

namespace zz::host {

/// Lines that come in through a file descriptor. A line longer than `most_line_bytes` is passed over.
class LineInput {
 public:
  // Limits of docs/limits.md.
  static constexpr std::size_t most_line_bytes = 67'108'864;

  explicit LineInput(int file) : file_(file) {}

  /// Reads what is there. False at the end of the input. Blocks when nothing is there.
  bool fill();

  enum class Next { none, line, too_long };
  /// The next whole line, without its end. The last line of the input needs none.
  Next next(std::string& line);

 private:
  int file_;
  std::string waiting_;
  std::size_t searched_ = 0;  ///< bytes of `waiting_` known to hold no end of line
  bool too_long_ = false;     ///< within a line that is passed over
  bool ended_ = false;
};

/// The standard output of a server (standard_output()). It carries whole messages, each on a line, and
/// nothing else: what stages or libraries print to standard output goes to standard error. [any]
class Outlet {
 public:
  Outlet();
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;

  void send(const Json& message);
  /// True once nobody reads the messages any more, or they have no room.
  bool broken() const { return broken_; }
  /// Why: as errno says it.
  std::string why_broken() const;

 private:
  std::mutex mutex_;
  int file_;
  std::atomic<int> error_{0};  ///< errno
  std::atomic<bool> broken_{false};
};

/// A file descriptor that becomes readable when there is something to look after: a signal that ends the
/// process, or what another thread has called notify() for. One at a time in a process.
class WakeUp {
 public:
  WakeUp();  ///< handles the signals that end a run from now on
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  int file() const;
  static void notify() noexcept;  ///< [any], also from handlers of signals
  void clear();
  /// Number of signals that have come.
  int signals() const;
};

}  // namespace zz::host
