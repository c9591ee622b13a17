#include "core/search/spatial/unrolling_notes.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace zz::core {
namespace {

std::string counted(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// A core of several unrolls its layers by its dataflows, as far as the layer has the loops.
bool comes_from(const SpatialUnrolling& dataflows, const SpatialUnrolling& unrolling) {
  return !dataflows.dimensions.empty() &&
         std::all_of(
             unrolling.dimensions.begin(), unrolling.dimensions.end(), [&](const ArrayUnrolling& along) {
               const ArrayUnrolling* const told = dataflows.find(along.array_dimension);
               return told != nullptr &&
                      std::all_of(along.loops.begin(), along.loops.end(), [&](const SpatialLoop& loop) {
                        return std::find(told->loops.begin(), told->loops.end(), loop) != told->loops.end();
                      });
             });
}

}  // namespace

UnrollingNotes::UnrollingNotes(const Layer& layer, const Accelerator& accelerator,
                               std::vector<std::string>& sentences)
    : layer_(layer),
      place_(comes_from(accelerator.dataflows, layer.mapping.spatial_mapping)
                 ? fmt::format("dataflows of '{}'", accelerator.name)
                 : fmt::format("mapping entry '{}'", layer.mapping.name)),
      sentences_(sentences) {}

void UnrollingNotes::add(const std::string& what) {
  std::string sentence = fmt::format("layer '{}': {} ({})", layer_.name, what, place_);
  if (std::find(sentences_.begin(), sentences_.end(), sentence) == sentences_.end())
    sentences_.push_back(std::move(sentence));
}

void UnrollingNotes::array_is_smaller(const ArrayDimension& array, const SpatialLoop& loop,
                                      std::int64_t to) {
  add(fmt::format("{} has {}, {} {} is cut to {}", array.name, counted(array.size, "unit"), loop.dimension,
                  loop.factor, to));
}

void UnrollingNotes::loop_is_shorter(const std::string& array, const SpatialLoop& loop) {
  const std::int64_t size = layer_.loop_size(loop.dimension);
  add(fmt::format("{} has {}, {} {} on {} is cut to {}", loop.dimension, counted(size, "iteration"),
                  loop.dimension, loop.factor, array, size));
}

void UnrollingNotes::loop_is_missing(const std::string& array, const SpatialLoop& loop) {
  add(fmt::format("there is no loop {}, {} {} on {} is left out", loop.dimension, loop.dimension,
                  loop.factor, array));
}

void UnrollingNotes::memory_limits(const std::string& array, const SpatialLoop& loop, std::int64_t to,
                                   const UnrollingLimit& limit) {
  const std::string result = to > 1 ? fmt::format("is cut to {}", to) : "is not possible";
  add(fmt::format("{}: {} {} {}: {} serves {} with one instance, and {} changes {}; {}", array,
                  loop.dimension, loop.factor, result, limit.memory, array, loop.dimension, limit.operand,
                  limit.means));
}

void UnrollingNotes::array_is_full(const ArrayDimension& array, const std::vector<SpatialLoop>& loops,
                                   const std::string& left_out) {
  std::string together;
  for (const SpatialLoop& loop : loops)
    together += fmt::format("{}{} {}", together.empty() ? "" : " x ", loop.dimension, loop.factor);
  add(fmt::format("{} has {}, too few for {}: {} is left out", array.name, counted(array.size, "unit"),
                  together, left_out));
}

void UnrollingNotes::loop_is_used_up(const std::string& array, const SpatialLoop& loop,
                                     std::int64_t total) {
  add(fmt::format("{} has {}, too few to be unrolled {} times: {} {} on {} is left out", loop.dimension,
                  counted(layer_.loop_size(loop.dimension), "iteration"), total, loop.dimension,
                  loop.factor, array));
}

}  // namespace zz::core
