#pragma once
#include <mutex>
#include <set>
#include <string>

namespace zz::core {

/// The files that a run has read so far, which its results depend on. Files in memory are none. [any]
class FilesRead {
 public:
  void add(const std::string& path);
  /// Absolute paths.
  std::set<std::string> paths() const;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> paths_;
};

/// Those of the run that this thread works for; nullptr when nobody wants to know. The host sets it.
extern constinit thread_local FilesRead* files_read;

/// Adds to them. For readers that open a file otherwise than by read_input_file().
void note_file_read(const std::string& path);

}  // namespace zz::core
