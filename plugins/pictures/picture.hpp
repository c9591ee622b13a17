#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace zz::plugins {

/// The data of a picture: by the name of a data set of its Vega specification
/// (plugins/pictures/specifications) a list of rows, which are objects. Energies are in pJ, times in
/// cycles.
using VegaTables = nlohmann::ordered_json;

}  // namespace zz::plugins

namespace zz::plugins {

/// A picture: a Vega specification with its data, complete in itself.
struct Picture {
  std::string name;           ///< "energy"
  std::string specification;  ///< JSON text
};

/// The embedded specification `<name>.vg.json` with the tables in its data sets of those names.
Picture make_picture(const std::string& name, VegaTables tables);

/// False in a build without Vega: there are specifications then, but no page.
bool can_make_pages();

/// Writes one HTML file that needs nothing else: the pictures, Vega, and its licence. `kind` names the text
/// of the page and its script: "results", "schedule", "front" or "fused"; `title` is that of the window,
/// and `note` a sentence for the top of the page, or "". Throws like core::NewFile.
void write_page(const std::string& path, const std::string& kind, const std::string& title,
                std::span<const Picture> pictures, const std::string& note);

/// A file name without an extension of pictures and pages (".html", ".htm", ".png", ".pdf", ".svg").
std::string without_picture_extension(const std::string& name);

}  // namespace zz::plugins
