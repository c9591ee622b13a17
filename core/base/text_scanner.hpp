#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace zz::core {

/// Reads a text from left to right, for grammars of one line: equations, expressions, sets. Blanks between
/// the parts do not count. The text lives longer.
class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : text_(text) {}

  /// Bytes that were read; those of blanks before the next part may be among them.
  std::size_t at() const { return at_; }
  void go_to(std::size_t at) { at_ = at; }
  /// The text from the next part on.
  std::string_view rest() {
    while (at_ < text_.size() && std::string_view(" \t\n\v\f\r").find(text_[at_]) != std::string_view::npos)
      ++at_;
    return text_.substr(at_);
  }
  bool at_end() { return rest().empty(); }
  /// True if something comes next, and `may_begin` is true of its first letter.
  template <class MayBegin>
  bool begins(MayBegin may_begin) {
    return !at_end() && may_begin(text_[at_]);
  }
  /// Reads the sign, if it comes next.
  bool take(std::string_view sign) {
    if (!rest().starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  /// Reads the letters that come next as long as `belongs` is true of them.
  template <class Belongs>
  std::string_view word(Belongs belongs) {
    const std::string_view left = rest();
    const auto end = std::find_if_not(left.begin(), left.end(), belongs);
    at_ += static_cast<std::size_t>(end - left.begin());
    return left.substr(0, static_cast<std::size_t>(end - left.begin()));
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// ASCII, in every locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
inline bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }

}  // namespace zz::core
