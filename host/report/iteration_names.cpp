#include "host/report/iteration_names.hpp"

#include <cstddef>

namespace zz::host {

std::string without_iterations(std::string name) {
  for (std::size_t sign = name.rfind('#'); sign != std::string::npos && sign + 1 < name.size();
       sign = name.rfind('#')) {
    if (name.find_first_not_of("0123456789", sign + 1) != std::string::npos) break;
    name.erase(sign);
  }
  return name;
}

}  // namespace zz::host
