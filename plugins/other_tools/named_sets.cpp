#include "plugins/other_tools/named_sets.hpp"

#include <bit>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/base/text_scanner.hpp"

namespace zz::plugins {
namespace {

// docs/limits.md names it.
constexpr int deepest_brackets = 100;

bool may_stand_in_name(char c) { return core::is_letter_or_digit(c) || c == '_' || c == '.'; }

}  // namespace

/// A recursive descent, with the precedence of Python: choice -> union -> intersection -> difference ->
/// complement.
class NamedSets::Reader {
 public:
  Reader(const NamedSets& sets, const std::string& text) : sets_(sets), text_(text), scanner_(text) {}

  Set whole_set() {
    const Set made = choice();
    expect_end();
    return made;
  }
  bool whole_test() {
    const bool made = test();
    expect_end();
    return made;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw core::InputError(fmt::format("in '{}': {}", core::shown_text(text_), what));
  }

  void expect_end() {
    if (!scanner_.at_end()) fail("an operator is expected");
  }
  bool take(std::string_view sign) { return scanner_.take(sign); }
  std::string word() { return std::string(scanner_.word(may_stand_in_name)); }
  bool take_word(std::string_view wanted) {
    const std::size_t before = scanner_.at();
    if (word() == wanted) return true;
    scanner_.go_to(before);
    return false;
  }

  Set choice() {
    if (++depth_ > deepest_brackets) fail("there are too many brackets within each other");
    Set made = one_of_both();
    --depth_;
    return made;
  }

  Set one_of_both() {
    const Set first = united();
    if (!take_word("if")) return first;
    const bool chosen = test();
    if (!take_word("else")) fail("'else' is expected");
    const Set second = choice();
    return chosen ? first : second;
  }

  Set united() {
    Set made = common();
    while (take("|")) made |= common();
    return made;
  }

  Set common() {
    Set made = difference();
    while (take("&")) made &= difference();
    return made;
  }

  Set difference() {
    Set made = complement();
    while (take("-")) made &= ~complement();
    return made;
  }

  Set complement() {
    bool inverted = false;
    while (take("~")) inverted = !inverted;
    const Set made = single();
    return inverted ? sets_.all_ & ~made : made;
  }

  Set single() {
    if (take("(")) {
      const Set made = choice();
      if (!take(")")) fail("')' is expected");
      return made;
    }
    const std::string name = word();
    if (name.empty()) fail("a name is expected");
    const auto found = sets_.sets_.find(name);
    if (found != sets_.sets_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [one, set] : sets_.sets_) known.push_back(one);
    fail(fmt::format("'{}' is no set; {}", core::shown_text(name), core::suggestion(name, known)));
  }

  /// A set, which holds when it is not empty, or a comparison of two numbers.
  bool test() {
    const std::optional<std::int64_t> left = count();
    if (!left) return united() != 0;
    for (const char* sign : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!take(sign)) continue;
      const std::optional<std::int64_t> right = count();
      if (!right) fail("a number is expected");
      const std::string_view which = sign;
      if (which == "==") return *left == *right;
      if (which == "!=") return *left != *right;
      if (which == "<=") return *left <= *right;
      if (which == ">=") return *left >= *right;
      return which == "<" ? *left < *right : *left > *right;
    }
    return *left != 0;
  }

  /// "len(SET)" or a whole number.
  std::optional<std::int64_t> count() {
    const std::size_t before = scanner_.at();
    const std::string first = word();
    if (first == "len" && take("(")) {
      const Set set = choice();
      if (!take(")")) fail("')' is expected");
      return std::popcount(set);
    }
    std::int64_t number = 0;
    const char* const end = first.data() + first.size();
    const auto [stop, failure] = std::from_chars(first.data(), end, number);
    if (failure == std::errc() && stop == end) return number;
    if (first == "True" || first == "False") return first == "True" ? 1 : 0;
    scanner_.go_to(before);
    return std::nullopt;
  }

  const NamedSets& sets_;
  const std::string& text_;
  core::TextScanner scanner_;
  int depth_ = 0;
};

NamedSets::Set NamedSets::evaluate(const std::string& text) const {
  return Reader(*this, text).whole_set();
}

bool NamedSets::test(const std::string& text) const { return Reader(*this, text).whole_test(); }

}  // namespace zz::plugins
