#pragma once
#include <string>

namespace zz::host {

/// "Loop_79/MatMul_87" of "Loop_79/MatMul_87#2": the name that a node in the body of a loop has, whatever
/// the iteration.
std::string without_iterations(std::string name);

}  // namespace zz::host
