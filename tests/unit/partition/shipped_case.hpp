#pragma once
#include <memory>
#include <string>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/search/cut_prices.hpp"
#include "core/workload/workload.hpp"

namespace zz::test {

/// A network of configs/workloads on an accelerator for several cores of configs/accelerators, with data of
/// a byte.
struct ShippedCase {
  ShippedCase(const std::string& network, const std::string& accelerator_name);

  core::Workload workload;
  std::shared_ptr<const core::MultiCoreAccelerator> accelerator;
};

/// Answers as the stages of IntraCoreMappingStage do by default.
core::AnswerQuestions default_answers();

}  // namespace zz::test
