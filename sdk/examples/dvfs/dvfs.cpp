// Dynamic voltage and frequency scaling of a schedule on several cores: each core runs, window by window,
// as slowly as the schedule can bear without getting longer. README.md says why what comes out is right.
#include <algorithm>
#include <cmath>
#include <map>
#include <zz/stage.hpp>

namespace {

// A node, a transfer, a reservation of links, or the removal of a tensor, which takes no time.
struct Activity {
  double start, end;                       // at full speed
  std::vector<std::size_t> uses, changes;  // cores, links, tensors and memories
  int64_t core = -1;                       // of a node
  double energy = 0, mac_energy = 0;       // of a node, at full voltage
  bool rigid = false;                      // links are reserved for just this time
};

enum Kind { finish, moment, begin };  // at one time in this order

struct Event {
  double time;
  Kind kind;
  std::size_t activity;
  bool operator<(const Event& other) const {
    return std::tie(time, kind) < std::tie(other.time, other.kind);
  }
};

struct Times {
  double start, end;
};

// Activities of a schedule, and their order. Two that share a thing which one of them changes, and of which
// one ended before the other began, keep it.
class Plan {
 public:
  explicit Plan(zz::Ref schedule) : latency(schedule["latency"].num()) {
    const zz::Ref accelerator = schedule["accelerator"], graph = schedule["graph"];
    const std::size_t cores = accelerator["cores"].size(), links = accelerator["links"].size();
    const auto link = [=](zz::Ref number) { return cores + number.i64(); };
    const auto tensor = [=, end = cores + links](zz::Ref number) { return end + number.i64(); };
    const auto memory = [=, end = cores + links + graph["tensors"].size()](zz::Ref number) {
      return end + number.i64();
    };
    things_ = cores + links + graph["tensors"].size() + accelerator["top_memories"].size();

    std::vector<std::vector<std::size_t>> inputs(graph["nodes"].size());
    for (std::size_t n = 0; n < inputs.size(); ++n)
      for (const zz::Ref number : graph["nodes"][n]["tensors"])
        if (number.i64() >= 0) inputs[n].push_back(tensor(number));
    for (const zz::Ref dependency : graph["dependencies"]) {
      const zz::Ref output = graph["nodes"][dependency["from"].i64()]["tensors"][0];
      if (output.i64() >= 0) inputs[dependency["to"].i64()].push_back(tensor(output));
    }
    std::vector<bool> streams(inputs.size());
    for (const zz::Ref block : schedule["blocks"]) {
      streams[block["node"].i64()] = true;
      Activity activity{block["start"].num(), block["end"].num(), {}, {}};
      const int64_t core = block["core"].i64(), outside = accelerator["offchip_core"].i64();
      const auto count = static_cast<int64_t>(cores);
      for (const int64_t route : {core * count + outside, outside * count + core})
        for (const zz::Ref number : accelerator["routes"][route]) activity.changes.push_back(link(number));
      activity.rigid = true;
      activities.push_back(std::move(activity));
    }
    first_node = activities.size();
    for (const zz::Ref node : schedule["nodes"]) {
      const int64_t n = node["node"].i64(), core = node["core"].i64();
      Activity activity{node["start"].num(), node["end"].num(), inputs[n], {std::size_t(core)}, core};
      const zz::Ref output = graph["nodes"][n]["tensors"][0];
      if (output.i64() >= 0) activity.changes.push_back(tensor(output));
      for (const zz::Ref number : accelerator["memories_of"][core]) activity.uses.push_back(memory(number));
      for (const zz::Ref cost : schedule["costs.layers"][graph["nodes"][n]["layer"].i64()]["on"]) {
        if (cost["core"].i64() != core) continue;
        activity.energy = cost["onchip_energy"].num();
        activity.mac_energy = cost["evaluation.mac_energy"].num(0);
      }
      activity.rigid = streams[n];
      activities.push_back(std::move(activity));
    }
    first_transfer = activities.size();
    std::map<std::pair<int64_t, double>, std::vector<std::size_t>> sent;  // by tensor and time
    for (const zz::Ref transfer : schedule["transfers"]) {
      Activity activity{transfer["start"].num(),
                        transfer["end"].num(),
                        {memory(transfer["receiver_memory"])},
                        {tensor(transfer["tensor"])}};
      for (const zz::Ref number : transfer["links"]) activity.changes.push_back(link(number));
      sent[{transfer["tensor"].i64(), activity.start}].push_back(activities.size());
      activities.push_back(std::move(activity));
    }
    // Copies that leave at the same time share links: they wait for the same things, and so stay together.
    for (const auto& [what, copies] : sent) {
      Activity all{};
      for (const std::size_t copy : copies) {
        const Activity& one = activities[copy];
        all.uses.insert(all.uses.end(), one.uses.begin(), one.uses.end());
        all.changes.insert(all.changes.end(), one.changes.begin(), one.changes.end());
      }
      for (const std::size_t copy : copies) {
        activities[copy].uses = all.uses;
        activities[copy].changes = all.changes;
      }
    }
    first_removal = activities.size();
    for (const zz::Ref removal : schedule["removals"])
      activities.push_back({removal["time"].num(),
                            removal["time"].num(),
                            {},
                            {tensor(removal["tensor"]), memory(removal["memory"])}});

    for (std::size_t a = 0; a < activities.size(); ++a) {
      const auto [start, end] = std::tie(activities[a].start, activities[a].end);
      events_.push_back({start, start < end ? begin : moment, a});
      if (start < end) events_.push_back({end, finish, a});
    }
    std::stable_sort(events_.begin(), events_.end());
  }

