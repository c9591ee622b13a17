#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/hardware/layer_sparsity.hpp"
#include "core/input/yaml/document.hpp"
#include "core/search/fused/exchange_memories.hpp"
#include "core/search/fused/fused_search.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "plugins/internal/accelerator_with_costs.hpp"
#include "plugins/internal/network_metrics.hpp"
#include "plugins/internal/network_room.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/placed_layers.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/internal/stored_answers.hpp"
#include "plugins/internal/this_run.hpp"
#include "plugins/optimal/fused_groups_file.hpp"
#include "plugins/optimal/fused_groups_report.hpp"
#include "plugins/optimal/fused_sets.hpp"
#include "plugins/optimal/proven_optimum.hpp"
#include "plugins/pictures/fused_tables.hpp"
#include "plugins/pictures/picture.hpp"

namespace zz::plugins {
namespace {

/// Opens the chain below once for each layer of the network, each with its mapping in a fused group.
class OptimalFusedMappingStage : public Stage,
                                 public ProofSettings,
                                 public SameDataSetting,
                                 public CapacitySetting,
                                 public CompatSetting,
                                 public StoreSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.OptimalFusedMappingStage",
      .name = "OptimalFusedMappingStage",
      .summary = "fuses the layers of a network on one core for energy, latency or EDP, with a proof",
      .doc =
          R"(Searches for the whole network `workload` on one core which tensors between layers stay on chip, the outermost loops
that neighbouring layers share for that, the operands that are kept across these loops, and each layer's temporal
mapping, for the least energy, latency or product of both (EDP). It stands in the place of WorkloadStage and of the
mapping stages below it. docs/fused.md explains the space and the method, and what they leave out.

Each layer keeps the spatial mapping that is best when it runs by itself (as OptimalMappingStage finds it, within
`gap`), or that the mapping file prescribes. Layers run in the best order in which each comes behind those whose results
it reads. Tensors that are exchanged on chip lie in one memory, the *exchange memory*, tile by tile; nothing of them
passes the memories above. Where several memories can be it, each is searched by itself, and the best result counts.
Layers share memory room in time: what one holds while others run is counted in all their phases.

The latencies of results take each layer as if its phases followed each other; what is loaded for one of them then hides
behind the ones before. `fused_latency_promised` is the latency where nothing hides across phases, because other layers
run between, and `fused_latency_hidden` where each layer hides all its loading. The value of the objective is by the
results, between the two; its lower bound is one of the latency with everything hidden. Of groups that
were found those with the least promised latency are taken.

| `groups` | which layers may exchange tensors on chip |
|---|---|
| `auto` | all that can |
| `none` | none: each layer has its best mapping by itself |
| `[[a, b], [c, d]]` | those of one list, by name; the layers of a list follow each other |
| `path/fused_groups.yaml` | as that file says, without a search |

With `dump_folder` the file `fused_groups.yaml` in it has the mapping of all layers in their groups. As `groups` it
gives the same result without a search; it may be changed by hand, and its mapping is checked as a result of the search
is. The bound and the unfused energy that it names count as long as the layers take the value that it names. The page
`fused_groups.html` (and `fused_groups.vg.json`, a Vega specification with its data) shows the tree of shared loops,
the tiles that stay on chip, and what the exchange memory holds while each layer runs.

`explain` shows for each result that goes off chip how much the exchange memory would have to hold for it to stay, with
all loops as they are, and what that would save.

Layers on a vector unit take part where it shares a memory with the array, as `shared_with` in one of the two files
says; that memory is then their exchange memory. Without one they stay alone, and a warning says so once. Alone
stay also layers with a sequential loop, and those whose mapping file orders loops. A tensor that is read in part,
mixed with others in another shape, or with other bits than it is written goes off chip: the log says why, at the level
debug. A residual addition without a cost belongs to the layer that makes the last of what it adds. A layer whose
windows slide along cut rows runs some iterations behind; rows that it reads again are kept.

The results come with a certificate, the same for each layer:

| metric | means |
|---|---|
| `fused_value` | the objective of all layers together: energy (pJ), latency (cycles), or energy times latency |
| `fused_lower_bound` | no mapping of the space has less |
| `fused_gap` | by which fraction of the bound the value may be too high; 0: proven best |
| `fused_unfused` | the objective of the layers' best mappings by themselves |
| `fused_unfused_energy` | their energy (pJ) |
| `fused_unfused_latency` | their latency (cycles) |
| `fused_latency_hidden` | the latency if each layer hides all its loading |
| `fused_latency_promised` | the latency if nothing hides across phases |
| `fused_groups` | groups of layers that exchange something on chip |
| `fused_labels` | partial mappings that were kept |
| `optimum_space` | what was left out, as a number: docs/optimal-mapping.md has its parts |

Each layer has `unfused_energy` and `unfused_latency` besides, what its best mapping by itself takes. `zz-host why`
tells each group before and after.

The result is never worse than `fused_unfused`. A line below the table says what it was before, what it is now, and how
near to the best; or that nothing was fused. The fastest mappings may cost much more energy than one that is hardly
slower. So with `objective: latency` each layer by itself has, of the mappings whose latency is at most the fraction
`within` above the least, the one of least energy, and groups that save no more than that count only if they save
energy, too. `time_limit`, `memory_limit` and Ctrl-C end the search with the best
result found until then, and the bound proven until then.

With a `store` the layers' own best mappings are searched once for all runs that name it (docs/stores.md); groups are
searched each time.

The figures are those of CostModelStage below, which evaluates each layer on the accelerator as the layer sees it: an
operand that is exchanged has, above the exchange memory, a memory named `exchange` that costs nothing. Data are counted
by the corrected rules only (no `compat`).

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

