#pragma once
#include <string>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// A network on several cores as JSON: latency, energy and its terms, every node, transfer, reservation and
/// removal, the use of memories and links over time. CompleteSaveStage's page documents the fields. Each
/// row of a list is a line; whole numbers are written without a point, others with the fewest digits that
/// read back. `latency` and `energy` are the evaluation's, which stages may have changed, all else is the
/// schedule's.
///
/// Linear in the size of the schedule, apart from sorting. Throws InputError when the evaluation has no
/// schedule, or its schedule no graph or accelerator.
std::string schedule_json(const Evaluation& evaluation);

}  // namespace zz::core
