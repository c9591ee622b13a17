#pragma once
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace zz::core {

/// Layout of a tree as JSON text: the containers of the first `levels` levels have a line for each of their
/// parts, indented by `indent` blanks a level; each container below them stands on one line: {"a": 1, "b":
/// [2, 3]}.
struct JsonLayout {
  int indent = 4;
  int levels = std::numeric_limits<int>::max();
};

/// The whole tree on one line.
inline constexpr JsonLayout one_line{.levels = 0};

/// The tree as JSON text, without a line end. Integers are exact. Other numbers are written as
/// append_json_number() does. Bytes that are not UTF-8 are replaced, never a reason to fail: names come
/// from files that may hold anything.
std::string json_text(const nlohmann::ordered_json& tree, const JsonLayout& layout = {});

/// Appends the fewest digits that read back as the same double, and always shows that it is one: "48.0",
/// "1e+16". Infinities and what is not a number become "null": JSON has no words for them.
void append_json_number(std::string& out, double number);

/// The text in quotation marks, with what JSON demands to be escaped, and what a terminal would act on.
std::string json_string(std::string_view text);

}  // namespace zz::core