  Value groups, exchange_memories, homes;
  bool keep = true;
  double enlarge = 0;
  std::string order = "any";
  bool explain = false;
  std::string dump_folder;
  double within = 0.001;
  static constexpr auto params = zz::params(
      param<&OptimalFusedMappingStage::objective>("objective", "what is minimised")
          .allowed(core::objective_choices),
      time_limit_setting("processor time for the whole network"), gap_setting, memory_limit_setting,
      param<&OptimalFusedMappingStage::groups>(
          "groups",
          "`auto` (also when empty), `none`, lists of names of layers that may be fused, or the path of a "
          "`fused_groups.yaml` that an earlier search wrote"),
      param<&OptimalFusedMappingStage::exchange_memories>(
          "exchange_memories",
          "names of the memories in which tensors may be exchanged, all in one of them; empty: all that "
          "can be it"),
      param<&OptimalFusedMappingStage::homes>("homes", "`exchange_memories`, by the name of before")
          .deprecated(),
      param<&OptimalFusedMappingStage::keep>(
          "keep", "operands may be kept on chip across the loops that layers share"),
      param<&OptimalFusedMappingStage::enlarge>(
          "enlarge",
          "tiles of an axis may divide a length that is greater than its size by this fraction, where "
          "that makes more of them: the last tile is then smaller than the others; 0: tiles divide their "
          "axis")
          .allowed("[0, 1]"),
      param<&OptimalFusedMappingStage::order>(
          "order",
          "any: layers may run in any order in which each comes behind what it reads; "
          "given: as in the workload")
          .allowed("any|given"),
      param<&OptimalFusedMappingStage::within>(
          "within",
          "with `objective: latency`, by which fraction more cycles a layer by itself may take for less "
          "energy, and by how much fewer are worth more energy; 0: equals only")
          .allowed("[0, inf]"),
      param<&OptimalFusedMappingStage::explain>(
          "explain", "show the room that would keep each result that goes off chip"),
      param<&OptimalFusedMappingStage::dump_folder>(
          "dump_folder", "the folder for `fused_groups.yaml`; without one, it is not written"),
      mapping_type_setting, same_data_setting, capacity_setting, compat_setting, store_setting);
  using Proven = core::CertificateFigures;
  static constexpr Metric metrics[] = {
      proven(&Proven::fused_value),
      proven(&Proven::fused_lower_bound),
      proven(&Proven::fused_gap),
      proven(&Proven::fused_unfused),
      proven(&Proven::fused_unfused_energy),
      proven(&Proven::fused_unfused_latency),
      proven(&Proven::fused_latency_hidden),
      proven(&Proven::fused_latency_promised),
      proven(&Proven::fused_groups),
      proven(&Proven::fused_labels),
      proven(&Proven::space),
      metric(by_itself::energy, "what the layer's best mapping by itself needs").unit("pJ"),
      metric(by_itself::latency, "the same of its latency").unit("cycles"),
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
      zz::object("spatial_mapping_int", "spatial_mapping",
                 "the same with whole factors, rounded up; with `compat` cut"),
      zz::object("temporal_mapping", "temporal_mapping",
                 "the best mapping of the temporal loops, as far as proven"),
      zz::port("missing_work", ZZ_STR, "a sentence on operators without a cost that may multiply")
          .optional()};

