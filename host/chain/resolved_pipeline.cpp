#include "host/chain/resolved_pipeline.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "host/chain/named_keys.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

using Stages = std::vector<const ResolvedStage*>;

void add_with_nested(Stages& out, const ResolvedStage& stage) {
  out.push_back(&stage);
  for (const NestedStages& nested : stage.nested) {
    for (const ResolvedStage& inner : nested.stages) add_with_nested(out, inner);
  }
}

/// Collects what is above `stage` into `above` and what is below into `below`; false when it is not in this
/// list, which leaves both as they were.
bool split_at(const std::vector<ResolvedStage>& list, const ResolvedStage& stage, Stages& above,
              Stages& below) {
  const std::size_t before = above.size();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (&list[i] == &stage) {
      add_with_nested(below, stage);
      below.erase(below.begin());
      for (std::size_t j = i + 1; j < list.size(); ++j) add_with_nested(below, list[j]);
      return true;
    }
    above.push_back(&list[i]);
    for (const NestedStages& nested : list[i].nested) {
      if (split_at(nested.stages, stage, above, below)) return true;
    }
  }
  above.resize(before);
  return false;
}

}  // namespace

Stages all_stages(const std::vector<ResolvedStage>& stages) {
  Stages all;
  for (const ResolvedStage& stage : stages) add_with_nested(all, stage);
  return all;
}

Stages stages_not_looked_at(const std::vector<ResolvedStage>& stages) {
  Stages all = all_stages(stages);
  std::erase_if(all, [](const ResolvedStage* stage) { return stage->stand_in == nullptr; });
  return all;
}

Stages stages_above(const ResolvedPipeline& pipeline, const ResolvedStage& stage) {
  Stages above, below;
  split_at(pipeline.stages, stage, above, below);
  return above;
}

Stages stages_below(const ResolvedPipeline& pipeline, const ResolvedStage& stage) {
  Stages above, below;
  split_at(pipeline.stages, stage, above, below);
  return below;
}

std::string ResolvedStage::label() const {
  return fmt::format("stage {} {} in {} ({})", position, name(), plugin->file_name(),
                     core::to_string({mark().file, mark().line, 0}));
}

bool hands_down_anything(const ResolvedStage& stage) {
  return stage.named.empty() && provides_named_keys(*stage.stage) && !names_settings_alone(*stage.stage);
}

bool ResolvedStage::provides(std::string_view key) const {
  if (hands_down_anything(*this)) return true;
  for (const zz_port& port : provided_by(*stage))
    if (key == port.key) return true;
  return std::any_of(named.begin(), named.end(), [&](const NamedKey& name) { return name.key == key; });
}

}  // namespace zz::host
