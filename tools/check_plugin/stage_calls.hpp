#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/values/handles.hpp"

#include "tools/check_plugin/checking_host.hpp"
#include "tools/check_plugin/stage_setup.hpp"

namespace zz::host {

/// Outcome of one call.
struct Called {
  zz_status status = ZZ_OK;
  FailurePointer failure;  ///< when it failed
};

/// Outcome of a whole run.
struct Trace {
  static constexpr char separator = '\n';
  std::vector<std::string> results;  ///< evaluation and extra as JSON, with the separator between them
  zz_status status = ZZ_OK;
  FailurePointer failure;
  bool created = false, opened = false;

  std::string how_it_ended() const;
  bool operator==(const Trace& other) const { return results == other.results && status == other.status; }
};

/// A call took so long that the parent process asked it to stop, and it did: what follows would compare the
/// results of an interrupted run with those of others.
struct StoppedForSlowness {};

/// Calls the functions of one stage and checks each call by itself: status, message, state of the machine,
/// what is written where. What spans several calls is up to whoever calls.
class StageCalls {
 public:
  StageCalls(const Plugin& plugin, const zz_stage_desc& stage, const StageSetup& setup, Findings& findings);
  ~StageCalls();
  StageCalls(const StageCalls&) = delete;
  StageCalls& operator=(const StageCalls&) = delete;

  CheckingHost& host() { return host_; }
  const zz_stage_desc& stage() const { return stage_; }
  const StageSetup& setup() const { return setup_; }
  const std::string& file() const { return plugin_.file; }  ///< of the plugin

  /// False when the plugin's init refuses.
  bool initialise();
  Called create(zz_stage*& out);
  void destroy(zz_stage* stage);
  Called open(zz_stage* stage, zz_value* context, zz_stream& out);
  /// Appends what was given to `results`. `count` is the number of results.
  Called pull(zz_stream& stream, std::uint32_t cap, std::uint32_t& count,
              std::vector<std::string>& results);
  void close(zz_stream& stream);
  /// Any other function of the stage, by the same rules. `what` is its name for messages.
  Called call(const std::string& what, const std::function<zz_status(zz_error*)>& function);

  /// Way to run: over which chain, with how much room, and what else is different.
  struct Way {
    Plan plan;
    std::uint32_t cap = 1;
    int stop_after = -1;         ///< pulls, after which the stream is closed; -1: at the end
    bool without_error = false;  ///< zz_error is null
    bool on_other_threads = false;
    const ContextEntries* context = nullptr;  ///< instead of that of the setup
    const core::Value* settings = nullptr;    ///< instead of those of the setup
    std::string around;                       ///< other special circumstances, for messages
  };
  /// create, open, pull to the end, close and destroy; then settles all accounts. Throws
  /// StoppedForSlowness.
  Trace run(const Way& way);
  /// Throws StoppedForSlowness when somebody else than the plan asked the stage to stop.
  void go_on_unless_stopped(const Plan& plan) const;

 private:
  void watch(const std::string& what, const std::function<void()>& function);
  void pull_all(const Way& way, zz_stream& stream, Trace& trace);
  zz_value* new_context(const Way& way) const;

  const Plugin& plugin_;
  const zz_stage_desc& stage_;
  const StageSetup& setup_;
  Findings& findings_;
  CheckingHost host_;
  zz_place place_, below_;
  std::vector<std::unique_ptr<zz_place>> nested_;
  std::string around_;  ///< for messages: "over a chain with 3 results"
  core::Value settings_;
  bool without_error_ = false, on_other_threads_ = false, initialised_ = false;
};

}  // namespace zz::host
