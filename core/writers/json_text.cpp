#include "core/writers/json_text.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

std::string number_text(double number) {
  if (!std::isfinite(number)) return "null";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void write(const Json& node, std::size_t indent, std::string& out);

/// The parts of a list or map, each on a line of its own.
template <class WritePart>
void write_parts(const Json& node, std::string_view brackets, std::size_t indent, std::string& out,
                 WritePart write_part) {
  out += brackets.front();
  if (!node.empty()) {
    const char* separator = "\n";
    for (auto part = node.begin(); part != node.end(); ++part) {
      out += separator;
      out.append(indent + 4, ' ');
      write_part(part);
      separator = ",\n";
    }
    out += '\n';
    out.append(indent, ' ');
  }
  out += brackets.back();
}

void write(const Json& node, std::size_t indent, std::string& out) {
  if (node.is_object()) {
    write_parts(node, "{}", indent, out, [&](const Json::const_iterator& part) {
      write(Json(part.key()), 0, out);
      out += ": ";
      write(*part, indent + 4, out);
    });
  } else if (node.is_array()) {
    write_parts(node, "[]", indent, out,
                [&](const Json::const_iterator& part) { write(*part, indent + 4, out); });
  } else if (node.is_number_float()) {
    out += number_text(node.get<double>());
  } else {
    // Names come from files that may hold any bytes: a wrong one is replaced, never a reason to fail.
    out += node.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

}  // namespace

std::string json_text(const Json& tree) {
  std::string out;
  write(tree, 0, out);
  out += '\n';
  return out;
}

}  // namespace zz::core
