#pragma once
#include <string>
#include <vector>

namespace zz::host {

/// A copy of a file that is not as it was.
struct DamagedCopy {
  std::string how;  ///< "the number 12 in line 3 replaced by 'x'"
  std::string text;
};

/// Copies of a file, each damaged in one place as strangers' files are: cut off, numbers and words
/// replaced, lines left out, bytes that no text has. At most some eighty, the same ones for the same file.
std::vector<DamagedCopy> damaged_copies(const std::string& text);

}  // namespace zz::host
