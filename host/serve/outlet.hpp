#pragma once
#include <atomic>
#include <mutex>

#include "host/serve/rpc_message.hpp"

namespace zz::host {

/// The standard output of a server. It carries whole messages, each on a line, and nothing else: what
/// stages or libraries print to standard output goes to standard error during its life time. [any]
class Outlet {
 public:
  Outlet();
  ~Outlet();
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;

  void send(const Json& message);
  /// True once nobody reads the messages any more.
  bool broken() const { return broken_; }

 private:
  std::mutex mutex_;
  int file_;
  std::atomic<bool> broken_{false};
};

}  // namespace zz::host
