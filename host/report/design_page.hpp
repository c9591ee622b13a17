#pragma once
#include <string>

#include "core/store/result_store.hpp"

namespace zz::host {

/// A page for the browser, whole in itself, that shows the designs of a store: two figures against each
/// other with the front and the boxes that a proof discarded, all axes and figures beside each other, and
/// of each point of the front what one step of each axis brings, and its layers. Of more than 20,000 points
/// it shows some; those of the front are among them. Throws as ResultStore does.
std::string design_page(const core::ResultStore& store);

/// host/report/design_page.html, which it fills. The build makes it.
extern const char* const design_page_text;

}  // namespace zz::host
