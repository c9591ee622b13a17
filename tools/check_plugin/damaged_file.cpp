#include "tools/check_plugin/damaged_file.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

namespace zz::host {
namespace {

/// Limit for each sort of place, so that a large file takes no longer.
constexpr std::size_t most_places = 12;

/// A part of the text, from `begin` to before `end`.
struct Part {
  std::size_t begin = 0, end = 0;
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The words of the text; with `numbers`, the numbers instead.
std::vector<Part> tokens(const std::string& text, bool numbers) {
  std::vector<Part> found;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i]) && !is_letter(text[i])) {
      ++i;
      continue;
    }
    const bool number = is_digit(text[i]);
    std::size_t end = i + 1;
    while (end < text.size() && (is_digit(text[end]) || (number ? text[end] == '.' : is_letter(text[end]))))
      ++end;
    if (number == numbers) found.push_back({i, end});
    i = end;
  }
  return found;
}

std::vector<Part> lines(const std::string& text) {
  std::vector<Part> found;
  for (std::size_t i = 0; i < text.size(); i = found.back().end)
    found.push_back({i, std::min(text.find('\n', i), text.size() - 1) + 1});
  return found;
}

/// Spread over the whole list.
std::vector<Part> some(const std::vector<Part>& all) {
  if (all.size() <= most_places) return all;
  std::vector<Part> chosen;
  for (std::size_t i = 0; i < most_places; ++i) chosen.push_back(all[i * all.size() / most_places]);
  return chosen;
}

class Damage {
 public:
  explicit Damage(const std::string& text) : text_(text) {}

  void cut_off() {
    copies_.push_back({"nothing in it", ""});
    for (const std::size_t of : {4, 2})
      add(fmt::format("only the first {} of its {} bytes", text_.size() / of, text_.size()),
          {text_.size() / of, text_.size()}, "");
  }
  void replace(const std::vector<Part>& parts, const char* sort, const std::string& by) {
    for (const Part& part : parts)
      add(fmt::format("the {} {} in line {} {}", sort, text_.substr(part.begin, part.end - part.begin),
                      line_of(part.begin), by.empty() ? "left out" : "replaced by '" + by + "'"),
          part, by);
  }
  void leave_out(const std::vector<Part>& lines) {
    for (const Part& line : lines) add(fmt::format("line {} left out", line_of(line.begin)), line, "");
  }
  void spoil_bytes() {
    for (const char byte : {'\0', '\xff'})
      for (const std::size_t fifth : {1, 3}) {
        const std::size_t at = text_.size() * fifth / 5;
        add(fmt::format("a byte {:#04x} in line {}", static_cast<unsigned char>(byte), line_of(at)),
            {at, at}, std::string(1, byte));
      }
  }
  std::vector<DamagedCopy> take() { return std::move(copies_); }

 private:
  std::size_t line_of(std::size_t at) const {
    return 1 + static_cast<std::size_t>(
                   std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  void add(std::string how, const Part& part, const std::string& by) {
    copies_.push_back({std::move(how), text_.substr(0, part.begin) + by + text_.substr(part.end)});
  }

  const std::string& text_;
  std::vector<DamagedCopy> copies_;
};

}  // namespace

std::vector<DamagedCopy> damaged_copies(const std::string& text) {
  const std::vector<Part> numbers = some(tokens(text, true));
  Damage damage(text);
  damage.cut_off();
  for (const char* const by : {"x", "", "-1", "99999999999999999999"})
    damage.replace(numbers, "number", by);
  damage.replace(some(tokens(text, false)), "word", "?");
  damage.leave_out(some(lines(text)));
  damage.spoil_bytes();
  return damage.take();
}

}  // namespace zz::host
