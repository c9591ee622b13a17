#pragma once
#include <cstdint>
#include <string>
#include <sys/types.h>

namespace zz::host {

/// A file as it is now: what changes when it is built again.
struct FileState {
  std::string path;
  dev_t device = 0;
  ino_t number = 0;
  std::int64_t size = -1;  ///< -1: it is not there
  std::int64_t seconds = 0, nanoseconds = 0;

  bool operator==(const FileState&) const = default;
  bool is_there() const { return size >= 0; }
  bool is_same_file(const FileState& other) const {
    return device == other.device && number == other.number;
  }
  /// The later one is the same file, in which something has been written since.
  bool is_written_over_by(const FileState& later) const {
    const bool same = size == later.size && seconds == later.seconds && nanoseconds == later.nanoseconds;
    return is_same_file(later) && !same;
  }
  /// For a file that remembers it.
  std::string text() const;
};

FileState state_of(const std::string& file);

}  // namespace zz::host