  void check(Value ctx) const;
  Results run(Value ctx);

 private:
  void refuse_settings() const;
  /// The space of the search for groups, by the settings.
  core::ProofSpace searched_space() const;
  void tell_old_names() const;
  std::vector<std::string> exchange_memory_names() const;
  void tell_changes(const core::Layer& layer, const core::Accelerator& accelerator,
                    const core::JointOptions& options);
  std::vector<core::MappedLayer> map_alone(const PlacedLayers& placed,
                                           const std::shared_ptr<const core::Accelerator>& accelerator,
                                           const std::shared_ptr<const core::Accelerator>& unit,
                                           const core::SearchLimits& limits);
  /// By which layers are mapped by themselves.
  core::JointOptions joint_options(const core::SearchLimits& limits) const {
    core::JointOptions options;
    options.objective = wanted_objective(*this, objective);
    options.mixed = true;
    options.model = model_options();
    options.factors = core::usual_factors(options.model.rules);
    options.brief = true;
    options.limits = limits;
    options.refinements = refinements_of_run();
    if (options.objective == core::Objective::latency) options.within = within;
    return options;
  }
  core::CostModelOptions model_options() const {
    return {.same_data_free = access_same_data_considered_as_no_access, .rules = rules()};
  }
  std::optional<core::yaml::Node> given_groups() const;
  FusedResult read_groups(const core::yaml::Node& file, const core::Workload& workload,
                          const PlacedLayers& placed,
                          const std::shared_ptr<const core::Accelerator>& accelerator,
                          const std::shared_ptr<const core::Accelerator>& unit) const;
  FusedResult search(const core::Workload& workload, const PlacedLayers& placed,
                     const std::shared_ptr<const core::Accelerator>& accelerator,
                     const std::shared_ptr<const core::Accelerator>& unit);
  void tell_of_unit(const core::FusedNetwork& network, const PlacedLayers& placed,
                    const core::Accelerator& accelerator, const core::Accelerator& unit) const;
  void write_groups(const FusedResult& found) const;

  // Networks before this one, as the steps of a decoder.
  std::mutex using_known_;
  core::KnownLayers known_;
};

void refuse_zeros_of(const PlacedLayers& placed, const core::Accelerator& accelerator,
                     const core::Accelerator* unit) {
  for (std::size_t i = 0; i < placed.layers.size(); ++i)
    core::refuse_zeros(placed.on_unit[i] ? *unit : accelerator, *placed.layers[i], "fused groups");
}

std::vector<std::string> OptimalFusedMappingStage::exchange_memory_names() const {
  const Value& names = exchange_memories.is_null() ? homes : exchange_memories;
  if (names.is_null()) return {};
  if (names.kind() == ZZ_STR) return {std::string(names.look().str())};
  return texts_in(names.look(), "exchange_memories");
}

void OptimalFusedMappingStage::tell_old_names() const {
  if (!homes.is_null())
    log(Level::warning,
        fmt::format("`homes` is called `exchange_memories` now{}",
                    exchange_memories.is_null() ? "" : "; both are given, and that counts"));
}

/// Tells what the mapping file prescribes for the layer and is not done so.
void OptimalFusedMappingStage::tell_changes(const core::Layer& layer, const core::Accelerator& accelerator,
                                            const core::JointOptions& options) {
  if (layer.mapping.spatial_mapping.dimensions.empty()) return;
  const core::SpatialSpace space(layer, accelerator, {options.mixed, options.factors, options.model.rules});
  for (const std::string& change : space.warnings()) log(Level::warning, change);
  if (!space.warnings().empty()) count("unrollings fitted to their layer");
}

core::ProofSpace OptimalFusedMappingStage::searched_space() const {
  const core::Objective minimised = wanted_objective(*this, objective);
  const bool named = groups.kind() == ZZ_STR && groups.look().str() != "auto" && groups.look().str() != "";
  return {.given = true,
          .dividing = true,
          .for_energy = minimised == core::Objective::energy,
          .for_latency = minimised == core::Objective::latency,
          .for_edp = minimised == core::Objective::edp,
          .fused = true,
          .fewer_groups = named || groups.kind() == ZZ_LIST || !keep || order != "any" ||
                          !exchange_memory_names().empty()};
}

/// Each layer by itself. Layers that differ in their names only are searched once.
std::vector<core::MappedLayer> OptimalFusedMappingStage::map_alone(
    const PlacedLayers& placed, const std::shared_ptr<const core::Accelerator>& accelerator,
    const std::shared_ptr<const core::Accelerator>& unit, const core::SearchLimits& limits) {
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < placed.layers.size(); ++i) {
    std::size_t first = 0;
    while (first < i && !(placed.on_unit[first] == placed.on_unit[i] &&
                          core::same_work(*placed.layers[first], *placed.layers[i])))
      ++first;
    if (first == i) ++distinct;
  }
  core::JointOptions options = joint_options(limits);
  // Half of the time is for the groups.
  options.limits.seconds = time_limit / 2 / static_cast<double>(distinct);
  // The gap is for what stalls of phases add, which their bound leaves out.
  if (options.objective == core::Objective::latency) options.limits = core::nearer(options.limits);
  std::vector<core::MappedLayer> layers;
  for (std::size_t i = 0; i < placed.layers.size(); ++i) {
    const auto& array = placed.on_unit[i] ? unit : accelerator;
    tell_changes(*placed.layers[i], *array, options);
    const auto found = answers().optima.of(*placed.layers[i], array, options).optimum;
    if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while layers were mapped by themselves");
    answers().answers.write_if_due();
    layers.push_back(core::mapped_alone(placed.layers[i], *found, options.objective));
  }
  return layers;
}

