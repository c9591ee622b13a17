#include "host/chain/chain_checks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/cost/evaluation.hpp"
#include "core/schema/types.hpp"
#include "core/value/name.hpp"
#include "core/value/read.hpp"
#include "core/value/type.hpp"
#include "host/chain/named_keys.hpp"
#include "host/chain/third_party_checks.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

/// A context key at one stage of the chain.
struct Available {
  std::int32_t kind = ZZ_NULL;  ///< ZZ_NULL: anything
  std::string type;             ///< of an object; "" when it is not known
  std::string from;             ///< who provides it
  bool is_parameter = false;
};

std::string describe(const Available& key) {
  return key.kind == ZZ_OBJECT && !key.type.empty() ? key.type : kind_name(key.kind);
}

bool fits(const Available& key, const zz_port& port) {
  if (port.kind == ZZ_NULL || key.kind == ZZ_NULL) return true;
  if (port.kind == ZZ_F64 && key.kind == ZZ_I64) return true;
  if (port.kind != key.kind) return false;
  return port.kind != ZZ_OBJECT || port.type == nullptr || key.type.empty() || key.type == port.type;
}

class PortCheck {
 public:
  PortCheck(const ResolvedPipeline& chain, const PluginRegistry& registry, core::Diagnostics& diagnostics)
      : chain_(chain), registry_(registry), diagnostics_(diagnostics) {}

  void run() {
    for (const ContextEntry& entry : chain_.context) {
      available_[entry.key] = {static_cast<std::int32_t>(core::kind_of(entry.value.ref())), "",
                               "the parameters", true};
    }
    check_list(chain_.stages);
    for (const ContextEntry& entry : chain_.context) check_heeded(entry);
  }

 private:
  void check_list(const std::vector<ResolvedStage>& stages) {
    for (const ResolvedStage& stage : stages) {
      check_position(stage, &stage == &stages.back());
      for (const zz_port& port : consumed_by(*stage.stage)) check(stage, port);
      for (const zz_port& port : provided_by(*stage.stage)) provide(stage, port);
      for (const NestedStages& nested : stage.nested) {
        // Stages of the inner chain hand nothing down to this one.
        PortCheck inner = *this;
        inner.check_list(nested.stages);
      }
    }
  }

  void check_position(const ResolvedStage& stage, bool last) {
    const bool leaf = (stage.stage->flags & ZZ_STAGE_LEAF) != 0;
    if (leaf && !last) {
      diagnostics_.error(
          stage.mark(),
          fmt::format("{} must be the last stage: it opens nothing below itself", stage.name()),
          "move it to the end, or remove what follows it");
    }
    if (!leaf && last) {
      diagnostics_.error(
          stage.mark(),
          fmt::format("{} cannot be the last stage: it needs a stage below itself", stage.name()),
          "a pipeline ends with a stage such as CostModelStage");
    }
  }

  void check(const ResolvedStage& stage, const zz_port& port) {
    const std::string_view key = port.key;
    if (key == "*") return;
    const auto found = available_.find(std::string(key));
    if (found == available_.end()) {
      if ((port.flags & ZZ_OPTIONAL) != 0 || anything_) return;
      diagnostics_.error(stage.mark(),
                         fmt::format("{} needs '{}' ({}), which nothing above provides", stage.name(), key,
                                     port_type_name(port)),
                         who_provides(stage, key));
      return;
    }
    // A file has no objects: what it has under that name is a setting of a stage below.
    if (port.kind == ZZ_OBJECT && (port.flags & ZZ_OPTIONAL) != 0 && found->second.is_parameter) return;
    if (!fits(found->second, port)) {
      diagnostics_.error(stage.mark(),
                         fmt::format("{} needs '{}' as {}, but {} gives {}", stage.name(), key,
                                     port_type_name(port), found->second.from, describe(found->second)),
                         port.kind == ZZ_OBJECT && port.type != nullptr && unknown_type(port.type)
                             ? unknown_type_hint(port.type)
                             : who_provides(stage, key));
    }
  }

  /// A type that neither values nor stages have: an error of the stage's author.
  bool unknown_type(std::string_view type) const {
    if (core::find_object_type(type) != nullptr) return false;
    for (const StageSource& source : registry_.stages()) {
      for (const zz_port& port : provided_by(*source.stage)) {
        if (port.type != nullptr && type == port.type) return false;
      }
    }
    return true;
  }
  static std::string unknown_type_hint(const std::string& type) {
    std::vector<std::string> types;
    for (const core::Type* known : core::object_types()) types.emplace_back(known->name);
    const std::string near = core::nearest_name(type, types);
    return fmt::format("there is no type '{}'{}", type,
                       near.empty() ? "" : ": did its author mean '" + near + "'?");
  }

