#pragma once
#include <string>
#include <vector>

#include "tools/check_plugin/findings.hpp"

namespace zz::host {

/// Checks of the file without loading it: the rules L1, L4, L6, L9 and F5. False when it is no library that
/// could be loaded.
bool check_library_file(const std::string& file, std::vector<Observation>& observations);

/// Loads the library and looks at its tables: the rules L2, L3, L7, L8, T1, T4, M2 and M4. To be run in a
/// child process.
void check_loading(const std::string& file, Findings& findings);

/// Calls init and deinit, twice: the rule L5, and those of every call. To be run in a child process.
void check_initialisation(const std::string& file, Findings& findings);

}  // namespace zz::host
