#include "plugins/pictures/page.hpp"

#include <deque>
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/files/new_file.hpp"
#include "plugins/pictures/resources.hpp"

namespace zz::plugins {
namespace {

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string result;
  std::size_t place = 0;
  for (std::size_t found; (found = text.find(what, place)) != text.npos; place = found + what.size())
    result.append(text.substr(place, found - place)).append(by);
  return result.append(text.substr(place));
}

std::string html_text(const std::string& text) {
  return replaced(replaced(text, "&", "&amp;"), "<", "&lt;");
}

/// Data of a page. In JSON "</" may be written "<\/", and then names that come from files cannot end the
/// element.
std::string escaped_data(std::string_view data) {
  return replaced(replaced(data, "</", "<\\/"), "<!--", "<\\u0021--");
}

/// What stands before a mark, which is taken away with it.
std::string_view take_until(std::string_view& frame, std::string_view mark) {
  const std::size_t place = frame.find(mark);
  const std::string_view before = frame.substr(0, place);
  frame.remove_prefix(place + mark.size());
  return before;
}

}  // namespace

bool can_make_pages() { return !resource("vega.gz.base64").empty(); }

void write_page(const std::string& path, const std::string& kind, const std::string& title,
                std::span<const Figure> figures, const std::string& note) {
  std::string_view frame = resource("frame.html");
  std::deque<std::string> made;  // what some of the pieces are views of
  std::vector<std::string_view> pieces;
  const auto add = [&](std::string_view piece) { pieces.push_back(piece); };
  const auto make = [&](std::string text) { add(made.emplace_back(std::move(text))); };
  add(take_until(frame, "{{license}}"));
  add(resource("vega_license.txt"));
  add(take_until(frame, "{{title}}"));
  make(html_text(title));
  add(take_until(frame, "{{style}}"));
  add(resource("page.css"));
  add(take_until(frame, "{{body}}"));
  make(replaced(resource(kind + ".html"), "{{note}}", html_text(note)));
  add(take_until(frame, "{{specifications}}"));
  for (const Figure& figure : figures) {
    make("<script type=\"application/json\" id=\"" + figure.name + "-specification\">\n");
    for (const std::string_view part : figure.specification) {
      if (part.find('<') == part.npos)
        add(part);
      else
        make(escaped_data(part));
    }
    add("\n</script>\n");
  }
  add(take_until(frame, "{{vega}}"));
  add(resource("vega.gz.base64"));
  add(take_until(frame, "{{common}}"));
  add(resource("common.js"));
  add(take_until(frame, "{{script}}"));
  add(resource(kind + ".js"));
  add(frame);
  core::NewFile file(path);
  file.write(pieces);
  file.commit();
}

std::string without_picture_extension(const std::string& name) {
  const std::filesystem::path path(name);
  const std::string extension = path.extension().string();
  for (const char* known : {".html", ".htm", ".png", ".pdf", ".svg"})
    if (extension == known) return (path.parent_path() / path.stem()).string();
  return name;
}

}  // namespace zz::plugins
