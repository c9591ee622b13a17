#include "core/base/source_mark.hpp"

namespace zz::core {

std::string to_string(const SourceMark& mark) {
  std::string text = mark.file;
  if (mark.line <= 0) return text;
  if (!text.empty()) text += ':';
  text += std::to_string(mark.line);
  if (mark.column > 0) text += ':' + std::to_string(mark.column);
  return text;
}

}  // namespace zz::core
