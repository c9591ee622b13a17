#pragma once
#include <string>
#include <string_view>

namespace zz::host {

/// How to write an argument of ZigZag's or Stream's functions that has another form here; "" for all other
/// names.
std::string advice_on_foreign_name(std::string_view name);

}  // namespace zz::host
