#pragma once
#include <functional>
#include <string>
#include <vector>

#include "host/command_line/options.hpp"

namespace zz::host {

/// Reads the command line, without the name of the program, and does `work`, which returns the exit code.
/// Whatever goes wrong is told on stderr, and with --format=json as a document on stdout if `work` has not
/// printed one. The result is the exit code of the process.
int run_program(const std::vector<std::string>& arguments, const std::function<int(const Options&)>& work);

}  // namespace zz::host
