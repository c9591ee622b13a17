#pragma once
#include <cstdio>

namespace zz::host {

/// From now on what is written to the process's standard output, by libraries of others and by programs
/// that stages start, goes to standard error; what the host prints goes to where standard output was. For
/// programs whose documents others read. Call it before the first library is loaded. [main]
void keep_standard_output_aside();

/// The other way, for a program that takes this one's place. [main]
void give_standard_output_back();

/// Where the host prints.
std::FILE* standard_output();

}  // namespace zz::host
