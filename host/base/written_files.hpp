#pragma once
#include <map>
#include <mutex>
#include <string>

namespace zz::host {

/// The files that the stages of a run write. [any]
class WrittenFiles {
 public:
  /// `by` has written the file. False for one that the run has written before.
  bool add(const std::string& path, const std::string& by);

  /// `by` will write the file. Who has claimed or written it before, or "": nobody else.
  std::string claim(const std::string& path, const std::string& by);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> writers_;  ///< by path; who wrote it last
  std::map<std::string, std::string> claims_;   ///< by path
};

}  // namespace zz::host
