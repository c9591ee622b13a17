#include "core/base/json_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/base/text.hpp"

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

void append_string(std::string& out, std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    out.append(1, '"').append(text).append(1, '"');
    return;
  }
  const auto quoted = [&](bool ascii) {
    return Json(text).dump(-1, ' ', ascii, Json::error_handler_t::replace);
  };
  std::string readable = quoted(false);
  out += printable(readable) == readable ? readable : quoted(true);
}

/// nlohmann's own dump() does not always write the fewest digits.
class Writer {
 public:
  Writer(std::string& out, const JsonLayout& layout) : out_(out), layout_(layout) {}

  void write(const Json& node, int level) {
    if (node.is_structured())
      container(node, level);
    else if (node.is_number_float())
      append_json_number(out_, node.get<double>());
    else if (node.is_string())
      append_string(out_, node.get_ref<const std::string&>());
    else if (node.is_number_unsigned())
      out_ += fmt::format_int(node.get<std::uint64_t>()).c_str();
    else if (node.is_number_integer())
      out_ += fmt::format_int(node.get<std::int64_t>()).c_str();
    else
      out_ += node.is_null() ? "null" : node.get<bool>() ? "true" : "false";
  }

 private:
  void container(const Json& node, int level) {
    const bool lines = level < layout_.levels && !node.empty();
    out_ += node.is_object() ? '{' : '[';
    for (auto part = node.begin(); part != node.end(); ++part) {
      if (part != node.begin()) out_ += lines ? "," : ", ";
      if (lines) new_line(level + 1);
      if (node.is_object()) {
        append_string(out_, part.key());
        out_ += ": ";
      }
      write(*part, level + 1);
    }
    if (lines) new_line(level);
    out_ += node.is_object() ? '}' : ']';
  }
  void new_line(int level) {
    out_ += '\n';
    out_.append(static_cast<std::size_t>(layout_.indent) * static_cast<std::size_t>(level), ' ');
  }

  std::string& out_;
  const JsonLayout& layout_;
};

}  // namespace

std::string json_text(const Json& tree, const JsonLayout& layout) {
  std::string text;
  Writer(text, layout).write(tree, 0);
  return text;
}

void append_json_number(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  const std::size_t begin = out.size();
  fmt::format_to(std::back_inserter(out), "{}", number);
  if (out.find_first_of(".e", begin) == std::string::npos) out += ".0";
}

std::string json_string(std::string_view text) {
  std::string quoted;
  append_string(quoted, text);
  return quoted;
}

}  // namespace zz::core
