#include "plugins/other_tools/tagged_yaml.hpp"

#include <cstddef>
#include <fmt/format.h>

#include "core/input/yaml/document.hpp"
#include "plugins/other_tools/text_fields.hpp"

namespace zz::core {
namespace {

void refuse_templates(const TextLine& line, std::size_t end, const std::string& tool) {
  for (const char* sign : {"{{", "{%", "<<<"}) {
    const std::size_t found = line.text.find(sign);
    if (found >= end) continue;
    SourceMark mark = line.mark;
    mark.column += static_cast<int>(found);
    throw InputError({Diagnostic{Severity::error, mark,
                                 fmt::format("'{}' is a template of {}, and zz expands none", sign, tool),
                                 "a file with the values in their places is expected"}});
  }
}

}  // namespace

yaml::Node read_tagged_yaml(const std::string& path, const std::string& tool, Diagnostics& diagnostics,
                            const Files& files) {
  const std::string text = files.read(path, most_text_bytes, "a YAML file");
  for (const TextLine& line : lines_of(text, path))
    refuse_templates(line, begin_of_comment(line.text), tool);
  return yaml::load_text(text, path, diagnostics, files.value_name(path), yaml::OwnTags::kept);
}

yaml::Node read_tagged_template(const std::string& path, const TemplateValues& values,
                                Diagnostics& diagnostics, const Files& files) {
  const std::string text = files.read(path, most_text_bytes, "a YAML file");
  return yaml::load_text(expanded_template(text, path, values), path, diagnostics, files.value_name(path),
                         yaml::OwnTags::kept);
}

}  // namespace zz::core
