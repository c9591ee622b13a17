#pragma once
#include <functional>
#include <string>

namespace zz::core {

/// Gives the number that a name of an expression stands for. Throws when there is none.
using NumberByName = std::function<double(const std::string&)>;

/// The value of an arithmetic expression such as "memories[l1].size / 8 + 2": numbers, names (letters,
/// digits, '_' and '.', with any text between square brackets), + - * / and parentheses, and the functions
/// floor, ceil, round, min and max.
///
/// Throws InputError saying where in the text something is wrong, also for a division by zero.
double evaluate_expression(const std::string& text, const NumberByName& number_of);

}  // namespace zz::core
