#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace zz::host {

/// While a library of a plugin folder is loaded, a failure that ends the process leaves a file in the
/// user's cache (`zz/crashed-*` of ${XDG_CACHE_HOME:-~/.cache}) that names it, so that the next process
/// passes the library over until it changes. Loading that takes longer than the limit is such a failure.
class LoadingMark {
 public:
  static constexpr std::chrono::milliseconds longest{30'000};

  explicit LoadingMark(const std::string& library, std::chrono::milliseconds limit = longest);
  ~LoadingMark();
  LoadingMark(const LoadingMark&) = delete;
  LoadingMark& operator=(const LoadingMark&) = delete;

  /// Why the library is not to be loaded; "": it is.
  const std::string& reason() const { return reason_; }

 private:
  std::string folder_, file_, state_;
  std::string reason_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread watch_;  ///< ends the process at the limit
};

}  // namespace zz::host
