#pragma once
#include <span>
#include <string>

#include "plugins/pictures/picture.hpp"

namespace zz::plugins {

/// False in a build without Vega: there are specifications then, but no page.
bool can_make_pages();

/// Writes one HTML file that needs nothing else: the pictures, Vega, and its licence. `kind` names the text
/// of the page and its script: "results", "schedule" or "front"; `title` is that of the window, and `note`
/// a sentence for the top of the page, or "". Throws like core::NewFile.
void write_page(const std::string& path, const std::string& kind, const std::string& title,
                std::span<const Picture> pictures, const std::string& note);

/// A file name without an extension of pictures and pages (".html", ".htm", ".png", ".pdf", ".svg").
std::string without_picture_extension(const std::string& name);

}  // namespace zz::plugins
