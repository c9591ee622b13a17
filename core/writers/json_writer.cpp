#include "core/writers/json_writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <utility>

#include "core/writers/json_quote.hpp"

namespace zz::core {
namespace {

/// Whole numbers below this are written without an exponent.
constexpr double exact = 1e15;
/// In bytes, ".0" included.
constexpr std::size_t longest_number = 32;

}  // namespace

void JsonWriter::begin_part() {
  if (std::exchange(after_key_, false) || depth_ == 0) return;
  const std::size_t blanks = indent_ * depth_;
  char* end = text_.room(2 + blanks);
  if (!empty_) *end++ = ',';
  *end++ = '\n';
  std::memset(end, ' ', blanks);
  text_.end_at(end + blanks);
  empty_ = false;
}

void JsonWriter::begin(char bracket) {
  begin_part();
  text_.append(bracket);
  ++depth_;
  empty_ = true;
}

void JsonWriter::end(char bracket) {
  --depth_;
  if (!empty_) {
    text_.append('\n');
    text_.append(indent_ * depth_, ' ');
  }
  text_.append(bracket);
  empty_ = false;
}

void JsonWriter::key(std::string_view name) {
  begin_part();
  append_json_string(name, text_);
  text_.append(": ");
  after_key_ = true;
}

void JsonWriter::literal(std::string_view text) {
  begin_part();
  text_.append(text);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) {
    null();
    return;
  }
  begin_part();
  char* end = text_.room(longest_number);
  if (std::fabs(number) < exact && number == std::trunc(number) && !(number == 0 && std::signbit(number))) {
    const fmt::format_int digits(static_cast<std::int64_t>(number));
    end = TextBuffer::put(end, {digits.data(), digits.size()});
    text_.end_at(TextBuffer::put(end, ".0"));
    return;
  }
  char* const begin = end;
  end = fmt::format_to(begin, FMT_COMPILE("{}"), number);
  if (std::none_of(begin, end, [](char letter) { return letter == '.' || letter == 'e'; }))
    end = TextBuffer::put(end, ".0");
  text_.end_at(end);
}

void JsonWriter::integer(std::int64_t number) {
  begin_part();
  const fmt::format_int digits(number);
  text_.append({digits.data(), digits.size()});
}

void JsonWriter::value(std::string_view text) {
  begin_part();
  append_json_string(text, text_);
}

std::string JsonWriter::text() && {
  text_.append('\n');
  return std::move(text_).text();
}

}  // namespace zz::core