/// The file that `groups` names; none for the other forms.
std::optional<core::yaml::Node> OptimalFusedMappingStage::given_groups() const {
  if (groups.kind() != ZZ_STR) return {};
  const std::string path(groups.look().str());
  if (!path.ends_with(".yaml") && !path.ends_with(".yml")) return {};
  core::Diagnostics diagnostics;
  core::yaml::Node file = core::yaml::load_file(path, diagnostics, files_of_run());
  log_warnings(*this, diagnostics);
  return file;
}

FusedResult OptimalFusedMappingStage::read_groups(
    const core::yaml::Node& file, const core::Workload& workload, const PlacedLayers& placed,
    const std::shared_ptr<const core::Accelerator>& accelerator,
    const std::shared_ptr<const core::Accelerator>& unit) const {
  std::vector<GivenLayer> layers;
  for (std::size_t i = 0; i < placed.layers.size(); ++i) {
    const bool fusible = reason_to_stay_alone(placed, i).empty();
    layers.push_back({placed.layers[i], placed.on_unit[i] ? unit : accelerator, fusible ? 0 : alone,
                      placed.on_unit[i] ? placed.in_common : std::vector<int>()});
  }
  core::Diagnostics diagnostics;
  FusedResult given = read_fused_groups(file, workload, layers, model_options(), diagnostics);
  log_warnings(*this, diagnostics);
  if (!given.as_written)
    log(Level::warning,
        fmt::format("the groups of {} take {:.6g} pJ and not what the file says, as network or accelerator "
                    "are others; its bound is not of these",
                    file.mark.file, given.optimum.energy));
  return given;
}

/// Says once that what array and vector unit exchange goes off chip.
void OptimalFusedMappingStage::tell_of_unit(const core::FusedNetwork& network, const PlacedLayers& placed,
                                            const core::Accelerator& accelerator,
                                            const core::Accelerator& unit) const {
  std::vector<std::string> results;
  for (const core::NetworkTensor& tensor : network.tensors) {
    const auto producer = static_cast<std::size_t>(tensor.producer);
    const auto crosses = [&](const core::NetworkTensor::Use& use) {
      return placed.on_unit[use.layer] != placed.on_unit[producer];
    };
    if (std::any_of(tensor.uses.begin(), tensor.uses.end(), crosses))
      results.push_back(network.layers[producer].layer->name);
  }
  const std::vector<int> possible = core::exchange_memories(accelerator, exchange_memory_names());
  const auto shared = [&](int exchange_memory) { return placed.in_common[exchange_memory] >= 0; };
  const bool none = placed.in_common.empty();
  if (results.empty() || (!none && std::any_of(possible.begin(), possible.end(), shared))) return;
  const std::size_t more = results.size() - 1;
  log(Level::warning,
      fmt::format("{} and its vector unit {} share no memory{}, so that what one makes for the other goes "
                  "off chip: the result of '{}'{}",
                  accelerator.name, unit.name,
                  none ? " (`shared_with`)" : " in which they could exchange tensors", results.front(),
                  more > 0 ? fmt::format(" and {} more", more) : ""));
}