  // When everything happens if node `a` that starts at t ends at end_of(a, t); empty when that is too late.
  template <class EndOf>
  std::vector<Times> replay(EndOf end_of) const {
    std::vector<double> used(things_), changed(things_);  // until when
    std::vector<Times> times(activities.size(), Times{-1, -1});
    const auto start_early = [&](std::size_t a) {  // true when it moved
      const Activity& activity = activities[a];
      double start = activity.start;
      for (const std::size_t thing : activity.uses) start = std::max(start, changed[thing]);
      for (const std::size_t thing : activity.changes)
        start = std::max({start, used[thing], changed[thing]});
      if (start == times[a].start) return false;
      times[a] = {start, activity.core < 0 ? start + (activity.end - activity.start) : end_of(a, start)};
      return true;
    };
    const auto done = [&](std::size_t a) {
      for (const std::size_t thing : activities[a].uses) used[thing] = std::max(used[thing], times[a].end);
      for (const std::size_t thing : activities[a].changes)
        changed[thing] = std::max(changed[thing], times[a].end);
    };
    for (auto event = events_.begin(); event != events_.end();) {
      auto next = event;
      do ++next;
      while (event->kind == moment && next != events_.end() && !(*event < *next));
      // Moments of the same time move together.
      for (bool moved = true; moved;) {
        moved = false;
        for (auto same = event; same != next; ++same) {
          if (same->kind != finish && start_early(same->activity)) moved = same->kind == moment;
          if (same->kind != begin) done(same->activity);
        }
      }
      event = next;
    }
    const auto later = [](double a, double b) { return a > b + 1e-9 * b; };
    for (std::size_t a = 0; a < activities.size(); ++a) {
      const double limit = activities[a].rigid ? activities[a].end : latency;
      if (later(times[a].end, limit)) return {};
    }
    return times;
  }

  double latency;
  std::vector<Activity> activities;
  std::size_t first_node, first_transfer, first_removal;  // blocks, nodes, transfers, removals

