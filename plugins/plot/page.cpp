#include "plugins/plot/page.hpp"

#include <string_view>

#include "plugins/plot/resources.hpp"

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
  for (const Figure& figure : figures)
    text += "<script type=\"application/json\" id=\"" + figure.name + "-specification\">\n" +
            replaced(replaced(figure.specification, "</", "<\\/"), "<!--", "<\\u0021--") + "\n</script>\n";
  return text;
}

}  // namespace

bool can_make_pages() { return !resource_table.at("vega.js").empty(); }

std::string page(const std::vector<Figure>& figures, const std::string& note) {
  const std::string note_text = html_text(note), data = data_elements(figures);
  const std::pair<std::string_view, std::string_view> parts[] = {
      {"{{license}}", resource_table.at("vega_license.txt")},
      {"{{style}}", resource_table.at("page.css")},
      {"{{note}}", note_text},
      {"{{specifications}}", data},
      {"{{vega}}", resource_table.at("vega.js")},
      {"{{script}}", resource_table.at("page.js")}};
  std::string_view rest = resource_table.at("page.html");
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

}  // namespace zz::plugins
