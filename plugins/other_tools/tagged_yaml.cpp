#include "plugins/other_tools/tagged_yaml.hpp"

#include <cctype>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

#include "core/input/yaml/document.hpp"
#include "plugins/other_tools/text_fields.hpp"

namespace zz::core {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Where the comment of a line begins; its length without one. Quotes are looked at within the line.
std::size_t begin_of_comment(const std::string& line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return i;
    }
  }
  return line.size();
}

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

TaggedYaml::TaggedYaml(const std::string& path, const std::string& tool, Diagnostics& diagnostics,
                       const Files& files) {
  const std::string text = files.read(path, most_text_bytes, "a YAML file");
  for (const TextLine& line : lines_of(text, path))
    refuse_templates(line, begin_of_comment(line.text), tool);
  root_ = yaml::load_text(without_tags(text, path), path, diagnostics, files.value_name(path));
}

/// The text with spaces in the place of tags, so that all else keeps its place.
std::string TaggedYaml::without_tags(const std::string& text, const std::string& path) {
  std::string plain;
  bool open = false;  // a tag whose map has not begun yet
  for (TextLine& line : lines_of(text, path)) {
    const std::size_t end = begin_of_comment(line.text);
    for (std::size_t i = 0; i < end; ++i) {
      const char c = line.text[i];
      SourceMark mark = line.mark;
      mark.column += static_cast<int>(i);
      const bool begins =
          i == 0 || line.text[i - 1] == ' ' || line.text[i - 1] == '[' || line.text[i - 1] == ',';
      if (c == '!' && begins && i + 1 < end && is_letter(line.text[i + 1])) {
        Tag tag;
        tag.mark = mark;
        for (std::size_t at = i + 1; at < end && is_letter(line.text[at]); ++at) {
          tag.name += line.text[at];
          line.text[at] = ' ';
        }
        line.text[i] = ' ';
        i += tag.name.size();
        tags_.push_back(std::move(tag));
        open = true;
      } else if (open && c != ' ' && c != '\t' && c != '\r') {
        tags_.back().behind = mark;
        open = false;
      }
    }
    plain += line.text + "\n";
  }
  return plain;
}

std::string TaggedYaml::tag_of(const yaml::Node& map) const {
  for (const Tag& tag : tags_)
    if (tag.behind.line == map.mark.line && tag.behind.column == map.mark.column) return tag.name;
  return "";
}

}  // namespace zz::core
