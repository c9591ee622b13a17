#include "core/components/component_cost.hpp"

namespace zz::core::components {

const char* text_of(Standing standing) {
  switch (standing) {
    case Standing::tabulated:
      return "tabulated";
    case Standing::fitted:
      return "fitted";
    case Standing::interpolated:
      return "interpolated";
    case Standing::extrapolated:
      return "extrapolated";
    case Standing::scaled:
      break;
  }
  return "scaled, not fitted";
}

}  // namespace zz::core::components