 private:
  std::size_t things_;
  std::vector<Event> events_;
};

struct DvfsStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.DvfsStage",
      .name = "DvfsStage",
      .summary = "Lowers voltage and frequency of cores where a schedule leaves them time",
      .doc =
          "Takes the schedule of a network on several cores from below. Its latency stays. The energy of "
          "its "
          "nodes falls by the square of the voltage; `file` has the levels, and when everything happens.",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC};

  std::vector<double> voltages = {1.0, 0.9, 0.8, 0.7}, speeds = {1.0, 0.8, 0.6, 0.4};
  int64_t windows = 32;
  std::string file;
  static constexpr auto params = zz::params(
      zz::param<&DvfsStage::voltages>("voltages", "of the levels, falling").unit("V"),
      zz::param<&DvfsStage::speeds>("speeds",
                                    "of the levels, falling: shares of the full frequency, first 1"),
      zz::param<&DvfsStage::windows>("windows",
                                     "equal parts of the schedule in which a core keeps its level")
          .allowed("[1, 1000000]"),
      zz::param<&DvfsStage::file>("file", "where to write levels and times, as JSON").required());
  static constexpr const char* writes[] = {"energy_total", "mac_energy", "mem_energy", "saved_energy"};

  void prepare() {
    const auto falls = [](const std::vector<double>& list) {
      return std::adjacent_find(list.begin(), list.end(), std::less_equal<>()) == list.end() &&
             !list.empty() && list.back() > 0;
    };
    if (voltages.size() != speeds.size() || !falls(voltages) || !falls(speeds) || speeds[0] != 1)
      throw zz::Error(ZZ_E_INVALID,
                      "'voltages' and 'speeds' need one entry for each level, falling but "
                      "above 0; the first speed is 1");
  }

  zz::Results run(zz::Value ctx) {
    for (zz::Result& result : substage(ctx)) {
      if (result.evaluation["schedule"].is_null())
        throw zz::Error(ZZ_E_INVALID, "there is no schedule: below must be a pipeline for several cores");
      result.evaluation = slowed(result.evaluation);
      co_yield std::move(result);
    }
  }

 private:
  using Levels = std::vector<std::vector<int64_t>>;  // by core and window, 0 the fastest

  zz::Value slowed(const zz::Value& evaluation) const {
    const zz::Ref schedule = evaluation["schedule"];
    const Plan plan(schedule);
    const Levels levels = lowest_levels(plan, schedule["accelerator.cores"].size());
    const std::vector<Times> times =
        plan.replay([&](std::size_t a, double start) { return execute(plan, a, start, levels).end; });
    double saved = 0, saved_mac = 0;
    for (std::size_t a = plan.first_node; a < plan.first_transfer; ++a) {
      const double share = execute(plan, a, times[a].start, levels).energy;
      saved += (1 - share) * plan.activities[a].energy;
      saved_mac += (1 - share) * plan.activities[a].mac_energy;
    }
    write(plan, levels, times);
    const auto less = [&](const char* path, double by) {
      return zz::Entry(path, evaluation[path].num() - by);
    };
    return zz::with(evaluation, {less("energy_total", saved), less("mac_energy", saved_mac),
                                 less("mem_energy", saved - saved_mac), zz::Entry("saved_energy", saved)});
  }

  // Lowers one window of one core after the other by one level, as long as everything ends in time.
  Levels lowest_levels(const Plan& plan, std::size_t cores) const {
    Levels levels(cores, std::vector<int64_t>(static_cast<std::size_t>(windows), 0));
    for (int64_t level = 1; level < static_cast<int64_t>(speeds.size()); ++level)
      for (std::size_t window = 0; window < static_cast<std::size_t>(windows); ++window)
        for (std::vector<int64_t>& core : levels) {
          if (core[window] != level - 1) continue;
          core[window] = level;
          const auto end_of = [&](std::size_t a, double start) {
            return execute(plan, a, start, levels).end;
          };
          if (plan.replay(end_of).empty()) core[window] = level - 1;
        }
    return levels;
  }

  struct Execution {
    double end, energy;  // cycle; share of the energy at full voltage
  };
  Execution execute(const Plan& plan, std::size_t a, double start, const Levels& levels) const {
    const Activity& node = plan.activities[a];
    const double length = plan.latency / static_cast<double>(windows), work = node.end - node.start;
    double time = start, left = work, energy = 0;
    for (auto window = static_cast<int64_t>(std::min(start, plan.latency) / length); left > 0; ++window) {
      const int64_t level = levels[node.core][std::min(window, windows - 1)];
      const double voltage = voltages[level] / voltages[0];
      const double until = window < windows - 1 ? length * static_cast<double>(window + 1) : HUGE_VAL;
      const double done = std::min(left, speeds[level] * (until - time));
      energy += voltage * voltage * done;
      time = done < left ? until : time + done / speeds[level];
      left -= done;
    }
    return {time, work > 0 ? energy / work : 1};
  }

  void write(const Plan& plan, const Levels& levels, const std::vector<Times>& times) const {
    std::vector<zz::Value> cores;
    for (const std::vector<int64_t>& core : levels) cores.push_back(zz::make(core));
    const auto part = [&](std::size_t first, std::size_t end) {
      std::vector<zz::Value> list;
      for (; first < end; ++first)
        list.push_back(zz::make(zz::list({times[first].start, times[first].end})));
      return zz::make_list(list);
    };
    const zz::Value all = zz::make({{"window", plan.latency / static_cast<double>(windows)},
                                    {"voltages", voltages},
                                    {"speeds", speeds},
                                    {"levels", zz::make_list(cores)},
                                    {"nodes", part(plan.first_node, plan.first_transfer)},
                                    {"transfers", part(plan.first_transfer, plan.first_removal)},
                                    {"removals", part(plan.first_removal, times.size())}});
    output(file, all.json() + "\n");
  }
};

}  // namespace

ZZ_PLUGIN("org.example.dvfs", DvfsStage)