  /// The usual reason is the order: a stage below provides the key.
  std::string who_provides(const ResolvedStage& stage, std::string_view key) const {
    for (const ResolvedStage* other : stages_below(chain_, stage)) {
      for (const zz_port& port : provided_by(*other->stage)) {
        if (key == port.key) return fmt::format("{} provides it, and must stand above", other->name());
      }
    }
    if (std::string hint = providers_to_add(key); !hint.empty()) return hint;
    std::vector<std::string> keys;
    for (const auto& entry : available_) keys.push_back(entry.first);
    const std::string near = core::nearest_name(key, keys);
    return near.empty() || near == key ? "" : fmt::format("there is '{}'", near);
  }

  /// "put SpatialMappingConversionStage or SpatialMappingGeneratorStage above it": stages of the plugins
  /// that bring the key without needing it themselves.
  std::string providers_to_add(std::string_view key) const {
    std::string names;
    for (const StageSource& source : registry_.stages()) {
      const auto is_it = [&](const zz_port& port) { return key == port.key; };
      const auto taken = consumed_by(*source.stage), given = provided_by(*source.stage);
      if (std::any_of(taken.begin(), taken.end(), is_it) || !std::any_of(given.begin(), given.end(), is_it))
        continue;
      names += (names.empty() ? "" : " or ") + std::string(source.stage->name);
    }
    return names.empty() ? "" : "put " + names + " above it";
  }

  void provide(const ResolvedStage& stage, const zz_port& port) {
    if (std::string_view(port.key) == "*") {
      anything_ = anything_ || hands_down_anything(stage);
      for (const NamedKey& named : stage.named) provide(stage, named);
      return;
    }
    available_[port.key] = {port.kind, text_or_empty(port.type), stage.name()};
    if (port.kind == ZZ_OBJECT) return;
    if (is_third_party(*stage.plugin->table))
      check_taken(stage, port.key);
    else if ((port.flags & ZZ_OPTIONAL) == 0)
      check_not_set_below(stage, port.key);
  }

  /// Stages of zz hand down what another one may take, or none; but a stage that sets it itself takes no
  /// other value.
  void check_not_set_below(const ResolvedStage& stage, std::string_view key) {
    for (const ResolvedStage* below : stages_below(chain_, stage))
      for (const ResolvedSetting& setting : below->settings)
        if (setting.own && key == setting.parameter->name) warn_of_own_value(stage, key, *below);
  }

  void warn_of_own_value(const ResolvedStage& stage, std::string_view key, const ResolvedStage& below) {
    diagnostics_.warning(stage.mark(),
                         fmt::format("'{}', which {} hands down, has no effect on {}, which sets it itself",
                                     key, stage.name(), below.label()),
                         "remove the setting there");
  }

  /// A parameter has no effect where stages above all that have the setting always hand down another value.
  void check_heeded(const ContextEntry& entry) {
    if (!chain_.complete) return;  // what a stage takes that was not looked at is not known
    const ResolvedStage *replacing = nullptr, *replaced = nullptr;
    for (const ResolvedStage* stage : all_stages(chain_.stages)) {
      if (!takes(*stage, entry.key)) continue;
      const ResolvedStage* provider = nullptr;
      for (const ResolvedStage* above : stages_above(chain_, *stage))
        if (always_hands_down(*above, entry.key)) provider = above;
      if (provider == nullptr) return;
      if (replacing != nullptr) continue;
      replacing = provider;
      replaced = stage;
    }
    if (replacing == nullptr) return;
    diagnostics_.warning(
        entry.mark,
        fmt::format("'{}' has no effect: {} hands its own value down to {}",
                    entry.written.empty() ? entry.key : entry.written, replacing->name(), replaced->name()),
        "remove it");
  }

  /// A stage of zz whose port is "*" takes what the texts of its settings name, as the patterns of savers
  /// do; of others nobody knows.
  static bool takes(const ResolvedStage& stage, std::string_view key) {
    bool by_texts = false;
    for (const zz_port& port : consumed_by(*stage.stage)) {
      const bool any = std::string_view(port.key) == "*";
      if (key == port.key || (any && is_third_party(*stage.plugin->table))) return true;
      by_texts = by_texts || any;
    }
    return std::any_of(stage.settings.begin(), stage.settings.end(), [&](const ResolvedSetting& setting) {
      std::string_view text;
      if (by_texts && core::read_text(setting.value.ref(), text) && text.find(key) != text.npos)
        return true;
      return !setting.own && key == setting.parameter->name;
    });
  }

  static bool always_hands_down(const ResolvedStage& stage, std::string_view key) {
    if (is_third_party(*stage.plugin->table)) return false;
    const auto ports = provided_by(*stage.stage);
    return std::any_of(ports.begin(), ports.end(), [&](const zz_port& port) {
      return key == port.key && port.kind != ZZ_OBJECT && (port.flags & ZZ_OPTIONAL) == 0;
    });
  }

