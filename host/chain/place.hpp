#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/value/edit.hpp"
#include "core/value/value.hpp"
#include "host/base/stage_libraries.hpp"
#include "host/base/time_spent.hpp"
#include "host/chain/demand.hpp"
#include "host/chain/resolved_pipeline.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// A stage that its plugin created for one place and one set of settings. It is destroyed with its last
/// stream.
struct Instance {
  const zz_stage_desc* description = nullptr;
  zz_stage* stage = nullptr;
  zz_place* place = nullptr;

  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();
};

/// A setting whose value a stage above may replace in the context.
struct Overridable {
  zz_name key = 0;
  std::size_t setting = 0;  ///< index into the settings of the place
  bool varied = false;      ///< a stage above sets it in each opening, because its settings name it
  std::string provider;     ///< the nearest stage above that hands it down
};

}  // namespace zz::host

/// A stage's place in the pipeline, and the handle that the stage gets.
struct zz_place {
  const zz_stage_desc* description = nullptr;
  const zz_plugin* plugin = nullptr;
  const zz_host* host = nullptr;  ///< for the stage
  std::string name;               ///< as the user wrote it
  std::string label;              ///< for messages; never changes, so that a crash handler may read it
  zz_place* below = nullptr;
  zz::host::TimeAccount* time = nullptr;  ///< charged for the stage; nullptr when nothing is measured
  std::vector<zz::host::ResolvedSetting> settings;
  std::vector<zz::core::Edit> changes;  ///< to what it hands down
  std::vector<zz::host::Overridable> overridable;
  /// The context keys that this stage and those above it declare to hand down, sorted; std::nullopt: any,
  /// or nobody asks.
  std::optional<std::vector<zz_name>> declared;
  std::shared_ptr<zz::host::Instance> instance;  ///< with the settings as written
  zz::host::Wanted wanted;                       ///< from an opening of this place
  std::vector<zz_name> compared;                 ///< compared_below() of the stage above
  bool parallel_below = true;                    ///< every stage below may be opened concurrently
  bool one_below = false;                        ///< exactly one result for each opening below
  /// Stages above hand its results on as they are, but for what a network adds to an evaluation: these are
  /// the run's.
  bool is_result_of_run = false;

  /// A chain that is a setting of the stage, and the place above it.
  struct Nested {
    zz_name setting = 0;
    zz_place* above = nullptr;
  };
  std::vector<Nested> nested;
  std::atomic<std::uint64_t> handed_up{0};  ///< results, over all openings
  bool rehearses = false;                   ///< nothing below what reads files is opened: rehearsal.hpp
  /// While it rehearses: called in place of what a rehearsal does below what reads files.
  const std::function<void(const zz_place&, const zz::core::Value& context)>* arrival = nullptr;
  bool stands_for_setting = false;  ///< this is such a place above a chain; it has no instance
  const zz::host::ResolvedStage* resolved = nullptr;  ///< only while the chain is built

  /// Instances with overridden settings, kept because the settings often repeat; the last used one last.
  struct Override {
    std::vector<zz::core::Value> values;
    std::shared_ptr<zz::host::Instance> instance;
  };
  std::mutex override_mutex;
  std::vector<Override> overrides;

  std::optional<zz::host::StageInLibrary> in_library;  ///< while the chain is there
};

namespace zz::host {

/// The stage that let through none of what came from below, with how many that were: "stage 5 Filter
/// (p.yaml:9) let through 0 of 70 results"; "" where there is none. `first`: of the chain, after its end.
std::string let_through_none(const zz_place& first);

/// Calls `create` of the stage at `place` with these values of its settings. Returns the status. On
/// failure, `error` and the current call get the reason.
zz_status make_instance(zz_place& place, const std::vector<core::Value>& values,
                        std::shared_ptr<Instance>& out, zz_error* error);

/// The values of the settings of `place` over `context`, in which a stage above may have replaced some.
std::vector<core::Value> settings_over(const zz_place& place, const core::Value& context);

/// The instance for an opening over `context`: that of the place or, when a stage above has replaced a
/// setting, another one.
zz_status instance_for(zz_place& place, zz_value* context, std::shared_ptr<Instance>& out, zz_error* error);

}  // namespace zz::host
