#include "host/library/named_parts.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/input/stream/multi_core_yaml.hpp"
#include "core/schema/types.hpp"
#include "core/value/edit.hpp"
#include "core/value/name.hpp"
#include "core/value/read.hpp"
#include "host/base/run.hpp"
#include "host/chain/third_party_checks.hpp"
#include "host/values/context.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

bool is_path_into_accelerator(const std::string& name) {
  const auto steps = core::steps_of(core::intern(name));
  if (steps.size() < 2) return false;
  const std::string_view key = core::text_of(steps.front());
  return key == "accelerator" || key == "multi_core_accelerator";
}

/// True of the stage that reads the accelerator from a file of zz, which nobody else's need be.
bool reads_accelerator(const ResolvedStage& stage) {
  const auto is_its_file = [](const zz_param& parameter) {
    return (parameter.flags & ZZ_INPUT_PATH) != 0 && std::string_view(parameter.name) == "accelerator";
  };
  const auto parameters = parameters_of(*stage.stage);
  return !is_third_party(*stage.plugin->table) && stage.provides("multi_core_accelerator") &&
         std::any_of(parameters.begin(), parameters.end(), is_its_file);
}

/// The accelerator that the stage which reads it will hand down; none when the file cannot be read.
std::optional<core::Value> context_below(const ResolvedStage& reader) {
  std::string_view file, compat;
  for (const ResolvedSetting& setting : reader.settings) {
    const std::string_view name = setting.parameter->name;
    if (name == "accelerator") core::read_text(setting.value.ref(), file);
    if (name == "compat") core::read_text(setting.value.ref(), compat);
  }
  if (file.empty()) return std::nullopt;
  try {
    core::Diagnostics ignored;
    auto read = core::read_one_or_several_cores(std::string(file), ignored, current_run().files,
                                                core::rules_of(std::string(compat)));
    if (auto* several = std::get_if<core::MultiCoreAccelerator>(&read)) {
      const auto cores = std::make_shared<const core::MultiCoreAccelerator>(std::move(*several));
      return make_context({{core::intern("multi_core_accelerator"), core::Value::object(cores)}});
    }
    const auto one =
        std::make_shared<const core::Accelerator>(std::get<core::Accelerator>(std::move(read)));
    const auto cores = std::make_shared<const core::MultiCoreAccelerator>(core::single_core(one));
    return make_context({{core::intern("accelerator"), core::Value::object(one)},
                         {core::intern("multi_core_accelerator"), core::Value::object(cores)}});
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

void check_named_parts(const ResolvedPipeline& pipeline, core::Diagnostics& diagnostics) {
  const auto reader = std::find_if(pipeline.stages.begin(), pipeline.stages.end(), reads_accelerator);
  if (reader == pipeline.stages.end()) return;
  std::optional<core::Value> context;
  const auto read_once = [&] {
    if (!context) context = context_below(*reader);
    return context.has_value();
  };
  for (const ChangedPart& change : reader->changes) {
    if (!is_path_into_accelerator(change.path)) continue;
    if (!read_once()) return;
    try {
      const core::Edit edit{core::intern(change.path), change.value};
      context = edited_context(*context, std::span(&edit, 1));
    } catch (const std::exception& problem) {
      diagnostics.error(change.mark, problem.what());
    }
  }
  for (const ResolvedStage* stage : stages_below(pipeline, *reader)) {
    for (const NamedKey& named : stage->named) {
      if (!is_path_into_accelerator(named.key)) continue;
      if (!read_once()) return;
      try {
        const core::Edit edit{core::intern(named.key), core::Value::integer(1)};
        edited_context(*context, std::span(&edit, 1));
      } catch (const core::ValueError& problem) {
        if (problem.problem() == core::ValueError::Problem::missing)
          diagnostics.error(named.mark, problem.what());
      } catch (const core::InputError&) {
        // The part is there; its values come later.
      }
    }
  }
}

}  // namespace zz::host
