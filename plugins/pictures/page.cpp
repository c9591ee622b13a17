#include "plugins/pictures/page.hpp"

#include <filesystem>
#include <string_view>

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

/// The specifications as data of the page. In JSON "</" may be written "<\/", and then names that come from
/// files cannot end the element.
std::string data_elements(const std::vector<Figure>& figures) {
  std::string text;
  for (const Figure& figure : figures) {
    text += "<script type=\"application/json\" id=\"" + figure.name + "-specification\">\n";
    if (figure.specification.find('<') == std::string::npos)
      text += figure.specification;
    else
      text += replaced(replaced(figure.specification, "</", "<\\/"), "<!--", "<\\u0021--");
    text += "\n</script>\n";
  }
  return text;
}

}  // namespace

bool can_make_pages() { return !resource("vega.js").empty(); }

std::string page(const std::string& kind, const std::string& title, const std::vector<Figure>& figures,
                 const std::string& note) {
  const std::string title_text = html_text(title), data = data_elements(figures);
  const std::string body = replaced(resource(kind + ".html"), "{{note}}", html_text(note));
  const std::pair<std::string_view, std::string_view> parts[] = {
      {"{{license}}", resource("vega_license.txt")},
      {"{{title}}", title_text},
      {"{{style}}", resource("page.css")},
      {"{{body}}", body},
      {"{{specifications}}", data},
      {"{{vega}}", resource("vega.js")},
      {"{{common}}", resource("common.js")},
      {"{{script}}", resource(kind + ".js")}};
  std::string_view rest = resource("frame.html");
  std::size_t size = rest.size();
  for (const auto& [mark, part] : parts) size += part.size();
  std::string text;
  text.reserve(size);
  for (const auto& [mark, part] : parts) {
    const std::size_t place = rest.find(mark);
    text.append(rest.substr(0, place)).append(part);
    rest.remove_prefix(place + mark.size());
  }
  return text.append(rest);
}

std::string without_picture_extension(const std::string& name) {
  const std::filesystem::path path(name);
  const std::string extension = path.extension().string();
  for (const char* known : {".html", ".htm", ".png", ".pdf", ".svg"})
    if (extension == known) return (path.parent_path() / path.stem()).string();
  return name;
}

}  // namespace zz::plugins
