#include <charconv>
#include <cmath>

#include "core/value/read.hpp"

namespace zz::core {
namespace {

void write_text(std::string& out, std::string_view text) {
  constexpr const char* digits = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += digits[c >> 4];
          out += digits[c & 15];
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void write_number(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  char buffer[32];
  const std::string_view text(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr - buffer);
  out += text;
  if (text.find_first_of(".e") == text.npos) out += ".0";
}

void write(std::string& out, Ref ref) {
  const Kind kind = kind_of(ref);
  std::int64_t integer = 0;
  double number = 0;
  std::string_view text;
  switch (kind) {
    case Kind::none:
    case Kind::null:
      out += "null";
      return;
    case Kind::boolean:
      read_i64(ref, integer);
      out += integer ? "true" : "false";
      return;
    case Kind::i64:
      read_i64(ref, integer);
      out += std::to_string(integer);
      return;
    case Kind::f64:
      read_f64(ref, number);
      write_number(out, number);
      return;
    case Kind::str:
      read_text(ref, text);
      write_text(out, text);
      return;
    default:
      break;
  }
  const bool keyed = kind != Kind::list;
  out += keyed ? '{' : '[';
  const std::uint32_t count = count_of(ref);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i) out += ", ";
    std::string_view key;
    const Ref entry = part_at(ref, i, &key);
    if (keyed) {
      write_text(out, key);
      out += ": ";
    }
    write(out, entry);
  }
  out += keyed ? '}' : ']';
}

}  // namespace

std::string to_json(Ref ref) {
  std::string out;
  write(out, ref);
  return out;
}

}  // namespace zz::core
