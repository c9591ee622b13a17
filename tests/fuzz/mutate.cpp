#include "tests/fuzz/mutate.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace zz::fuzz {

// SplitMix64 (Steele, Lea and Flood, 2014).
std::uint64_t Random::next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

namespace {

const std::array odd_scalars{"0",
                             "-1",
                             "1",
                             "2",
                             "3",
                             "7",
                             "64",
                             "1000",
                             "65536",
                             "2147483647",
                             "2147483648",
                             "4294967296",
                             "9007199254740993",
                             "9223372036854775807",
                             "9223372036854775808",
                             "-9223372036854775808",
                             "0.5",
                             "1.0e-14",
                             "1.0e+300",
                             "1.0e+400",
                             "-0.0",
                             ".inf",
                             "-.inf",
                             ".nan",
                             "1e3",
                             "true",
                             "no",
                             "~",
                             "''",
                             "\"\"",
                             "[]",
                             "{}",
                             "[[]]",
                             "[0]",
                             "{a: b}",
                             "*x",
                             "&x y",
                             "<<",
                             "!!int x",
                             "all",
                             "\"*\"",
                             "O",
                             "I",
                             "W",
                             "I1",
                             "K",
                             "OX",
                             "D1",
                             "D9",
                             "\"K, 3\"",
                             "\"OX, 2\"",
                             "\"I1, tl\"",
                             "a/b",
                             "../x",
                             "é",
                             "[1, 2",
                             "'open",
                             "1:30",
                             "0x10",
                             "010"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

struct Span {
  std::size_t begin = 0, size = 0;
};

/// The scalars of a line, without blanks and punctuation around them.
std::vector<Span> scalars_of(const std::string& line) {
  constexpr const char* between = " ,[]{}\t\"'";
  std::vector<Span> spans;
  for (std::size_t at = line.find_first_not_of(between); at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(between, at), line.size());
    const bool is_key = line[end - 1] == ':';
    if (end - at > (is_key ? 1U : 0U)) spans.push_back({at, end - at - (is_key ? 1 : 0)});
    at = line.find_first_not_of(between, end);
  }
  return spans;
}

void change_line(std::vector<std::string>& lines, Random& random) {
  const std::size_t at = random.below(lines.size());
  std::string& line = lines[at];
  const std::vector<Span> spans = scalars_of(line);
  switch (random.below(spans.empty() ? 8 : 24)) {
    case 0:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), std::string(line));
      break;
    case 2:
      std::swap(line, lines[random.below(lines.size())]);
      break;
    case 3:
      line.insert(0, random.below(5), ' ');
      break;
    case 4:
      line.erase(0, std::min(line.find_first_not_of(' '), 1 + random.below(4)));
      break;
    case 5: {  // a block is repeated
      const std::size_t count = std::min(lines.size() - at, 1 + random.below(12));
      const std::vector<std::string> block(lines.begin() + static_cast<std::ptrdiff_t>(at),
                                           lines.begin() + static_cast<std::ptrdiff_t>(at + count));
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), block.begin(), block.end());
      break;
    }
    case 6: {  // a block is left out
      const std::size_t count = std::min(lines.size() - at, 1 + random.below(6));
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at),
                  lines.begin() + static_cast<std::ptrdiff_t>(at + count));
      break;
    }
    case 7:
      line = mutated_bytes(line, random);
      break;
    case 8:
    case 9: {  // a scalar of another place
      const std::string& other = lines[random.below(lines.size())];
      const std::vector<Span> others = scalars_of(other);
      if (others.empty()) break;
      const Span from = others[random.below(others.size())], to = spans[random.below(spans.size())];
      line.replace(to.begin, to.size, std::string(other, from.begin, from.size));
      break;
    }
    case 10: {  // a scalar is left out
      const Span span = spans[random.below(spans.size())];
      line.erase(span.begin, span.size);
      break;
    }
    case 11: {
      const Span span = spans[random.below(spans.size())];
      line.insert(span.begin + span.size, ", " + line.substr(span.begin, span.size));
      break;
    }
    case 12: {
      const Span span = spans[random.below(spans.size())];
      line.replace(span.begin, span.size, std::string(1 + random.below(3000), 'x'));
      break;
    }
    default: {
      const Span span = spans[random.below(spans.size())];
      line.replace(span.begin, span.size, odd_scalars[random.below(odd_scalars.size())]);
      break;
    }
  }
}

}  // namespace

std::string mutated_bytes(std::string bytes, Random& random) {
  for (std::size_t change = 0; change <= random.below(3); ++change) {
    if (bytes.empty()) return std::string(1, static_cast<char>(random.below(256)));
    const std::size_t at = random.below(bytes.size());
    switch (random.below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 2:
        bytes.insert(at, 1 + random.below(8), static_cast<char>(random.below(256)));
        break;
      default:
        bytes.erase(at, random.one_in(8) ? bytes.size() : 1 + random.below(8));
        break;
    }
  }
  return bytes;
}

std::string mutated_yaml(const std::string& text, Random& random) {
  std::vector<std::string> lines = lines_of(text);
  for (std::size_t change = 0; change <= random.below(3) && !lines.empty(); ++change)
    change_line(lines, random);
  std::string changed;
  for (const std::string& line : lines) changed += line + "\n";
  return changed;
}

}  // namespace zz::fuzz
