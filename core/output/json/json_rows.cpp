#include "core/output/json/json_rows.hpp"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "core/base/json_text.hpp"

namespace zz::core {
namespace {

constexpr std::string_view line = "\n    ";

void append_integer(std::string& out, std::int64_t value) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

}  // namespace

void JsonRows::separate() {
  if (!std::exchange(first_, false)) out_ += ", ";
}

JsonRows& JsonRows::member(std::string_view name) {
  if (!std::exchange(first_member_, false)) out_ += ',';
  out_ += line;
  out_ += json_string(name);
  out_ += ": ";
  first_ = true;
  return *this;
}

JsonRows& JsonRows::key(std::string_view name) {
  separate();
  out_ += json_string(name);
  out_ += ": ";
  first_ = true;
  return *this;
}

JsonRows& JsonRows::open_list() { return open(); }

JsonRows& JsonRows::row() {
  if (!std::exchange(first_, true)) out_ += ',';
  out_ += line;
  out_ += "    ";
  return *this;
}

JsonRows& JsonRows::close_list() {
  if (!first_) out_ += line;
  return close();
}

JsonRows& JsonRows::open() {
  separate();
  out_ += '[';
  first_ = true;
  return *this;
}

JsonRows& JsonRows::close() {
  out_ += ']';
  first_ = false;
  return *this;
}

JsonRows& JsonRows::open_object() {
  separate();
  out_ += '{';
  first_ = true;
  return *this;
}

JsonRows& JsonRows::close_object() {
  out_ += '}';
  first_ = false;
  return *this;
}

JsonRows& JsonRows::number(std::int64_t value) {
  separate();
  append_integer(out_, value);
  return *this;
}

JsonRows& JsonRows::number(double value) {
  separate();
  append(out_, value);
  return *this;
}

void JsonRows::append(std::string& out, double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53: smaller whole doubles are these very integers
  if (std::fabs(value) < exact && value == std::trunc(value))
    append_integer(out, static_cast<std::int64_t>(value));
  else if (std::isinf(value))
    out += value > 0 ? "\"inf\"" : "\"-inf\"";
  else if (std::isnan(value))
    out += "null";
  else
    fmt::format_to(std::back_inserter(out), "{}", value);
}

JsonRows& JsonRows::boolean(bool value) { return raw(value ? "true" : "false"); }

JsonRows& JsonRows::text(std::string_view value) { return raw(json_string(value)); }

JsonRows& JsonRows::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

std::string JsonRows::finish() && {
  out_ += "\n}\n";
  return std::move(out_);
}

}  // namespace zz::core
