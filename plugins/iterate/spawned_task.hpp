#pragma once
#include "core/value/type.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// MultiProcessingSpawnStage hands it up instead of results: the chain below it over a context, still to be
/// opened. It travels as the extra of a result without an evaluation.
struct SpawnedTask {
  zz_place* place = nullptr;  ///< of the stage that spawned it; the chain below that is to be run
  Value context;
  uint32_t most_at_once = 0;  ///< tasks that may run at the same time; 0: as many as there are threads
};

/// The task in the extra of a result, around which loops may have put lists; nullptr when there is none.
/// Valid as long as the extra.
const SpawnedTask* find_task(Ref extra);

/// The extra with the task in it replaced by `found`, the extra of a result of that task.
Value with_task_replaced(const Value& extra, const Value& found);

}  // namespace zz::plugins

namespace zz::core {
template <>
const Type* type_of<plugins::SpawnedTask>();
}
