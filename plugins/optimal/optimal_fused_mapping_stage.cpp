#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/search/fused/fused_search.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "plugins/internal/accelerator_with_costs.hpp"
#include "plugins/internal/network_metrics.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/placed_layers.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/optimal/proven_optimum.hpp"

namespace zz::plugins {
namespace {

/// Opens the chain below once for each layer of the network, each with its mapping in a fused group.
class OptimalFusedMappingStage : public Stage,
                                 public ProofSettings,
                                 public SameDataSetting,
                                 public CompatSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.OptimalFusedMappingStage",
      .name = "OptimalFusedMappingStage",
      .summary = "fuses the layers of a network on one core for energy, latency or EDP, with a proof",
      .doc =
          R"(Searches for the whole network `workload` on one core which tensors between layers stay on chip, the outermost
loops that neighbouring layers share for that, the operands that are kept across these loops, and each layer's temporal
mapping, for the least energy, latency or product of both (EDP). It stands in the place of WorkloadStage and of the mapping stages below it. docs/fused.md
explains the space and the method, and what they leave out.

Each layer keeps the spatial mapping that is best when it runs by itself (as OptimalMappingStage finds it, within
`gap`). Layers run in the best order in which each comes behind those whose results it reads. A tensor that is exchanged on chip lies in one memory, its *home*, tile by
tile; nothing of it passes the memories above. Layers share memory room in time: what one holds while others run is
counted in all their phases.

The latencies of results take each layer as if its phases followed each other; what is loaded for one of them then hides
behind the ones before. `fused_latency_promised` is the latency where nothing hides across phases, because other layers
run between, and `fused_latency_hidden` where each layer hides all its loading. The value of the objective is by the
results, between the two; its lower bound is one of the latency with everything hidden.

| `groups` | which layers may exchange tensors on chip |
|---|---|
| `auto` | all that can |
| `none` | none: each layer has its best mapping by itself |
| `[[a, b], [c, d]]` | those of one list, by name; the layers of a list follow each other |

Alone stay layers on the vector unit, those with a sequential loop, and those whose mapping file orders loops. A
tensor that is read in part, mixed with others, with other bits than it is written, or through a window that slides
is exchanged on chip as a whole or not at all: the log says why, at the level debug.

The results come with a certificate, the same for each layer:

| metric | means |
|---|---|
| `fused_value` | the objective of all layers together: energy (pJ), latency (cycles), or energy times latency |
| `fused_lower_bound` | no mapping of the space has less |
| `fused_gap` | by which fraction of the bound the value may be too high; 0: proven best |
| `fused_unfused` | the objective of the layers' best mappings by themselves |
| `fused_latency_hidden` | the latency if each layer hides all its loading |
| `fused_latency_promised` | the latency if nothing hides across phases |
| `fused_groups` | groups of layers that exchange something on chip |
| `fused_labels` | partial mappings that were kept |

The result is never worse than `fused_unfused`. `time_limit` and `memory_limit` end the search with the best result
found until then, and the bound proven until then.

The figures are those of CostModelStage below, which evaluates each layer on the accelerator as the layer sees it: an
operand that is exchanged has, above its home, a memory named `exchange` that costs nothing. Data are counted by the
corrected rules only (no `compat`).

Yields (evaluation, [layer, [temporal mapping, extra]]) for each result from below, layer by layer. A SumStage above
makes the total:

```yaml
stages: [..., SumStage, OptimalFusedMappingStage: {gap: 0.01}, CostModelStage]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  OptimalFusedMappingStage() {
    time_limit = 60;
    gap = 0.01;
    memory_limit = 2048;
    objective = "energy";
  }

  Value groups, homes;
  bool keep = true;
  double enlarge = 0;
  std::string order = "any";
  std::string spatial = "fixed";
  static constexpr auto params = zz::params(
      param<&OptimalFusedMappingStage::objective>("objective", "what is minimised")
          .allowed("energy|latency|EDP"),
      time_limit_setting("processor time for the whole network"), gap_setting, memory_limit_setting,
      param<&OptimalFusedMappingStage::groups>(
          "groups", "`auto` (also when empty), `none`, or lists of names of layers that may be fused"),
      param<&OptimalFusedMappingStage::homes>(
          "homes",
          "names of the memories that may be the home of exchanged tensors; empty: all that can be"),
      param<&OptimalFusedMappingStage::keep>(
          "keep", "operands may be kept on chip across the loops that layers share"),
      param<&OptimalFusedMappingStage::enlarge>(
          "enlarge",
          "fraction by which an axis may be enlarged where that makes more tiles: the last one is "
          "then smaller than the others, and counts as one of them; 0: tiles divide their axis")
          .allowed("[0, 1]"),
      param<&OptimalFusedMappingStage::order>(
          "order",
          "any: layers may run in any order in which each comes behind what it reads; "
          "given: as in the workload")
          .allowed("any|given"),
      param<&OptimalFusedMappingStage::spatial>(
          "spatial", "fixed: the spatial mapping that is best for each layer by itself")
          .allowed("fixed"),
      mapping_type_setting, same_data_setting, compat_setting);
  static constexpr Metric metrics[] = {
      zz::metric("fused_value", "the objective of all layers together: pJ, cycles, or their product")
          .largest(),
      zz::metric("fused_lower_bound", "no mapping of the space of fused groups has less").largest(),
      zz::metric("fused_gap", "by which fraction of the bound the value may be too high; 0: proven best")
          .largest(),
      zz::metric("fused_unfused", "the objective of the layers' best mappings by themselves").largest(),
      zz::metric("fused_latency_hidden", "cycles of all layers if each hides all its loading").largest(),
      zz::metric("fused_latency_promised", "cycles of all layers if nothing hides across phases").largest(),
      zz::metric("fused_groups", "groups of layers that exchange something on chip").largest(),
      zz::metric("fused_labels", "partial mappings that were kept").largest(),
      MissingWork::metrics[0],
      MissingWork::metrics[1]};
  static constexpr Port consumes[] = {
      zz::object("workload", "workload", "the network whose layers are mapped"),
      zz::object("accelerator", "accelerator", "what the layers are mapped on"),
      zz::object("vector_unit", "accelerator", "what layers that work on elements are mapped on")
          .optional()};
  static constexpr Port provides[] = {
      zz::object("layer", "layer", "one layer of the network"),
      zz::object("accelerator", "accelerator",
                 "the accelerator as the layer sees it in its group, or the vector unit"),
      zz::object("spatial_mapping", "spatial_mapping",
                 "the unrolling by memory level, with fractional factors"),
      zz::object("spatial_mapping_int", "spatial_mapping", "the same with whole factors"),
      zz::object("temporal_mapping", "temporal_mapping",
                 "the best mapping of the temporal loops, as far as proven"),
      zz::port("missing_work", ZZ_STR, "a sentence on operators without a cost that may multiply")
          .optional()};

  Results run(Value ctx);

 private:
  std::vector<std::string> home_names() const;
  std::vector<int> chosen_sets(const PlacedLayers& placed) const;
  std::vector<core::UnrolledLayer> map_alone(const PlacedLayers& placed,
                                             const std::shared_ptr<const core::Accelerator>& accelerator,
                                             const std::shared_ptr<const core::Accelerator>& unit);
  void show_groups(const core::FusedNetwork& network, const core::FusedOptimum& optimum) const;
};

constexpr int alone = -1;

/// Why a layer can be in no group; "" when it can.
std::string reason_to_stay_alone(const core::Layer& layer, bool on_unit) {
  if (on_unit) return "runs on the vector unit, which shares no memory with the array";
  if (layer.sequential_loop() >= 0)
    return fmt::format("has the sequential loop {}", layer.loops[layer.sequential_loop()].name);
  if (!layer.mapping.temporal_ordering.empty()) return "has a temporal_ordering in the mapping file";
  return "";
}

std::vector<std::string> texts_in(Ref list, const char* setting) {
  std::vector<std::string> texts;
  if (list.kind() != ZZ_LIST)
    throw Error(ZZ_E_INVALID, fmt::format("`{}` must be a list of names", setting));
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].kind() != ZZ_STR)
      throw Error(ZZ_E_INVALID, fmt::format("`{}` must be made of names, but has {}", setting,
                                            make(nullptr, list[i]).json()));
    texts.emplace_back(list[i].str());
  }
  return texts;
}

std::vector<std::string> OptimalFusedMappingStage::home_names() const {
  if (homes.is_null()) return {};
  if (homes.kind() == ZZ_STR) return {std::string(homes.look().str())};
  return texts_in(homes.look(), "homes");
}

/// Which layers may be fused with which: by layer the number of its set, or `alone`.
std::vector<int> OptimalFusedMappingStage::chosen_sets(const PlacedLayers& placed) const {
  std::vector<int> sets(placed.layers.size(), alone);
  const bool word = groups.kind() == ZZ_STR;
  const std::string choice = groups.is_null() ? "auto" : word ? std::string(groups.look().str()) : "";
  if (choice == "auto" || choice == "none") {
    for (std::size_t i = 0; i < sets.size(); ++i)
      if (choice == "auto" && reason_to_stay_alone(*placed.layers[i], placed.on_unit[i]).empty())
        sets[i] = 0;
    return sets;
  }
  if (word || groups.kind() != ZZ_LIST)
    throw Error(ZZ_E_INVALID,
                fmt::format("`groups` is {}; it must be `auto`, `none`, or a list of lists of "
                            "names of layers, as [[scores, context]]",
                            groups.json()));
  std::map<std::string, std::size_t> index_of;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < placed.layers.size(); ++i) {
    names.push_back(placed.layers[i]->name);
    index_of.emplace(placed.layers[i]->name, i);
  }
  const Ref lists = groups.look();
  for (std::size_t set = 0; set < lists.size(); ++set) {
    std::vector<std::size_t> members;
    for (const std::string& name : texts_in(lists[set], "groups")) {
      const auto known = index_of.find(name);
      if (known == index_of.end())
        throw Error(ZZ_E_INVALID, fmt::format("`groups` names the layer '{}', which the network lacks; {}",
                                              name, core::suggestion(name, names)));
      if (sets[known->second] != alone)
        throw Error(ZZ_E_INVALID, fmt::format("`groups` names the layer '{}' twice", name));
      const std::string reason =
          reason_to_stay_alone(*placed.layers[known->second], placed.on_unit[known->second]);
      if (!reason.empty())
        throw Error(ZZ_E_INVALID, fmt::format("`groups` names the layer '{}', which cannot be fused: it {}",
                                              name, reason));
      sets[known->second] = static_cast<int>(set);
      members.push_back(known->second);
    }
    std::sort(members.begin(), members.end());
    for (std::size_t i = 1; i < members.size(); ++i) {
      if (members[i] == members[i - 1] + 1) continue;
      throw Error(ZZ_E_INVALID,
                  fmt::format("`groups` has '{}' and '{}' in one list, but '{}' runs between them",
                              names[members[i - 1]], names[members[i]], names[members[i - 1] + 1]));
    }
  }
  return sets;
}

/// Each layer by itself. Layers that differ in their names only are searched once.
std::vector<core::UnrolledLayer> OptimalFusedMappingStage::map_alone(
    const PlacedLayers& placed, const std::shared_ptr<const core::Accelerator>& accelerator,
    const std::shared_ptr<const core::Accelerator>& unit) {
  std::vector<std::size_t> first_of;  // by layer: the one that is searched
  for (std::size_t i = 0; i < placed.layers.size(); ++i) {
    std::size_t first = 0;
    while (first < i && !(placed.on_unit[first] == placed.on_unit[i] &&
                          core::same_work(*placed.layers[first], *placed.layers[i])))
      ++first;
    first_of.push_back(first);
  }
  const std::size_t distinct = std::set<std::size_t>(first_of.begin(), first_of.end()).size();
  core::JointOptions options;
  options.objective = wanted_objective(*this, objective);
  options.mixed = true;
  options.model = {.same_data_free = access_same_data_considered_as_no_access, .rules = rules()};
  options.limits = limits(*this);
  // Half of the time is for the groups.
  options.limits.seconds = time_limit / 2 / static_cast<double>(distinct);
  std::vector<core::UnrolledLayer> layers;
  for (std::size_t i = 0; i < placed.layers.size(); ++i) {
    if (first_of[i] < i) {
      layers.push_back(layers[first_of[i]]);
      layers.back().layer = placed.layers[i];
      core::Layer own = *placed.layers[i];
      own.mapping.spatial_mapping = layers.back().unrolling;
      layers.back().problem.layer = std::make_shared<const core::Layer>(std::move(own));
      continue;
    }
    layers.push_back(core::mapped_alone(placed.layers[i], placed.on_unit[i] ? unit : accelerator, options));
    if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while layers were mapped by themselves");
  }
  return layers;
}

/// "h/4 m/2": axes by the loops that the first layer of the list has for them.
std::string shared_text(const core::FusedNetwork& network, const std::vector<core::SharedLoop>& loops) {
  std::vector<std::string> texts;
  for (const core::SharedLoop& loop : loops)
    texts.push_back(
        fmt::format("{} / {}", network.axis_names[static_cast<std::size_t>(loop.axis)], loop.iterations));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// A row for each group; groups of the same layers with the same figures, as those of repeated blocks, have
/// one.
void OptimalFusedMappingStage::show_groups(const core::FusedNetwork& network,
                                           const core::FusedOptimum& optimum) const {
  struct Row {
    std::string layers, shared, exchanged, kept;
    double unfused = 0, fused = 0;
    int size = 0, times = 1;
  };
  std::vector<Row> found;
  for (const core::FusedGroup& group : core::groups_of(network, optimum.mapping)) {
    Row row;
    const auto name = [&](int layer) {
      return network.layers[static_cast<std::size_t>(layer)].layer->name;
    };
    row.layers = name(group.first) + " to " + name(group.last);
    row.size = group.last - group.first;
    std::vector<core::SharedLoop> longest;
    std::vector<std::string> exchanged, kept;
    for (int i = group.first; i <= group.last; ++i) {
      const core::FusedLayer& member = optimum.mapping.layers[static_cast<std::size_t>(i)];
      const core::UnrolledLayer& own = network.layers[static_cast<std::size_t>(i)];
      row.fused += member.energy;
      row.unfused += own.energy;
      if (member.shared.size() > longest.size()) longest = member.shared;
      for (std::size_t operand = 0; operand < own.layer->operands.size(); ++operand) {
        using Place = core::FusedOperand::Place;
        if (member.operands[operand].place == Place::exchanged && operand == 0)
          exchanged.push_back(own.layer->name);
        if (member.operands[operand].place == Place::kept)
          kept.push_back(own.layer->name + "." + own.layer->operands[operand].name);
      }
    }
    row.shared = shared_text(network, longest);
    row.exchanged = fmt::format("{}", fmt::join(exchanged, ", "));
    row.kept = fmt::format("{}", fmt::join(kept, ", "));
    const auto same = std::find_if(found.begin(), found.end(), [&](const Row& known) {
      return known.size == row.size && known.fused == row.fused && known.unfused == row.unfused;
    });
    if (same != found.end())
      ++same->times;
    else
      found.push_back(row);
  }
  if (found.empty()) return;
  std::vector<Value> rows;
  for (const Row& row : found)
    rows.push_back(
        make(nullptr, list({row.times > 1 ? fmt::format("{} (x {})", row.layers, row.times) : row.layers,
                            row.shared, row.exchanged, row.kept, row.unfused, row.fused})));
  const Value columns = make(nullptr, list({"layers", "shared loops", "results that stay on chip",
                                            "operands that are kept", "unfused (pJ)", "fused (pJ)"}));
  report("fused groups", columns.look(), make_list(rows).look());
}

Results OptimalFusedMappingStage::run(Value ctx) {
  if (temporal_mapping_type == "even")
    throw Error(ZZ_E_INVALID,
                "fused groups have uneven temporal mappings only; leave out `temporal_mapping_type`");
  if (!compat.empty())
    throw Error(ZZ_E_INVALID, "fused groups are counted by the corrected rules only; leave out `compat`");
  const core::ProcessorTime stopwatch;
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const auto accelerator = accelerator_with_costs(ctx);
  const Value vector_unit = ctx["vector_unit"_n].is_null() ? Value() : ctx.hold(ctx["vector_unit"_n]);
  const auto unit = object_or_null<core::Accelerator>(vector_unit);
  if (unit != nullptr) core::check_costs_are_told(*unit);
  const PlacedLayers placed = place_layers(*workload, *accelerator, unit.get());
  report_placed(*this, *workload, *accelerator, placed);
  if (placed.layers.empty()) {
    log(Level::warning, "no layer has a cost: energy and latency of the network are 0");
    co_yield Result(sum({}));
    co_return;
  }
  check_placed(placed, *accelerator, unit.get());
  const std::vector<int> sets = chosen_sets(placed);  // tells of mistakes before anything is searched
  std::vector<core::UnrolledLayer> layers = map_alone(placed, accelerator, unit);
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].set = sets[i];
  const bool wanted = std::any_of(sets.begin(), sets.end(), [](int set) { return set != alone; });
  if (wanted && core::possible_homes(*accelerator).empty())
    log(Level::warning,
        fmt::format(
            "nothing can be exchanged on chip: no memory of {} below the topmost one is there once and "
            "holds outputs and an input",
            accelerator->name));
  const core::FusedNetwork network = core::fused_network(*workload, std::move(layers));
  for (const core::NetworkTensor& tensor : network.tensors)
    if (!tensor.exchangeable)
      log(Level::debug, fmt::format("the result of '{}' is not exchanged on chip: {}",
                                    network.layers[static_cast<std::size_t>(tensor.producer)].layer->name,
                                    tensor.obstacle));

  core::FusedOptions options;
  options.objective = wanted_objective(*this, objective);
  options.limits = limits(*this);
  options.limits.seconds = std::max(0.0, time_limit - stopwatch.seconds());
  options.homes = home_names();
  options.keep = keep;
  options.enlarge = enlarge;
  options.any_order = order == "any";
  const core::FusedOptimum optimum = core::find_fused_mapping(network, options);
  if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while fused groups were searched");
  if (optimum.cut_off)
    log(Level::warning, "`time_limit` or `memory_limit` cut the search for groups off; see `fused_gap`");
  count("partial mappings kept", optimum.labels);
  show_groups(optimum.network, optimum);
  const std::vector<core::FusedGroup> found = core::groups_of(optimum.network, optimum.mapping);
  const std::pair<const char*, double> certificate[] = {
      {"fused_value", optimum.value},
      {"fused_lower_bound", optimum.lower_bound},
      {"fused_gap", optimum.gap()},
      {"fused_unfused", optimum.unfused},
      {"fused_latency_hidden", optimum.latency.hidden},
      {"fused_latency_promised", optimum.latency.promised},
      {"fused_groups", static_cast<double>(found.size())},
      {"fused_labels", static_cast<double>(optimum.labels)}};

  const std::string missing = MissingWork::note(*workload);
  const Value below = missing.empty() ? ctx : with(ctx, {{"missing_work"_n, missing}});
  Progress display = progress("layers", placed.layers.size());
  for (std::size_t i = 0; i < placed.layers.size(); ++i) {
    const core::FusedLayer& member = optimum.mapping.layers[i];
    const core::MappingProblem& problem = member.problem;
    const Value layer = wrap(problem.layer);
    const Value mapping = wrap(core::readable(member.mapping, *problem.layer, *problem.fractional));
    const Value own = with(below, {{"layer"_n, layer},
                                   {"accelerator"_n, wrap(problem.accelerator)},
                                   {"spatial_mapping"_n, wrap(problem.fractional)},
                                   {"spatial_mapping_int"_n, wrap(problem.integral)},
                                   {"temporal_mapping"_n, mapping}});
    for (Result& result : substage(own)) {
      const Value inner = make(nullptr, list({mapping, result.extra}));
      const Value extra = make(nullptr, list({layer, inner}));
      const double value = core::value_of(options.objective, member.energy, member.latency);
      co_yield Result(
          MissingWork::marked(with_certificate(result.evaluation, options.objective, value, certificate),
                              *workload),
          extra);
    }
    display.advance(1);
  }
  count("layers", placed.layers.size());
}

}  // namespace

ZZ_PLUGIN_STAGE(OptimalFusedMappingStage)

}  // namespace zz::plugins
