#include "plugins/other_tools/tagged_yaml.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

#include "core/input/yaml/document.hpp"
#include "plugins/other_tools/text_fields.hpp"

namespace zz::plugins {
namespace {

void refuse_templates(const TextLine& line, std::size_t end, const std::string& tool) {
  for (const char* sign : {"{{", "{%", "<<<"}) {
    const std::size_t found = line.text.find(sign);
    if (found >= end) continue;
    core::SourceMark mark = line.mark;
    mark.column += static_cast<int>(found);
    throw core::InputError(
        {core::Diagnostic{core::Severity::error, mark,
                          fmt::format("'{}' is a template of {}, and zz expands none", sign, tool),
                          "a file with the values in their places is expected"}});
  }
}

/// Files before version 0.4 write "data-spaces". A key that stands in both spellings stays as it is.
void underline_keys(core::yaml::Node& node) {
  for (core::yaml::Node& item : node.items) underline_keys(item);
  for (auto& [key, value] : node.entries) {
    std::string underlined = key;
    std::replace(underlined.begin(), underlined.end(), '-', '_');
    if (node.find(underlined) == nullptr) key = underlined;
    underline_keys(value);
  }
}

}  // namespace

core::yaml::Node read_tagged_yaml(const std::string& path, const std::string& tool,
                                  core::Diagnostics& diagnostics, const core::Files& files) {
  const std::string text = files.read(path, most_text_bytes, "a YAML file");
  for (const TextLine& line : lines_of(text, path))
    refuse_templates(line, begin_of_comment(line.text), tool);
  core::yaml::Node root =
      core::yaml::load_text(text, path, diagnostics, files.value_name(path), core::yaml::OwnTags::kept);
  underline_keys(root);
  return root;
}

core::yaml::Node read_tagged_template(const std::string& path, const TemplateValues& values,
                                      core::Diagnostics& diagnostics, const core::Files& files) {
  const std::string text = files.read(path, most_text_bytes, "a YAML file");
  return core::yaml::load_text(expanded_template(text, path, values), path, diagnostics,
                               files.value_name(path), core::yaml::OwnTags::kept);
}

}  // namespace zz::plugins
