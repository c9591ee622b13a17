#pragma once
#include <algorithm>
#include <memory>

#include "core/cost/cost_model_options.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// A layer by two numbers of a machine: its peak, and the bandwidth of the memory where its data lie. (S.
/// Williams, A. Waterman, D. Patterson: Roofline, CACM 52(4), 2009.) Mappings do not count, nor do keys of
/// what takes time: efficiencies are 1.
struct Roofline {
  double operations = 0;  ///< cycles for all operations, every unit at work
  /// Cycles of the port of a topmost memory that is busy for longest with tensors that pass once. 0: no
  /// topmost memory feeds all units.
  double data = 0;

  double cycles() const { return std::max(operations, data); }
};

/// Throws what unrolled_problem() throws for a layer that the accelerator cannot run.
Roofline roofline(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                  const CostModelOptions& model = {});

}  // namespace zz::core
