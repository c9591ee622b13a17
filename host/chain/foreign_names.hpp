#pragma once
#include <span>
#include <string>
#include <string_view>

namespace zz::host {

/// Advice on an argument of ZigZag's or Stream's functions that has another form here, as a parameter of a
/// pipeline or for `map`; "" for all other names. An argument that is also a setting of a stage counts
/// where no stage of the pipeline has it.
std::string advice_on_foreign_name(std::string_view name);

/// True for a keyword of ZigZag's or Stream's that changes nothing here, and no result there: it is passed
/// over with a warning, where any other unknown parameter is an error.
bool is_passed_over(std::string_view name);
std::span<const std::string_view> passed_over_names();

}  // namespace zz::host
