#pragma once
#include <string>
#include <string_view>

namespace zz::host {

/// How to write an argument of ZigZag's or Stream's functions that has another form here, as a parameter of
/// a pipeline or for `map`; "" for all other names. An argument that is also a setting of a stage counts
/// where no stage of the pipeline has it.
std::string advice_on_foreign_name(std::string_view name);

}  // namespace zz::host
