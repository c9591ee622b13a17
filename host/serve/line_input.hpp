#pragma once
#include <cstddef>
#include <string>

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

}  // namespace zz::host
