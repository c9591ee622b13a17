#pragma once
#include <mutex>
#include <set>
#include <string>

namespace zz::host {

/// The files that the stages of a run have written. [any]
class WrittenFiles {
 public:
  /// False for a file that the run has written before.
  bool add(const std::string& path);

 private:
  std::mutex mutex_;
  std::set<std::string> paths_;
};

}  // namespace zz::host
