#pragma once
#include <string>
#include <string_view>

namespace zz::core {

/// The text as a page of HTML may have it, also between the quotes of an attribute.
std::string html_text(std::string_view text);

}  // namespace zz::core
