#pragma once
#include <string>

namespace zz::core {

/// A place in a text file that a user wrote. Lines and columns count from 1; 0 means "not known"
/// (then only the file, or nothing, is printed).
struct SourceMark {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const SourceMark&) const = default;
};

/// "pipeline.yaml:12:9", "pipeline.yaml", or "" when nothing is known.
std::string to_string(const SourceMark& mark);

}  // namespace zz::core
