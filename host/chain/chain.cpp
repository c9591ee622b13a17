#include "host/chain/chain.hpp"

#include <algorithm>
#include <string_view>

#include "core/value/name.hpp"
#include "host/chain/chain_description.hpp"
#include "host/chain/demand.hpp"
#include "host/chain/guard.hpp"
#include "host/chain/named_keys.hpp"
#include "host/chain/stage_call.hpp"
#include "host/chain/third_party_checks.hpp"
#include "host/values/context.hpp"
#include "host/values/handles.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

void initialise(const ResolvedStage& stage) {
  Plugin& plugin = *stage.plugin;
  if (plugin.initialised || plugin.table->init == nullptr) return;
  zz_error sink;
  const zz_status status = plugin.table->init(plugin.host, &sink);
  plugin.initialised = true;
  if (status == ZZ_OK) return;
  const std::string why = sink.message.empty()
                              ? "failed without saying why: this is a bug in it (rule F2 of docs/abi.md)"
                              : sink.message;
  throw ChainFailure(make_failure(status, "the plugin's initialisation: " + why, stage.label()));
}

bool varies(const ResolvedStage& stage, std::string_view key) {
  return std::any_of(stage.named.begin(), stage.named.end(),
                     [&](const NamedKey& named) { return named.key == key; });
}

/// True when the stage hands down a value of that key that is no object.
bool provides_value(const ResolvedStage& stage, std::string_view key) {
  if (varies(stage, key) || hands_down_anything(stage)) return true;
  const auto ports = provided_by(*stage.stage);
  return std::any_of(ports.begin(), ports.end(),
                     [&](const zz_port& port) { return port.kind != ZZ_OBJECT && key == port.key; });
}

}  // namespace

Chain::Chain(const ResolvedPipeline& resolved) {
  for (const ResolvedStage* stage : all_stages(resolved.stages)) initialise(*stage);
  first_ = place_stages(resolved.stages);
  find_declared(resolved);
  find_overridable(resolved);
  create_stages();
  check_demands();
  carry_demands();
  find_result_of_run();
  ContextEntries entries;
  for (const ContextEntry& entry : resolved.context)
    entries.emplace_back(core::intern(entry.key), entry.value);
  root_ = new_handle(make_context(std::move(entries)));
}

Chain::~Chain() { release(root_); }

zz_place* Chain::place_stages(const std::vector<ResolvedStage>& stages) {
  std::vector<zz_place*> list;
  for (const ResolvedStage& stage : stages) {
    zz_place& place = places_.emplace_back();
    place.resolved = &stage;
    place.description = stage.stage;
    place.plugin = stage.plugin->table;
    place.host = stage.plugin->host;
    place.name = stage.name();
    place.label = stage.label();
    place.in_library.emplace(place.label.c_str(), place.plugin);
    place.time = time_account(place.name);
    place.settings = stage.settings;
    for (const ChangedPart& change : stage.changes)
      place.changes.push_back({core::intern(change.path), change.value});
    place_nested(place, stage);
    list.push_back(&place);
  }
  bool parallel = true, one = true;
  zz_place* below = nullptr;
  for (auto place = list.rbegin(); place != list.rend(); ++place) {
    (*place)->below = below;
    for (const zz_place::Nested& nested : (*place)->nested)
      parallel = parallel && nested.above->parallel_below;
    (*place)->parallel_below = parallel;
    (*place)->one_below = below != nullptr && one;
    const std::uint32_t flags = (*place)->description->flags;
    parallel = parallel && (flags & ZZ_STAGE_PARALLEL_OPEN) != 0;
    one = one && (flags & ZZ_STAGE_ONE) != 0 && (below == nullptr || (flags & ZZ_STAGE_FORWARDS) != 0);
    below = *place;
  }
  return below;
}

/// Makes a place above each chain that is a setting, with the name of the stage that has the setting.
void Chain::place_nested(zz_place& place, const ResolvedStage& stage) {
  for (const NestedStages& list : stage.nested) {
    zz_place* first = place_stages(list.stages);
    zz_place& above = places_.emplace_back();
    above.description = stage.stage;
    above.name = place.name;
    above.label = place.label;
    above.time = place.time;
    above.below = first;
    above.parallel_below =
        first->parallel_below && (first->description->flags & ZZ_STAGE_PARALLEL_OPEN) != 0;
    above.stands_for_setting = true;
    place.nested.push_back({core::intern(list.parameter->name), &above});
  }
}