FusedResult OptimalFusedMappingStage::search(const core::Workload& workload, const PlacedLayers& placed,
                                             const std::shared_ptr<const core::Accelerator>& accelerator,
                                             const std::shared_ptr<const core::Accelerator>& unit) {
  const core::ProcessorTime stopwatch;
  const std::vector<int> sets =
      chosen_sets(groups, placed);  // tells of mistakes before anything is searched
  const std::unique_lock alone_here(using_known_, std::try_to_lock);
  core::KnownLayers nothing;
  core::KnownLayers& known = alone_here ? known_ : nothing;
  const core::SearchLimits whole = limits(*this);  // with one progress for all
  std::vector<core::NetworkLayer> layers;
  for (core::MappedLayer& alone : map_alone(placed, accelerator, unit, whole)) {
    const std::size_t index = layers.size();
    core::NetworkLayer& layer = layers.emplace_back(std::move(alone));
    layer.set = sets[index];
    if (placed.on_unit[index]) layer.in_common = placed.in_common;
  }
  const bool wanted = std::any_of(sets.begin(), sets.end(), [](int set) { return set != alone; });
  if (wanted && core::exchange_memories(*accelerator).empty())
    log(Level::warning, fmt::format("nothing can be exchanged on chip: no memory of {} below the topmost "
                                    "one is there once, holds an "
                                    "input, and holds outputs or takes them from another one (moves_to)",
                                    accelerator->name));
  core::FusedNetwork network = core::fused_network(workload, std::move(layers));
  for (const core::NetworkTensor& tensor : network.tensors)
    if (!tensor.exchangeable)
      log(Level::debug, fmt::format("the result of '{}' is not exchanged on chip: {}",
                                    network.layers[tensor.producer].layer->name, tensor.obstacle));
  if (wanted && unit != nullptr) tell_of_unit(network, placed, *accelerator, *unit);
  if (groups.kind() == ZZ_LIST)
    check_lists(network, *accelerator, core::exchange_memories(*accelerator, exchange_memory_names()));
  core::FusedOptions options;
  options.objective = wanted_objective(*this, objective);
  options.limits = whole;
  options.limits.seconds = std::max(0.0, time_limit - stopwatch.seconds());
  if (options.objective == core::Objective::latency) options.within = within;
  options.exchange_memories = exchange_memory_names();
  options.keep = keep;
  options.enlarge = enlarge;
  const auto first = std::find_if(network.layers.begin(), network.layers.end(),
                                  [](const core::NetworkLayer& layer) { return layer.set != alone; });
  if (enlarge > 0 && first != network.layers.end())
    warn_without_chains(*this, "enlarge", *first->layer, *first->problem.accelerator, rules());
  options.any_order = order == "any";
  options.known = &known;
  FusedResult found{core::find_fused_mapping(network, options), options.objective, true};
  if (cancelled()) {
    internal_tier().take_interruption();
    if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while fused groups were searched");
    log(Level::warning,
        "interrupted: the best that was found until now is handed down; a second interrupt ends the run");
  } else if (found.optimum.cut_off) {
    log(Level::warning, "`time_limit` or `memory_limit` cut the search for groups off; see `fused_gap`");
  }
  count("partial mappings kept", found.optimum.labels);
  return found;
}

void OptimalFusedMappingStage::write_groups(const FusedResult& found) const {
  if (dump_folder.empty()) return;
  output((std::filesystem::path(dump_folder) / "fused_groups.yaml").string(),
         fused_groups_yaml(found,
                           fmt::format("energy {:.6g} pJ{}; for `groups` of OptimalFusedMappingStage",
                                       found.optimum.energy,
                                       note_of_interruption().empty() ? "" : ", when it was interrupted")));
  if (core::exchange_memory_of(found.optimum.mapping) < 0) return;
  const std::string stem = (std::filesystem::path(dump_folder) / "fused_groups").string();
  const Picture picture = make_picture("fused", fused_tables(found.optimum.network, found.optimum.mapping));
  output(stem + ".vg.json", picture.specification);
  if (can_make_pages())
    write_page(stem + ".html", "fused", "fused groups", std::span(&picture, 1), note_of_interruption());
}

/// The evaluation from below, of a member of a group.
/// With its place in a group and, where it is known, what its layer costs by itself.
Value with_member(const Value& evaluation, const std::optional<core::GroupMember>& member,
                  const core::MappedLayer& alone) {
  // Groups that a file gives come without the mappings of the layers by themselves.
  const bool known = alone.mapping.loops > 0;
  if (!member && !known) return evaluation;
  core::Evaluation marked = *object_or_null<core::Evaluation>(evaluation);
  marked.fused = member;
  if (known) {
    core::set_metric(marked, by_itself::energy, alone.energy);
    core::set_metric(marked, by_itself::latency, alone.latency);
  }
  return wrap(std::move(marked));
}

