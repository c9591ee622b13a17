#pragma once
#include <string>

namespace zz::core {

/// A new file beside `path`, called "<name>.part" or, when another writer has that, "<name>.part-2" and so
/// on. The file is locked as long as it is open, so a file that an ended process left is told from one that
/// is being written, whatever the process was called: it is deleted and its name is used again.
struct TemporaryFile {
  int file = -1;  ///< open for writing; -1: not made
  std::string path;
  int error = 0;  ///< errno when it was not made
};
TemporaryFile make_temporary_file(const std::string& path);

}  // namespace zz::core
