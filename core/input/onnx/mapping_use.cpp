#include "core/input/onnx/mapping_use.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/input/onnx/operators/operator.hpp"

namespace zz::core {
namespace {

/// Names that entries may have besides those of layers and ONNX operators.
constexpr std::string_view other_names[] = {"default", "vector", "pooling",
                                            "pool",    "max",    "conv_downsample"};
/// Loops of the layers that are made of ONNX files.
constexpr std::string_view usual_loops[] = {"B",  "G",  "H",  "K",  "C",  "D",
                                            "OX", "OY", "OZ", "FX", "FY", "FZ"};

template <class List>
bool contains(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

bool is_of_operators(const std::string& entry) {
  const std::string name = lower_case(entry);
  const std::vector<onnx_import::Operator>& operators = onnx_import::all_operators();
  return contains(other_names, name) ||
         std::any_of(operators.begin(), operators.end(), [&](const onnx_import::Operator& known) {
           return lower_case(std::string(known.name)) == name;
         });
}

void warn_of_unused_entries(const MappingFile& mapping, const std::set<std::string>& used,
                            const SourceMark& mark, const Workload& workload, Diagnostics& diagnostics) {
  std::set<std::string> names, in_small_letters;
  for (const auto& layer : workload.layers) {
    names.insert({layer->name, layer->type});
    in_small_letters.insert({lower_case(layer->name), lower_case(layer->type)});
  }
  // An operator that the network lacks is for other networks; one that it has in other letters is a slip.
  const auto is_for_others = [&](const std::string& entry) {
    const bool is_slip = names.count(entry) == 0 && in_small_letters.count(lower_case(entry)) > 0;
    return is_of_operators(entry) && !is_slip;
  };
  std::vector<std::string> unused;
  for (const LayerMapping& entry : mapping.entries)
    if (used.count(entry.name) == 0 && !is_for_others(entry.name)) unused.push_back(entry.name);
  if (unused.empty()) return;
  const std::string more =
      unused.size() == 1 ? "" : fmt::format(" (and {} more entries)", unused.size() - 1);
  diagnostics.warning(
      mark,
      fmt::format("no layer of '{}' uses the mapping entry '{}'{}", workload.name, unused.front(), more),
      suggestion(unused.front(), std::vector<std::string>(names.begin(), names.end())));
}

std::vector<std::string> loops_of(const Workload& workload) {
  std::set<std::string> loops;
  for (const auto& layer : workload.layers)
    for (const LoopDimension& loop : layer->loops) loops.insert(loop.name);
  return {loops.begin(), loops.end()};
}

std::vector<std::string> names_of(const std::vector<SpatialLoop>& loops) {
  std::vector<std::string> names;
  for (const SpatialLoop& loop : loops) names.push_back(loop.dimension);
  return names;
}

/// Warns of loops that no layer has. Usual ones serve other networks, and are told of only where `usual`
/// says so and none is left.
void warn_of_loops(const std::vector<std::string>& loops, const std::string& where, bool usual,
                   const std::vector<std::string>& known, const SourceMark& mark, const Workload& workload,
                   Diagnostics& diagnostics) {
  const bool none_left = std::none_of(loops.begin(), loops.end(),
                                      [&](const std::string& loop) { return contains(known, loop); });
  for (const std::string& loop : loops) {
    if (contains(known, loop) || (contains(usual_loops, loop) && !(usual && none_left))) continue;
    diagnostics.warning(
        mark, fmt::format("{} names {}, but no layer of '{}' has this loop", where, loop, workload.name),
        suggestion(loop, known));
  }
}

std::vector<std::string> names_of(const std::vector<OrderingEntry>& ordering) {
  std::set<std::string> names;
  for (const OrderingEntry& entry : ordering)
    if (entry.dimension != "*") names.insert(entry.dimension);
  return {names.begin(), names.end()};
}

void warn_of_unused_orderings(const MappingFile& mapping, const SourceMark& mark, const Workload& workload,
                              Diagnostics& diagnostics) {
  std::set<std::string> used;
  for (const auto& layer : workload.layers) used.insert(layer->mapping.name);
  const std::vector<std::string> known = loops_of(workload);
  for (const LayerMapping& entry : mapping.entries)
    warn_of_loops(names_of(entry.temporal_ordering),
                  fmt::format("temporal_ordering of mapping entry '{}'", entry.name),
                  used.count(entry.name) != 0, known, mark, workload, diagnostics);
}

}  // namespace

void warn_of_unused_mapping(const MappingFile& mapping, const SourceMark& mark, const Workload& workload,
                            Diagnostics& diagnostics) {
  std::set<std::string> used, unrolled;  // a vector unit has lanes of its own
  for (const auto& layer : workload.layers) {
    used.insert(layer->mapping.name);
    if (!layer->vector_work) unrolled.insert(layer->mapping.name);
  }
  warn_of_unused_entries(mapping, used, mark, workload, diagnostics);
  const std::vector<std::string> known = loops_of(workload);
  for (const LayerMapping& entry : mapping.entries) {
    const auto where = [&](const char* what, const std::string& array_dimension) {
      return fmt::format("{} for {} of mapping entry '{}'", what, array_dimension, entry.name);
    };
    for (const ArrayUnrolling& along : entry.spatial_mapping.dimensions)
      warn_of_loops(names_of(along.loops), where("the unrolling", along.array_dimension),
                    unrolled.count(entry.name) != 0, known, mark, workload, diagnostics);
    for (const UnrollingHint& hint : entry.spatial_hints)
      warn_of_loops(hint.dimensions, where("the hint", hint.array_dimension), false, known, mark, workload,
                    diagnostics);
  }
  warn_of_unused_orderings(mapping, mark, workload, diagnostics);
}

}  // namespace zz::core
