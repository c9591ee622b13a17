#include "core/text/printable.hpp"

#include "core/text/utf8.hpp"

namespace zz::core {

std::string printable(std::string text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const auto first = static_cast<unsigned char>(text[i]);
    const bool ascii_control = first < 0x20 ? first != '\t' && first != '\n' : first == 0x7f;
    const bool other_control =
        length == 2 && first == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    const std::size_t next = i + (length == 0 ? 1 : length);
    if (length == 0 || ascii_control || other_control) text.replace(i, next - i, next - i, '?');
    i = next;
  }
  return text;
}

}  // namespace zz::core
