#pragma once
#include <string>

#include "zz/stage_abi.h"

namespace zz::host {

/// True for a file whose stages are written in another language, and are brought by a built-in plugin:
/// "stages.py".
bool is_stage_file(const std::string& file);

/// Why such a file cannot be read, to follow "file.py: "; "" when it can. Nothing of it runs.
std::string why_no_stage_file(const std::string& file);

/// The stages in such a file as a plugin; nullptr with the reason, to follow "file.py: ". [main]
const zz_plugin* load_stage_file(const std::string& file, const zz_host& host, std::string& reason);

}  // namespace zz::host
