#pragma once
#include <string>

namespace zz::core {

/// A file that is deleted when the process is ended before the file is finished, as far as a handler still
/// runs. What a killed process leaves is found by its lock, and only when its path is written again. [any]
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  explicit UnfinishedFile(const std::string& path);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  ~UnfinishedFile();  ///< forgets the file and leaves it where it is

 private:
  int slot_ = -1;
};

/// Deletes all of them. For handlers that end the process: async-signal-safe.
void remove_unfinished_files() noexcept;

}  // namespace zz::core
