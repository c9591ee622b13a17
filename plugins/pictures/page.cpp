#include "plugins/pictures/page.hpp"

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
void append_data(std::string& text, std::string_view data) {
  while (true) {
    const std::size_t found = data.find('<');
    text += data.substr(0, found);
    if (found == data.npos) return;
    data.remove_prefix(found);
    const std::pair<std::string_view, std::string_view> spellings[] = {
        {"</", "<\\/"}, {"<!--", "<\\u0021--"}, {"<", "<"}};
    for (const auto& [from, to] : spellings) {
      if (data.substr(0, from.size()) != from) continue;
      text += to;
      data.remove_prefix(from.size());
      break;
    }
  }
}

void append_specifications(std::string& text, const std::vector<Figure>& figures) {
  for (const Figure& figure : figures) {
    text += "<script type=\"application/json\" id=\"" + figure.name + "-specification\">\n";
    append_data(text, figure.specification);
    text += "\n</script>\n";
  }
}

/// What stands before a mark, which is taken away with it.
std::string_view take_until(std::string_view& frame, std::string_view mark) {
  const std::size_t place = frame.find(mark);
  const std::string_view before = frame.substr(0, place);
  frame.remove_prefix(place + mark.size());
  return before;
}

}  // namespace

bool can_make_pages() { return !resource("vega.js").empty(); }

void write_page(const std::string& path, const std::string& kind, const std::string& title,
                const std::vector<Figure>& figures, const std::string& note) {
  std::string_view frame = resource("frame.html");
  std::size_t room = 64 * 1024;
  for (const Figure& figure : figures) room += figure.specification.size();
  std::string text;
  text.reserve(room);
  text.append(take_until(frame, "{{license}}")).append(resource("vega_license.txt"));
  text.append(take_until(frame, "{{title}}")).append(html_text(title));
  text.append(take_until(frame, "{{style}}")).append(resource("page.css"));
  text.append(take_until(frame, "{{body}}"));
  text.append(replaced(resource(kind + ".html"), "{{note}}", html_text(note)));
  text.append(take_until(frame, "{{specifications}}"));
  append_specifications(text, figures);
  text.append(take_until(frame, "{{vega}}"));
  core::NewFile file(path);
  file.write(text);
  file.write(resource("vega.js"));
  text.assign(take_until(frame, "{{common}}")).append(resource("common.js"));
  text.append(take_until(frame, "{{script}}")).append(resource(kind + ".js")).append(frame);
  file.write(text);
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
