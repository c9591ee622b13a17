#include "core/writers/json_writer.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <utility>

#include "core/writers/json_quote.hpp"

namespace zz::core {
namespace {

/// Whole numbers below this are written without an exponent.
constexpr double exact = 1e15;

}  // namespace

void JsonWriter::begin_part() {
  if (std::exchange(after_key_, false) || depth_ == 0) return;
  if (!empty_) text_ += ',';
  const std::size_t blanks = indent_ * depth_;
  text_.append(1 + blanks, ' ');
  text_[text_.size() - blanks - 1] = '\n';
  empty_ = false;
}

void JsonWriter::begin(char bracket) {
  begin_part();
  text_ += bracket;
  ++depth_;
  empty_ = true;
}

void JsonWriter::end(char bracket) {
  --depth_;
  if (!empty_) {
    text_ += '\n';
    text_.append(indent_ * depth_, ' ');
  }
  text_ += bracket;
  empty_ = false;
}

void JsonWriter::key(std::string_view name) {
  begin_part();
  append_json_string(name, text_);
  text_ += ": ";
  after_key_ = true;
}

void JsonWriter::literal(std::string_view text) {
  begin_part();
  text_ += text;
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) {
    null();
    return;
  }
  begin_part();
  if (std::fabs(number) < exact && number == std::trunc(number) && !(number == 0 && std::signbit(number))) {
    const fmt::format_int digits(static_cast<std::int64_t>(number));
    text_.append(digits.data(), digits.size()).append(".0");
    return;
  }
  char digits[32];
  char* const end = fmt::format_to(digits, FMT_COMPILE("{}"), number);
  text_.append(digits, end);
  if (std::none_of(digits, end, [](char letter) { return letter == '.' || letter == 'e'; })) text_ += ".0";
}

void JsonWriter::integer(std::int64_t number) {
  begin_part();
  const fmt::format_int digits(number);
  text_.append(digits.data(), digits.size());
}

void JsonWriter::value(std::string_view text) {
  begin_part();
  append_json_string(text, text_);
}

std::string JsonWriter::text() && {
  text_ += '\n';
  return std::move(text_);
}

}  // namespace zz::core
