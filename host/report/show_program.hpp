#pragma once
#include <string>

#include "host/report/show_formats.hpp"

namespace zz::host {

/// The forms in which one layer is printed for a compiler: "mlir", "transform", "timeloop" and "tiles"
/// (core/output/program).
bool is_program_format(const std::string& format);
/// Prints the one selected layer. Throws core::InputError about the file.
void show_program(const Selection& selection, const std::string& format);

}  // namespace zz::host
