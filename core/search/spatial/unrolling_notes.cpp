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
      from_dataflows_(comes_from(accelerator.dataflows, layer.mapping.spatial_mapping)),
      who_(from_dataflows_ ? fmt::format("dataflows of '{}'", accelerator.name)
                           : fmt::format("mapping entry '{}'", layer.mapping.name)),
      sentences_(sentences) {}

std::string UnrollingNotes::sentence(const std::string& array, const std::string& of_layer,
                                     const std::string& what) const {
  const std::string place = from_dataflows_ ? "" : layer_.mapping.places.place("spatial_mapping." + array);
  return fmt::format("{}{}layer '{}'{}: {} ({})", place, place.empty() ? "" : ": ", layer_.name,
                     of_layer.empty() ? "" : fmt::format(" ({})", of_layer), what, who_);
}

void UnrollingNotes::add(const std::string& array, const std::string& what) {
  std::string told = sentence(array, "", what);
  if (std::find(sentences_.begin(), sentences_.end(), told) == sentences_.end())
    sentences_.push_back(std::move(told));
}

/// Loops that were cut first may be left out later: only that is told.
void UnrollingNotes::fit(const std::string& array, const SpatialLoop& loop, const std::string& why,
                         const std::string& result) {
  if (loop.factor == 1) return;  // nothing is lost
  auto known = std::find_if(fitted_.begin(), fitted_.end(), [&](const Fitted& one) {
    return one.array == array && one.loop.dimension == loop.dimension;
  });
  if (known == fitted_.end()) known = fitted_.insert(known, {array, loop, ""});
  known->what = fmt::format("{} {} {} on {} is {}", why, loop.dimension, known->loop.factor, array, result);
  std::string all;
  for (const Fitted& one : fitted_) all += (all.empty() ? "" : "; ") + one.what;
  std::erase(sentences_, told_);
  // The place is that of the whole unrolling, so that the line is the same for all layers.
  const auto& prescribed = layer_.mapping.spatial_mapping.dimensions;
  const std::string& first =
      prescribed.empty() ? fitted_.front().array : prescribed.front().array_dimension;
  told_ = sentence(first, all, "the unrolling is fitted to the loops of each layer");
  if (std::find(sentences_.begin(), sentences_.end(), told_) == sentences_.end())
    sentences_.push_back(told_);
}

void UnrollingNotes::array_is_smaller(const ArrayDimension& array, const SpatialLoop& loop,
                                      std::int64_t to) {
  add(array.name, fmt::format("{} has {}, {} {} is cut to {}", array.name, counted(array.size, "unit"),
                              loop.dimension, loop.factor, to));
}

void UnrollingNotes::loop_is_shorter(const std::string& array, const SpatialLoop& loop) {
  const std::int64_t size = layer_.loop_size(loop.dimension);
  fit(array, loop, fmt::format("{} has {},", loop.dimension, counted(size, "iteration")),
      fmt::format("cut to {}", size));
}

void UnrollingNotes::loop_is_missing(const std::string& array, const SpatialLoop& loop) {
  fit(array, loop, fmt::format("there is no loop {},", loop.dimension), "left out");
}

void UnrollingNotes::memory_limits(const std::string& array, const SpatialLoop& loop, std::int64_t to,
                                   const UnrollingLimit& limit) {
  const std::string result = to > 1 ? fmt::format("is cut to {}", to) : "is not possible";
  add(array, fmt::format("{}: {} {} {}: {} serves {} with one instance, and {} changes {}; {}", array,
                         loop.dimension, loop.factor, result, limit.memory, array, loop.dimension,
                         limit.operand, limit.means));
}

void UnrollingNotes::array_is_full(const ArrayDimension& array, const std::vector<SpatialLoop>& loops,
                                   const std::string& left_out) {
  std::string together;
  for (const SpatialLoop& loop : loops)
    together += fmt::format("{}{} {}", together.empty() ? "" : " x ", loop.dimension, loop.factor);
  add(array.name, fmt::format("{} has {}, too few for {}: {} is left out", array.name,
                              counted(array.size, "unit"), together, left_out));
}

void UnrollingNotes::loop_is_used_up(const std::string& array, const SpatialLoop& loop,
                                     std::int64_t total) {
  fit(array, loop,
      fmt::format("{} has {}, too few to be unrolled {} times:", loop.dimension,
                  counted(layer_.loop_size(loop.dimension), "iteration"), total),
      "left out");
}

}  // namespace zz::core