  /// A key that a stage of a third party changes for those below: somebody there must heed it.
  void check_taken(const ResolvedStage& stage, const std::string& key) {
    std::vector<std::string> names;
    const ResolvedStage* fixed = nullptr;
    for (const ResolvedStage* below : stages_below(chain_, stage)) {
      for (const zz_port& port : consumed_by(*below->stage)) {
        if (key == port.key || std::string_view(port.key) == "*") return;
        names.emplace_back(port.key);
      }
      for (const ResolvedSetting& setting : below->settings) {
        names.emplace_back(setting.parameter->name);
        if (key != setting.parameter->name) continue;
        if (!setting.own) return;
        fixed = below;
      }
    }
    if (!chain_.complete) return;
    if (fixed != nullptr)
      warn_of_own_value(stage, key, *fixed);
    else
      diagnostics_.warning(
          stage.mark(), fmt::format("no stage below {} takes '{}', which it hands down", stage.name(), key),
          core::suggestion(key, names));
  }

  void provide(const ResolvedStage& stage, const NamedKey& named) {
    const auto steps = core::steps_of(core::intern(named.key));
    const std::string first(core::text_of(steps.front()));
    const auto found = available_.find(first);
    if (steps.size() == 1) {
      if (is_setting_below(stage, first)) {
        available_[first] = {ZZ_NULL, "", stage.name()};
      } else if (found != available_.end() && found->second.kind == ZZ_OBJECT) {
        diagnostics_.error(
            named.mark,
            fmt::format("'{}' is an object here ({}), which no list of values can replace", first,
                        describe(found->second)),
            fmt::format("vary a part of it, '{}. ...', or its file above {}", first, found->second.from));
      } else {
        available_[first] = {ZZ_NULL, "", stage.name()};
      }
      return;
    }
    const bool has_parts =
        found != available_.end() &&
        (found->second.kind == ZZ_OBJECT || found->second.kind == ZZ_MAP || found->second.kind == ZZ_NULL);
    if (has_parts) return;
    diagnostics_.error(named.mark,
                       fmt::format("'{}' is a part of '{}', which nothing above {} provides as an object",
                                   named.key, first, stage.name()),
                       who_provides(stage, first));
  }

  bool is_setting_below(const ResolvedStage& stage, const std::string& name) const {
    const auto below = stages_below(chain_, stage);
    return std::any_of(below.begin(), below.end(), [&](const ResolvedStage* other) {
      return find_parameter(*other->stage, name) != nullptr;
    });
  }

  const ResolvedPipeline& chain_;
  const PluginRegistry& registry_;
  core::Diagnostics& diagnostics_;
  std::map<std::string, Available> available_;
  bool anything_ = false;  ///< a stage above provides keys that only its settings name
};

}  // namespace

void check_ports(const ResolvedPipeline& chain, const PluginRegistry& registry,
                 core::Diagnostics& diagnostics) {
  PortCheck(chain, registry, diagnostics).run();
}

namespace {

core::MetricSum sum_of(const zz_metric& metric) {
  if (metric.sum == ZZ_SUM_MAX) return core::MetricSum::largest;
  return metric.sum == ZZ_SUM_NONE ? core::MetricSum::none : core::MetricSum::add;
}

const char* words_of(core::MetricSum sum) {
  constexpr const char* words[] = {"added up", "the largest", "not summed"};
  return words[static_cast<int>(sum)];
}

class MetricCollector {
 public:
  explicit MetricCollector(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void add(const ResolvedStage& stage) {
    for (const zz_metric& metric : metrics_of(*stage.stage)) add(stage, metric);
  }

  std::vector<core::MetricRule> take() { return std::move(rules_); }

 private:
  void add(const ResolvedStage& stage, const zz_metric& metric) {
    if (core::find_field(*core::type_of<core::Evaluation>(), core::intern(metric.name)) != nullptr) {
      diagnostics_.error(
          stage.mark(),
          fmt::format("{} describes '{}' as a metric of its own, but that is a field of every "
                      "evaluation",
                      stage.name(), metric.name));
      return;
    }
    const core::MetricSum sum = sum_of(metric);
    const auto known = std::find_if(rules_.begin(), rules_.end(),
                                    [&](const core::MetricRule& rule) { return rule.name == metric.name; });
    if (known == rules_.end()) {
      rules_.push_back({metric.name, sum, text_or_empty(metric.unit),
                        (metric.flags & ZZ_METRIC_COLUMN) != 0, text_or_empty(metric.doc)});
      owners_.push_back(stage.name());
    } else if (known->sum != sum) {
      const std::string& other = owners_[static_cast<std::size_t>(known - rules_.begin())];
      diagnostics_.error(
          stage.mark(), fmt::format("the metric '{}' of several layers is {} for {}, and {} for {}",
                                    metric.name, words_of(sum), stage.name(), words_of(known->sum), other));
    } else {
      known->column = known->column || (metric.flags & ZZ_METRIC_COLUMN) != 0;
    }
  }

  core::Diagnostics& diagnostics_;
  std::vector<core::MetricRule> rules_;
  std::vector<std::string> owners_;  ///< of each rule: who said it first
};

}  // namespace

void describe_metrics(const ResolvedPipeline& pipeline, core::Diagnostics& diagnostics) {
  MetricCollector metrics(diagnostics);
  for (const ResolvedStage* stage : all_stages(pipeline.stages)) metrics.add(*stage);
  core::describe_metrics(metrics.take());
}

}  // namespace zz::host
