#pragma once
#include <string>

#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/store/content_key.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The parts of a question, each as a text that is equal exactly where the answer must be: what a layer has
/// to compute, on which machine, by which settings.

/// The work of a layer (without_identity).
std::string question_text(const Layer& layer);

/// The accelerator as a search sees it: its name, clock, areas, and ranges of costs make no difference. The
/// latency does not depend on costs either, but where arrays compute in memory.
std::string question_text(const Accelerator& accelerator, Objective objective);

/// The accelerator with all that it says but its clock, which no cost depends on.
std::string exact_text(const Accelerator& accelerator);

/// Everything that decides what a search finds, the space that its proof ranges over among it (space_of;
/// what a mapping file leaves out is in the text of the layer). Its limits apart: they bear only on proofs
/// that they cut off.
std::string question_text(const JointOptions& options);

/// The key of the best mapping of a layer: of these three texts, and of figures_revision.
ContentKey question_key(const std::string& layer, const std::string& accelerator,
                        const std::string& options);

/// The limits of a search, but for the gap.
std::string text_of(const SearchLimits& limits);

}  // namespace zz::core