void OptimalFusedMappingStage::refuse_settings() const {
  if (temporal_mapping_type == "even")
    throw Error(ZZ_E_INVALID,
                "fused groups have uneven temporal mappings only; leave out `temporal_mapping_type`");
  if (!compat.empty())
    throw Error(ZZ_E_INVALID, "fused groups are counted by the corrected rules only; leave out `compat`");
}

void OptimalFusedMappingStage::check(Value ctx) const {
  refuse_settings();
  tell_old_names();
  check_store();
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const auto accelerator = accelerator_with_costs(ctx);
  const Value vector_unit = ctx["vector_unit"_n].is_null() ? Value() : ctx.hold(ctx["vector_unit"_n]);
  const auto unit = object_or_null<core::Accelerator>(vector_unit);
  if (unit != nullptr) core::check_costs_are_told(*unit);
  const PlacedLayers placed = place_layers(*workload, *accelerator, unit.get(), "");
  if (placed.layers.empty()) return;
  refuse_zeros_of(placed, *accelerator, unit.get());
  check_placed(placed, *accelerator, unit.get());
  check_room(*this, *workload, placed.layers, accelerator, rules(), capacity(!compat.empty()));
  core::exchange_memories(*accelerator, exchange_memory_names());
  if (!given_groups()) chosen_sets(groups, placed);
}

Results OptimalFusedMappingStage::run(Value ctx) {
  refuse_settings();
  tell_old_names();
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const auto given = accelerator_with_costs(ctx);
  const Value vector_unit = ctx["vector_unit"_n].is_null() ? Value() : ctx.hold(ctx["vector_unit"_n]);
  const auto unit = object_or_null<core::Accelerator>(vector_unit);
  if (unit != nullptr) core::check_costs_are_told(*unit);
  const PlacedLayers placed = place_layers(*workload, *given, unit.get(), "");
  report_placed(*this, *workload, *given, unit.get(), placed);
  if (placed.layers.empty()) {
    log(Level::warning, "no layer has a cost: energy and latency of the network are 0");
    co_yield Result(sum({}));
    co_return;
  }
  check_placed(placed, *given, unit.get());
  refuse_zeros_of(placed, *given, unit.get());
  const auto accelerator =
      check_room(*this, *workload, placed.layers, given, rules(), capacity(!compat.empty()));
  const std::optional<core::yaml::Node> file = given_groups();
  const FusedResult found = file ? read_groups(*file, *workload, placed, accelerator, unit)
                                 : search(*workload, placed, accelerator, unit);
  const core::FusedOptimum& optimum = found.optimum;
  report_groups(*this, optimum.network, optimum.mapping);
  if (explain) {
    report_tensors_left(*this, optimum.network, optimum.mapping,
                        core::exchange_memories(*accelerator, exchange_memory_names()));
  }
  write_groups(found);
  core::CertificateFigures certificate;
  certificate.fused_value = optimum.value;
  certificate.fused_latency_hidden = optimum.latency.hidden;
  certificate.fused_latency_promised = optimum.latency.promised;
  certificate.fused_groups = static_cast<double>(core::groups_of(optimum.network, optimum.mapping).size());
  if (found.as_written) {
    certificate.fused_lower_bound = optimum.lower_bound;
    certificate.fused_gap = optimum.gap();
    certificate.fused_unfused = optimum.unfused;
  }
  if (found.as_written && !file) {
    certificate.space = core::figure_of(searched_space());
    certificate.fused_labels = static_cast<double>(optimum.labels);
    certificate.fused_unfused_energy = optimum.unfused_energy;
    certificate.fused_unfused_latency = optimum.unfused_latency;
  }

  const std::vector<std::optional<core::GroupMember>> members =
      core::members_of(optimum.network, optimum.mapping);
  const core::ChipArea area = area_with_unit(*given, unit.get());
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
      const double value = core::value_of(found.objective, member.energy, member.latency);
      const Value marked = certified(result.evaluation, found.objective, value, certificate);
      co_yield Result(
          with_network_figures(with_member(marked, members[i], *optimum.network.layers[i].by_itself),
                               *workload, area),
          extra);
    }
    display.advance(1);
  }
  count("layers", placed.layers.size());
}

}  // namespace

ZZ_PLUGIN_STAGE(OptimalFusedMappingStage)

}  // namespace zz::plugins
