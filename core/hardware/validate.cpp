#include "core/hardware/accelerator_check.hpp"

namespace zz::core {

void Accelerator::validate() const {
  Diagnostics diagnostics;
  for (const AcceleratorProblem& problem : find_problems(*this)) {
    if (problem.severity != Severity::error) continue;
    diagnostics.error({}, "accelerator '" + name + "': " + problem.message, problem.hint);
  }
  diagnostics.throw_if_errors();
}

}  // namespace zz::core
