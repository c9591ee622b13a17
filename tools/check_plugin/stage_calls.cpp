#include "tools/check_plugin/stage_calls.hpp"

#include <cstring>
#include <fmt/format.h>
#include <thread>

#include "core/value/name.hpp"
#include "core/value/read.hpp"
#include "host/base/cancellation.hpp"
#include "host/chain/stage_call.hpp"
#include "host/values/handles.hpp"
#include "host/values/stage_table.hpp"

#include "tools/check_plugin/machine_state.hpp"

namespace zz::host {
namespace {

/// Bytes that nobody writes by chance: they show which memory a function left alone.
constexpr unsigned char pattern = 0xa5;

template <class T>
void fill(T& object) {
  std::memset(static_cast<void*>(&object), pattern, sizeof object);
}

template <class T>
bool untouched(const T& object) {
  T pristine;
  fill(pristine);
  return std::memcmp(&object, &pristine, sizeof object) == 0;
}

std::string text_of(const zz_result& result) {
  const auto json = [](const zz_value* value) {
    return value != nullptr ? core::to_json(value->value.ref()) : "none";
  };
  return json(result.evaluation) + Trace::separator + json(result.extra);
}

/// A description of the made-up stage below, which the host asks when a stage wants scores or loops.
const zz_stage_desc below_description = [] {
  zz_stage_desc description{};
  description.size = sizeof description;
  description.flags = ZZ_STAGE_LEAF | ZZ_STAGE_PARALLEL_OPEN | ZZ_STAGE_DETERMINISTIC;
  description.id = "zz.check-plugin.Below";
  description.name = "the made-up chain";
  return description;
}();

}  // namespace

std::string Trace::how_it_ended() const {
  if (status == ZZ_OK)
    return fmt::format("{} result{}, then the end", results.size(), results.size() == 1 ? "" : "s");
  return fmt::format("{} result{}, then a failure ({})", results.size(), results.size() == 1 ? "" : "s",
                     failure != nullptr ? failure->message : "");
}

StageCalls::StageCalls(const Plugin& plugin, const zz_stage_desc& stage, const StageSetup& setup,
                       Findings& findings)
    : plugin_(plugin),
      stage_(stage),
      setup_(setup),
      findings_(findings),
      host_(findings),
      settings_(setup.settings_map) {
  below_.description = &below_description;
  below_.plugin = plugin.table;
  below_.name = below_.label = below_description.name;
  place_.description = &stage;
  place_.plugin = plugin.table;
  place_.name = stage.name;
  place_.label = std::string("stage 1 ") + stage.name + " in " + plugin.file_name();
  place_.settings = setup.settings;
  if ((stage.flags & ZZ_STAGE_LEAF) == 0) place_.below = &below_;
  for (const zz_param& parameter : parameters_of(stage)) {
    if ((parameter.flags & ZZ_STAGES) == 0) continue;
    auto& above = nested_.emplace_back(std::make_unique<zz_place>());
    above->description = &stage;
    above->plugin = plugin.table;
    above->name = place_.name;
    above->label = place_.label;
    above->below = &below_;
    above->stands_for_setting = true;
    place_.nested.push_back({core::intern(parameter.name), above.get()});
  }
  host_.place = &place_;
  findings.about(stage.name);
}

StageCalls::~StageCalls() {
  if (initialised_ && plugin_.table->deinit != nullptr)
    watch("deinit", [this] { plugin_.table->deinit(); });
}

void StageCalls::watch(const std::string& what, const std::function<void()>& function) {
  findings_.doing(around_.empty() ? what : what + " " + around_);
  const MachineState before = MachineState::now();
  const int threads = thread_count();
  function();
  if (const std::string changed = before.changed_in(MachineState::now()); !changed.empty()) {
    findings_.failed("M4", findings_.current() + ": changes " + changed);
    before.restore();
  }
  if (threads_were_added(threads))
    findings_.failed("M2", findings_.current() + ": leaves a thread running");
}

Called StageCalls::call(const std::string& what, const std::function<zz_status(zz_error*)>& function) {
  Called called;
  zz_error sink;
  StageCall call{&place_, nullptr};
  const auto enter = [&] {
    const Entered entered(call);
    called.status = function(without_error_ ? nullptr : &sink);
  };
  watch(what, [&] {
    if (on_other_threads_)
      std::thread(enter).join();
    else
      enter();
  });
  const bool known_status = called.status >= ZZ_OK && called.status <= ZZ_E_INTERNAL;
  if (!known_status) {
    findings_.failed("F3", fmt::format("{}: answers with the status {}, which does not exist",
                                       findings_.current(), called.status));
    called.status = ZZ_E_INTERNAL;
  }
  if (called.status == ZZ_OK) return called;
  const bool silent = sink.message.empty() && from_value(sink.failure) == nullptr && call.stored == nullptr;
  if (silent && known_status && !without_error_) {
    findings_.failed("F2", findings_.current() + ": fails without saying why");
  } else if (!silent && !without_error_) {
    findings_.passed("F2", "failures come with a message");
  }
  called.failure = conclude(call, called.status, sink);
  return called;
}

bool StageCalls::initialise() {
  if (plugin_.table->init == nullptr) return true;
  const Called called =
      call("init", [this](zz_error* error) { return plugin_.table->init(&host_.table(), error); });
  initialised_ = called.status == ZZ_OK;
  return initialised_;
}

Called StageCalls::create(zz_stage*& out) {
  out = nullptr;
  return call("create", [&](zz_error* error) {
    return stage_.create(&host_.table(), to_abi(settings_.ref()), &place_, &out, error);
  });
}

void StageCalls::destroy(zz_stage* stage) {
  watch("destroy", [&] {
    StageCall call{&place_, nullptr};
    const Entered entered(call);
    stage_.destroy(stage);
  });
}

Called StageCalls::open(zz_stage* stage, zz_value* context, zz_stream& out) {
  fill(out);
  host_.ledger.lend(context);
  Called called = call("open", [&](zz_error* error) { return stage_.open(stage, context, &out, error); });
  host_.ledger.end_loan(context);
  if (called.status != ZZ_OK) return called;
  const auto missing = [&](const char* member) {
    findings_.failed("S2", findings_.current() + ": leaves out the member '" + member + "' of the stream");
  };
  if (untouched(out.pull) || out.pull == nullptr) missing("pull");
  if (untouched(out.close) || out.close == nullptr) missing("close");
  if (untouched(out.impl)) missing("impl");
  if (untouched(out.more)) missing("more");
  const bool usable =
      !untouched(out.pull) && out.pull != nullptr && !untouched(out.close) && out.close != nullptr;
  if (!usable) {
    called.status = ZZ_E_INTERNAL;
    called.failure = make_failure(ZZ_E_INTERNAL, "no stream", place_.label);
  }
  return called;
}

Called StageCalls::pull(zz_stream& stream, std::uint32_t cap, std::uint32_t& count,
                        std::vector<std::string>& results) {
  constexpr std::uint32_t fence = 2;  // results that nobody may write to
  std::vector<zz_result> room(cap + fence);
  for (zz_result& result : room) fill(result);
  fill(count);
  const bool before = on_other_threads_;
  Called called = call(fmt::format("pull with room for {}", cap), [&](zz_error* error) {
    return stream.pull(&stream, room.data(), cap, &count, error);
  });
  on_other_threads_ = before;
  if (untouched(count)) {
    findings_.failed("P1", findings_.current() + ": does not write the number of results");
    count = 0;
  }
  if (!untouched(room[cap]) || !untouched(room[cap + 1]))
    findings_.failed("P1", findings_.current() + ": writes beyond the room that it was given");
  if (count > cap) {
    findings_.failed("P1", fmt::format("{}: gives {} results", findings_.current(), count));
    count = 0;
    called.status = ZZ_E_INTERNAL;
    called.failure = make_failure(ZZ_E_INTERNAL, "too many results", place_.label);
    return called;
  }
  if (called.status != ZZ_OK && count != 0) {
    findings_.failed(
        "P1", fmt::format("{}: fails and says that there are {} results", findings_.current(), count));
    count = 0;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    zz_result& result = room[i];
    if (untouched(result.evaluation) || untouched(result.extra)) {
      findings_.failed("S5", findings_.current() + ": leaves a member of a result as it was");
      if (untouched(result.evaluation)) result.evaluation = nullptr;
      if (untouched(result.extra)) result.extra = nullptr;
    }
    if (result.evaluation == nullptr && result.extra == nullptr)
      findings_.failed("S5",
                       findings_.current() + ": gives a result that has neither evaluation nor extra");
    if (!host_.ledger.take(result.evaluation, "gives away")) result.evaluation = nullptr;
    if (!host_.ledger.take(result.extra, "gives away")) result.extra = nullptr;
    // A stage that gathers results gives a list of evaluations.
    if (result.evaluation != nullptr) {
      const core::Ref shown = result.evaluation->value.ref();
      if (core::type_name_of(shown) != "evaluation" && core::kind_of(shown) != core::Kind::list)
        findings_.failed(
            "S5", fmt::format("{}: gives {} as an evaluation", findings_.current(), core::describe(shown)));
    }
    results.push_back(text_of(result));
    release(result.evaluation);
    release(result.extra);
  }
  return called;
}

void StageCalls::close(zz_stream& stream) {
  watch("close", [&] {
    StageCall call{&place_, nullptr};
    const Entered entered(call);
    stream.close(&stream);
  });
}

zz_value* StageCalls::new_context(const Way& way) const {
  return new_handle(make_context(way.context != nullptr ? *way.context : setup_.context));
}

void StageCalls::pull_all(const Way& way, zz_stream& stream, Trace& trace) {
  constexpr int most_pulls = 10000;
  for (int pulls = 0; pulls != way.stop_after; ++pulls) {
    std::uint32_t count = 0;
    const Called called = pull(stream, way.cap, count, trace.results);
    trace.status = called.status;
    trace.failure = called.failure;
    if (called.status != ZZ_OK || count == 0) return;
    if (pulls == most_pulls) {
      findings_.unchecked("P2", fmt::format("no end after {} pulls", most_pulls));
      return;
    }
  }
}

Trace StageCalls::run(const Way& way) {
  Trace trace;
  around_ = way.around.empty() ? way.plan.text() : way.around;
  settings_ = way.settings != nullptr ? *way.settings : setup_.settings_map;
  host_.below.begin(way.plan);
  host_.use = {};
  reset_cancel();
  without_error_ = way.without_error;
  on_other_threads_ = way.on_other_threads;
  zz_stage* stage = nullptr;
  Called called = create(stage);
  if (called.status == ZZ_OK && stage == nullptr) {
    findings_.failed("S1", "create says ZZ_OK and gives no stage");
    called.status = ZZ_E_INTERNAL;
    called.failure = make_failure(ZZ_E_INTERNAL, "create gives no stage", place_.label);
  }
  trace.created = called.status == ZZ_OK;
  if (trace.created) {
    zz_value* context = new_context(way);
    zz_stream stream{};
    called = open(stage, context, stream);
    release(context);
    trace.opened = called.status == ZZ_OK;
    if (trace.opened) {
      pull_all(way, stream, trace);
      close(stream);
    }
    destroy(stage);
  }
  if (!trace.opened) {
    trace.status = called.status;
    trace.failure = called.failure;
  }
  host_.below.settle("after everything was closed, " + around_);
  host_.ledger.settle("after destroy, " + around_);
  go_on_unless_stopped(way.plan);
  reset_cancel();
  around_.clear();
  settings_ = setup_.settings_map;
  without_error_ = on_other_threads_ = false;
  return trace;
}

void StageCalls::go_on_unless_stopped(const Plan& plan) const {
  if (plan.code != ZZ_E_CANCELLED && cancel_requested()) throw StoppedForSlowness();
}

}  // namespace zz::host
