#pragma once
#include <string>
#include <vector>

#include "plugins/plot/figure.hpp"

namespace zz::plugins {

/// False in a build without Vega: there are specifications then, but no page.
bool can_make_pages();

/// One HTML file that needs nothing else: the figures, Vega, and its licence. `note` is a sentence for
/// the top of the page, or "".
std::string page(const std::vector<Figure>& figures, const std::string& note);

}  // namespace zz::plugins
