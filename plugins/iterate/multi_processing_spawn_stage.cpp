#include "plugins/iterate/multi_processing_spawn_stage.hpp"

#include <utility>

#include "plugins/internal/objects.hpp"
#include "plugins/iterate/spawned_task.hpp"

namespace zz::plugins {

Result MultiProcessingSpawnStage::run(Value ctx) {
  return Result(Value(), wrap(SpawnedTask{place(), std::move(ctx),
                                          static_cast<uint32_t>(nb_multiprocessing_threads)}));
}

}  // namespace zz::plugins
