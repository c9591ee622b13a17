#include "plugins/pictures/picture.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/json_text.hpp"
#include "core/base/new_file.hpp"
#include "core/base/text.hpp"
#include "plugins/pictures/resources.hpp"

namespace zz::plugins {

namespace {

/// Colours are told once for all pictures, so that a cause has the same one on each: "{{computing}}" in a
/// specification is that of colours.json. In expressions a list is one of the expression's.
void put_colours(nlohmann::ordered_json& part, const nlohmann::ordered_json& colours) {
  if (part.is_structured()) {
    for (auto& inner : part) put_colours(inner, colours);
    return;
  }
  if (!part.is_string()) return;
  auto text = part.get<std::string>();
  for (std::size_t at; (at = text.find("{{")) != std::string::npos;) {
    const std::size_t end = text.find("}}", at);
    const nlohmann::ordered_json& colour = colours.at(text.substr(at + 2, end - at - 2));
    if (at == 0 && end + 2 == text.size()) {
      part = colour;
      return;
    }
    std::string written = colour.is_string() ? colour.get<std::string>() : colour.dump();
    for (char& letter : written)
      if (letter == '"') letter = '\'';
    text.replace(at, end + 2 - at, written);
  }
  part = text;
}

}  // namespace

Picture make_picture(const std::string& name, VegaTables tables) {
  nlohmann::ordered_json specification = nlohmann::ordered_json::parse(resource(name + ".vg.json"));
  put_colours(specification, nlohmann::ordered_json::parse(resource("colours.json")));
  for (auto& data : specification["data"]) {
    const auto table = tables.find(data["name"].get<std::string>());
    if (table != tables.end()) data["values"] = std::move(*table);
  }
  // Rows of data, on level 4, have a line each.
  return {name, core::json_text(specification, {.indent = 2, .levels = 4}) + "\n"};
}

namespace {

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string result;
  std::size_t position = 0;
  for (std::size_t found; (found = text.find(what, position)) != text.npos; position = found + what.size())
    result.append(text.substr(position, found - position)).append(by);
  return result.append(text.substr(position));
}

/// Data of a page. In JSON "</" may be written "<\/", and then names that come from files cannot end the
/// element.
std::string escaped_data(std::string_view data) {
  return replaced(replaced(data, "</", "<\\/"), "<!--", "<\\u0021--");
}

}  // namespace

bool can_make_pages() { return !resource("vega.gz.base64").empty(); }

void write_page(const std::string& path, const std::string& kind, const std::string& title,
                std::span<const Picture> pictures, const std::string& note) {
  std::string_view frame = resource("frame.html");
  std::string page;
  // Copies the frame up to a mark, and puts the text in the place of the mark.
  const auto fill = [&](std::string_view mark, std::string_view text) {
    const std::size_t position = frame.find(mark);
    page.append(frame.substr(0, position)).append(text);
    frame.remove_prefix(position + mark.size());
  };
  fill("{{license}}", resource("vega_license.txt"));
  fill("{{title}}", core::html_text(title));
  fill("{{style}}", resource("page.css"));
  fill("{{body}}", replaced(resource(kind + ".html"), "{{note}}", core::html_text(note)));
  fill("{{specifications}}", "");
  for (const Picture& picture : pictures) {
    page += "<script type=\"application/json\" id=\"" + picture.name + "-specification\">\n";
    page += escaped_data(picture.specification) + "</script>\n";
  }
  fill("{{vega}}", resource("vega.gz.base64"));
  fill("{{common}}", resource("common.js"));
  fill("{{script}}", resource(kind + ".js"));
  core::NewFile::write_whole(path, page.append(frame));
}

std::string without_picture_extension(const std::string& name) {
  const std::filesystem::path path(name);
  const std::string extension = path.extension().string();
  for (const char* known : {".html", ".htm", ".png", ".pdf", ".svg"})
    if (extension == known) return (path.parent_path() / path.stem()).string();
  return name;
}

}  // namespace zz::plugins