/// Keys that stages of third parties may hand down: those that they or those above declare.
void Chain::find_declared(const ResolvedPipeline& resolved) {
  for (zz_place& place : places_) {
    if (place.resolved == nullptr || !is_third_party(place)) continue;
    auto stages = stages_above(resolved, *place.resolved);
    stages.push_back(place.resolved);
    std::vector<zz_name> keys;
    const auto add = [&](std::string_view key) {
      keys.push_back(core::intern(key));
      keys.push_back(core::steps_of(keys.back()).front());
    };
    bool any = false;
    for (const ResolvedStage* stage : stages) {
      any = any || hands_down_anything(*stage);
      for (const zz_port& port : provided_by(*stage->stage)) add(port.key);
      for (const NamedKey& named : stage->named) add(named.key);
    }
    if (any) continue;
    std::sort(keys.begin(), keys.end());
    place.declared = keys;
    for (const zz_place::Nested& nested : place.nested) nested.above->declared = keys;
  }
}

/// A setting can be replaced when it was not set at the stage itself and a stage above provides the key.
void Chain::find_overridable(const ResolvedPipeline& resolved) {
  for (zz_place& place : places_) {
    if (place.resolved == nullptr) continue;
    const auto stages = stages_above(resolved, *place.resolved);
    for (std::size_t i = 0; i < place.settings.size(); ++i) {
      const ResolvedSetting& setting = place.settings[i];
      if (setting.own || (setting.parameter->flags & ZZ_STAGES) != 0) continue;
      const ResolvedStage* provider = nullptr;
      bool varied = false;
      for (const ResolvedStage* above : stages) {
        if (provides_value(*above, setting.parameter->name)) provider = above;
        varied = varied || varies(*above, setting.parameter->name);
      }
      if (provider != nullptr)
        place.overridable.push_back({core::intern(setting.parameter->name), i, varied, provider->name()});
    }
    place.resolved = nullptr;
  }
}

void Chain::create_stages() {
  for (auto place = places_.rbegin(); place != places_.rend(); ++place) {
    if (place->stands_for_setting) continue;
    bool waits = false;
    for (const Overridable& setting : place->overridable) {
      // A stage above sets it later; the instance is made then.
      const ResolvedSetting& resolved = place->settings[setting.setting];
      const bool needed = setting.varied || (resolved.parameter->flags & ZZ_REQUIRED) != 0;
      waits = waits || (needed && resolved.origin == Origin::fallback);
    }
    if (waits) continue;
    std::vector<core::Value> values;
    for (const ResolvedSetting& setting : place->settings) values.push_back(setting.value);
    zz_error sink;
    if (make_instance(*place, values, place->instance, &sink) != ZZ_OK)
      throw ChainFailure(from_value(sink.failure));
  }
}

void Chain::check_demands() const {
  std::vector<const zz_stage_desc*> stages;
  for (const zz_place& place : places_) stages.push_back(place.description);
  for (const zz_place& place : places_) {
    if (place.stands_for_setting) continue;
    if (FailurePointer failure = check_metrics(place, stages); failure != nullptr)
      throw ChainFailure(std::move(failure));
  }
}

void Chain::rehearse() { open_what_reads_files(); }

void Chain::read_files(
    const std::function<void(const zz_place& first, const core::Value& context)>& arrival) {
  for (zz_place& place : places_) place.arrival = &arrival;
  const auto leave = [this](void*) {
    for (zz_place& place : places_) place.arrival = nullptr;
  };
  const std::unique_ptr<void, decltype(leave)> left(this, leave);
  open_what_reads_files();
}

void Chain::open_what_reads_files() {
  for (zz_place& place : places_) place.rehearses = true;
  zz_error sink;
  zz_stream stream{};
  zz_status status = open_place(*first_, root_, &stream, &sink);
  if (status == ZZ_OK) {
    zz_result none{};
    std::uint32_t count = 0;
    status = stream.pull(&stream, &none, 1, &count, &sink);
    stream.close(&stream);
  }
  for (zz_place& place : places_) place.rehearses = false;
  if (status != ZZ_OK) throw ChainFailure(from_value(sink.failure));
}

void Chain::carry_demands() {
  for (zz_place& place : places_) {
    const bool top_of_setting = place.stands_for_setting;
    if (place.below == nullptr || top_of_setting) continue;
    place.below->wanted = wanted_below(place);
    place.below->compared = compared_below(place);
  }
}

/// A stage of this build that only forwards does not look at results; of others nobody knows. One that
/// makes `layers` adds figures of the network to evaluations, and looks at nothing else.
void Chain::find_result_of_run() {
  for (zz_place* place = first_; place != nullptr; place = place->below) {
    place->is_result_of_run = true;
    if (is_third_party(*place)) return;
    const zz_stage_desc& stage = *place->description;
    constexpr std::uint32_t hands_on_one = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE;
    const bool writes = stage.n_writes > 0 || !metrics_of(stage).empty();
    const bool hands_on = (stage.flags & hands_on_one) == hands_on_one && !writes;
    if (!hands_on && what_stage_makes(*place) != "layers") return;
  }
}

}  // namespace zz::host
