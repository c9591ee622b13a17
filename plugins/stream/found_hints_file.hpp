#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/multicore/search/schedule_search.hpp"
#include "core/value/value.hpp"

namespace zz::plugins {

/// The settings of GenerateCNWorkloadHybridStage and InterCoreMappingStage that make a schedule again.
std::vector<std::pair<std::string, core::Value>> settings_of(const core::FoundSchedule& found);

/// The same as `parameters` of a pipeline, with `heading` as a comment.
std::string found_hints_yaml(const core::FoundSchedule& found, const std::string& heading);

/// The choice that such parameters make, as far as they are given. Throws InputError as
/// InterCoreMappingStage.
core::ScheduleChoice choice_of(core::Ref parameters, const core::ScheduleProblem& problem);

}  // namespace zz::plugins
