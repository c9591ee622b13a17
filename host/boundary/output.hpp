#pragma once
#include <string>
#include <string_view>

#include "zz/stage_abi.h"

namespace zz::host {

/// Writes a file that appears whole or not at all: under another name first, then renamed. Creates missing
/// folders. Throws std::runtime_error with the path and the reason. [any]
void write_whole_file(const std::string& path, std::string_view content);

/// The extension "zz.output/0".
extern const zz_output output_table;

}  // namespace zz::host
