#include "plugins/other_tools/yaml_template.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/expression.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "plugins/other_tools/text_fields.hpp"

namespace zz::plugins {
namespace {

std::string without_quotes(const std::string& text) {
  const bool quoted =
      text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

class TemplateReader {
 public:
  TemplateReader(const std::string& path, TemplateValues given) : path_(path), values_(std::move(given)) {}

  std::string read(const std::string& text) {
    std::string made;
    for (const TextLine& line : lines_of(text, path_)) made += expanded(line) + "\n";
    return made;
  }

 private:
  std::string expanded(const TextLine& line) {
    const std::size_t end = begin_of_comment(line.text);
    std::string made;
    std::size_t at = 0;
    while (at < end) {
      const std::size_t begin = line.text.find('{', at);
      const char sign = begin < end && begin + 1 < line.text.size() ? line.text[begin + 1] : '\0';
      if (begin >= end) break;
      made += line.text.substr(at, begin - at);
      if (sign != '{' && sign != '%') {
        made += '{';
        at = begin + 1;
        continue;
      }
      const std::size_t close = line.text.find(sign == '{' ? "}}" : "%}", begin + 2);
      core::SourceMark mark = line.mark;
      mark.column += static_cast<int>(begin);
      if (close == std::string::npos) fail(mark, "a template that does not end on its line");
      const std::string inside = trimmed(line.text.substr(begin + 2, close - begin - 2), mark).text;
      if (sign == '{')
        made += value_of(inside, mark);
      else
        set(inside, mark);
      at = close + 2;
    }
    return made + line.text.substr(std::min(at, line.text.size()));
  }

  /// "set NAME = VALUE" or "set NAME = NAME | default(VALUE)".
  void set(const std::string& inside, const core::SourceMark& mark) {
    const std::size_t equal = inside.find('=');
    if (!inside.starts_with("set ") || equal == std::string::npos)
      fail(mark, fmt::format("the template '{}'", core::shown_text(inside)));
    const std::string name = trimmed(inside.substr(4, equal - 4), mark).text;
    std::string value = trimmed(inside.substr(equal + 1), mark).text;
    if (!is_name(name)) fail(mark, fmt::format("the template '{}'", core::shown_text(inside)));
    const std::size_t bar = value.find('|');
    if (bar == std::string::npos) {
      values_[name] = value_of(value, mark);
      return;
    }
    const std::string filter = trimmed(value.substr(bar + 1), mark).text;
    if (trimmed(value.substr(0, bar), mark).text != name || !filter.starts_with("default(") ||
        !filter.ends_with(")"))
      fail(mark, fmt::format("the template '{}'", core::shown_text(inside)));
    if (values_.count(name) == 0) values_[name] = value_of(filter.substr(8, filter.size() - 9), mark);
  }

  /// A text in quotes, a name, or an expression of numbers.
  std::string value_of(const std::string& text, const core::SourceMark& mark) {
    if (const std::string inner = without_quotes(text); inner.size() != text.size()) return inner;
    if (is_name(text)) return named(text, mark);
    double value = 0;
    try {
      value = core::evaluate_expression(text, [&](const std::string& name) {
        const std::string of_name = named(name, mark);
        double number = 0;
        const char* const end = of_name.data() + of_name.size();
        const auto [stop, failure] = std::from_chars(of_name.data(), end, number);
        if (failure != std::errc() || stop != end)
          fail(mark, fmt::format("'{}', which is '{}', in an expression", core::shown_text(name),
                                 core::shown_text(of_name)));
        return number;
      });
    } catch (const core::InputError& problem) {
      if (!problem.diagnostics().front().mark.file.empty()) throw;
      fail(mark, fmt::format("the template '{}'", core::shown_text(text)));
    }
    return fmt::format("{}", value);
  }

  const std::string& named(const std::string& name, const core::SourceMark& mark) const {
    const auto found = values_.find(name);
    if (found != values_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [one, value] : values_) known.push_back(one);
    throw core::InputError({core::Diagnostic{
        core::Severity::error, mark,
        fmt::format("nothing says what '{}' of the template is", core::shown_text(name)),
        known.empty() ? fmt::format("give it in `values`, as {{{}: 1}}", core::shown_text(name))
                      : core::suggestion(name, known)}});
  }

  [[noreturn]] static void fail(const core::SourceMark& mark, const std::string& what) {
    throw core::InputError({core::Diagnostic{
        core::Severity::error, mark, fmt::format("zz does not expand {}", what),
        "names in '{{ }}' and '{% set NAME = NAME | default(VALUE) %}' are expected; for loops, "
        "conditions and included files, the file with the values in their places"}});
  }

  const std::string& path_;
  TemplateValues values_;
};

}  // namespace

std::string expanded_template(const std::string& text, const std::string& path,
                              const TemplateValues& given) {
  return TemplateReader(path, given).read(text);
}

}  // namespace zz::plugins
