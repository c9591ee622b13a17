#pragma once
#include <functional>
#include <vector>

namespace zz::core {

/// The point between 0 and 1 on each axis where a function is least, as far as moves along axes and
/// diagonals find it (Hooke and Jeeves, JACM 8(2), 1961): from each start, in steps that are halved where
/// no move gains.
std::vector<double> pattern_search(const std::vector<std::vector<double>>& starts,
                                   const std::function<double(const std::vector<double>&)>& function);

}  // namespace zz::core
