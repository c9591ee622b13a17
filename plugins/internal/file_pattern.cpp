#include "plugins/internal/file_pattern.hpp"

#include "core/output/file_names.hpp"
#include "plugins/internal/this_run.hpp"

namespace zz::plugins {
namespace {

[[noreturn]] void refuse(const std::string& setting, const std::string& pattern, const std::string& why) {
  throw Error(ZZ_E_INVALID, setting + " '" + pattern + "': " + why);
}

/// Calls `literal(char)` and `field(name)` for the parts of the pattern.
template <class Literal, class Field>
void walk(const std::string& setting, const std::string& pattern, Literal literal, Field field) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c != '{' && c != '}') {
      literal(c);
    } else if (i + 1 < pattern.size() && pattern[i + 1] == c) {
      literal(c);
      ++i;
    } else if (c == '}') {
      refuse(setting, pattern, "a '}' closes nothing; write '}}' for a brace");
    } else {
      const std::size_t end = pattern.find('}', i);
      if (end == std::string::npos) refuse(setting, pattern, "a '{' is not closed; write '{{' for a brace");
      const std::string name = pattern.substr(i + 1, end - i - 1);
      if (name.empty() || name.find_first_of("{:!") != std::string::npos)
        refuse(setting, pattern, "between braces a key of the context is expected, found '" + name + "'");
      field(name);
      i = end;
    }
  }
}

std::string text_of(const Value& ctx, const std::string& name, const std::string& setting,
                    const std::string& pattern) {
  Ref part = ctx[Name(name)];
  if (name == "datetime" && part.kind() != ZZ_STR) return this_run().started();
  if (!part.exists())
    throw Error(ZZ_E_MISSING, setting + " '" + pattern + "': the context has no '" + name + "' here");
  if (part.kind() == ZZ_OBJECT && part["name"].kind() == ZZ_STR) part = part["name"];
  if (part.kind() == ZZ_STR) return std::string(part.str());
  if (part.kind() == ZZ_BOOL || part.kind() == ZZ_I64 || part.kind() == ZZ_F64) return part.json();
  throw Error(ZZ_E_TYPE, setting + " '" + pattern + "': '" + name + "' is neither a text nor a number");
}

}  // namespace

void check_pattern(const std::string& setting, const std::string& pattern) {
  walk(
      setting, pattern, [](char) {}, [](const std::string&) {});
}

PatternPath path_of_pattern(const std::string& setting, const std::string& pattern, const Value& ctx) {
  PatternPath result;
  walk(
      setting, pattern, [&](char c) { result.path += c; },
      [&](const std::string& name) {
        const std::string text = text_of(ctx, name, setting, pattern);
        result.values += (result.values.empty() ? "the results of " : ", ") + name + " = '" + text + "'";
        result.path += core::as_file_name(text);
      });
  result.path = core::fitting_path(result.path);
  return result;
}

}  // namespace zz::plugins
