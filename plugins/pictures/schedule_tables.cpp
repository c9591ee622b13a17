#include "plugins/pictures/schedule_tables.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/multicore/explain/resource_times.hpp"
#include "core/multicore/schedule/exchanges.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/search/methods/objective.hpp"
#include "plugins/pictures/cut_reports.hpp"
#include "plugins/pictures/labels.hpp"
#include "plugins/pictures/schedule_rows.hpp"

namespace zz::plugins {
namespace {

using Json = nlohmann::ordered_json;

class TableMaker {
 public:
  TableMaker(const core::Evaluation& evaluation, const PointBounds& bounds,
             const SchedulePlotOptions& options, SchedulePlotExtent& extent)
      : evaluation_(evaluation),
        bounds_(bounds),
        schedule_(*evaluation.schedule),
        graph_(*schedule_.graph),
        accelerator_(*schedule_.accelerator),
        extent_(extent),
        picture_(schedule_rows(schedule_)) {
    if (!options.links) leave_out_links();
    extent_.all_bars = picture_.bars.size();
    extent_.until = std::max(schedule_.latency, 1.0);
    if (extent_.all_bars > options.most_bars) {
      extent_.until = std::max(picture_.bars[options.most_bars].start, 1.0);
      picture_.bars.resize(options.most_bars);
    }
    extent_.bars = picture_.bars.size();
  }

  VegaTables all() {
    totals();
    figures();
    energy_terms();
    link_bits();
    rows();
    for (const ScheduleBar& bar : picture_.bars) {
      if (bar.kind == ScheduleBar::Kind::node)
        node(bar);
      else if (bar.kind == ScheduleBar::Kind::transfer)
        transfer(bar, schedule_.transfers[bar.position]);
      else
        block(bar, schedule_.blocks[bar.position]);
    }
    dependencies();
    memories();
    cuts();
    times();
    return std::move(tables_);
  }

 private:
  void leave_out_links() {
    const auto on_link = [this](const ScheduleBar& bar) { return picture_.rows[bar.row].link; };
    picture_.bars.erase(std::remove_if(picture_.bars.begin(), picture_.bars.end(), on_link),
                        picture_.bars.end());
    picture_.rows.erase(std::remove_if(picture_.rows.begin(), picture_.rows.end(),
                                       [](const ScheduleRow& row) { return row.link; }),
                        picture_.rows.end());
  }

  void totals() {
    extent_.title = graph_.name + " on " + accelerator_.name;
    table("schedule")
        .push_back({{"title", extent_.title},
                    {"latency", evaluation_.latency_total2},
                    {"period", schedule_.period},
                    {"energy", evaluation_.energy_total},
                    {"bound", schedule_.latency_bound},
                    {"until", extent_.until}});
    Json& layers = table("layers");
    for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
      const core::CutLayer& layer = graph_.layers[i];
      layers.push_back({{"layer", i}, {"label", layer_label(*layer.layer)}, {"nodes", layer.node_count}});
    }
  }

  void figures() {
    const auto add = [&](const char* figure, const char* unit, double value, double bound) {
      Json row{{"figure", figure}, {"unit", unit}, {"value", value}};
      if (bound > 0) row.update({{"bound", bound}, {"gap", value / bound - 1}});
      table("figures").push_back(std::move(row));
    };
    // In the steady state bounds are of the period.
    const bool steady = schedule_.period > 0;
    const double cycles = steady ? schedule_.period : evaluation_.latency_total2;
    const double energy = evaluation_.energy_total;
    add(steady ? "period" : "latency", "cycles", cycles, bounds_.latency);
    add("energy", "pJ", energy, bounds_.energy);
    add(steady ? "energy × period" : "energy × latency", "pJ cycles",
        core::value_of(core::Objective::edp, energy, cycles), bounds_.edp);
  }

  void energy_terms() {
    for (int term = 0; term < core::energy_term_count; ++term)
      if (schedule_.energy_terms[term] > 0)
        table("energy_terms")
            .push_back({{"term", core::energy_term_texts[term]}, {"energy", schedule_.energy_terms[term]}});
  }

  void link_bits() {
    const std::vector<core::LinkActivity> activity = core::link_activity(schedule_);
    const std::vector<std::string> labels = link_labels(accelerator_);
    for (std::size_t link = 0; link < activity.size(); ++link) {
      if (activity[link].transfers.empty() && activity[link].blocks.empty()) continue;
      const double most = static_cast<double>(accelerator_.links[link].bandwidth) * schedule_.latency;
      table("link_bits")
          .push_back({{"link", labels[link]},
                      {"bits", activity[link].bits},
                      {"share", most > 0 ? activity[link].bits / most : 0}});
    }
  }

  void rows() {
    const double latency = std::max(schedule_.latency, 1.0);
    Json& rows = table("rows");
    for (std::size_t i = 0; i < picture_.rows.size(); ++i) {
      const ScheduleRow& row = picture_.rows[i];
      rows.push_back({{"row", i},
                      {"label", row.label},
                      {"name", row.link ? "" : accelerator_.cores[row.index]->name},
                      {"link", row.link},
                      {"lanes", row.lanes},
                      {"share", row.busy / latency}});
    }
  }

  void node(const ScheduleBar& bar) {
    const core::ScheduledNode& scheduled = schedule_.nodes[bar.position];
    const core::ComputationNode& node = graph_.nodes[scheduled.node];
    const core::CoreCost* cost = costs_[bar.position];
    std::vector<int> tensors;
    for (std::size_t operand = 1; operand < node.tensors.size(); ++operand)
      if (node.tensors[operand] >= 0) tensors.push_back(node.tensors[operand]);
    Json row{{"node", scheduled.node}, {"row", bar.row},     {"layer", node.layer},
             {"sub_id", node.sub_id},  {"start", bar.start}, {"end", bar.end}};
    if (cost != nullptr) row["energy"] = cost->onchip_energy + cost->offchip_energy;
    row["operands"] = operands_text(schedule_, scheduled);
    row["output"] = node.tensors[0];
    row["tensors"] = tensors;
    nodes_.push_back(std::move(row));
  }

  void transfer(const ScheduleBar& bar, const core::Transfer& transfer) {
    const core::PieceTensor& tensor = graph_.tensors[transfer.tensor];
    const core::LayerOperand& operand = graph_.layers[tensor.layer].layer->operands[tensor.operand];
    transfers_.push_back({{"transfer", bar.position},
                          {"row", bar.row},
                          {"lane", bar.lane},
                          {"layer", tensor.layer},
                          {"tensor", transfer.tensor},
                          {"what", tensor_text(graph_, transfer.tensor)},
                          {"constant", operand.constant},
                          {"bits", tensor.bits},
                          {"from", core_label(accelerator_, transfer.sender)},
                          {"to", core_label(accelerator_, transfer.receiver)},
                          {"start", bar.start},
                          {"end", bar.end},
                          {"energy", transfer.link_energy + transfer.memory_energy}});
  }

  void block(const ScheduleBar& bar, const core::StreamBlock& block) {
    const core::ComputationNode& node = graph_.nodes[block.node];
    blocks_.push_back({{"row", bar.row},
                       {"lane", bar.lane},
                       {"layer", node.layer},
                       {"node", block.node},
                       {"sub_id", node.sub_id},
                       {"start", bar.start},
                       {"end", bar.end},
                       {"read", block.read_demand},
                       {"write", block.write_demand}});
  }

  /// Arrows with both ends in the picture.
  void dependencies() {
    std::vector<bool> shown(graph_.nodes.size(), false);
    for (const ScheduleBar& bar : picture_.bars)
      if (bar.kind == ScheduleBar::Kind::node) shown[schedule_.nodes[bar.position].node] = true;
    Json& dependencies = table("dependencies");
    for (const core::Dependency& dependency : graph_.dependencies) {
      if (dependency.operand < 0 || !shown[dependency.from] || !shown[dependency.to]) continue;
      const core::Layer& layer = *graph_.layers[graph_.nodes[dependency.to].layer].layer;
      dependencies.push_back({{"from", dependency.from},
                              {"to", dependency.to},
                              {"operand", layer.operands[dependency.operand].name},
                              {"bits", dependency.bits}});
    }
  }

  void memories() {
    Json &memories = table("memories"), &steps = table("steps");
    for (const core::MemoryTrace& trace : schedule_.memory) {
      if (trace.peak <= 0) continue;
      const core::TopMemory& memory = accelerator_.top_memories[trace.memory];
      memories.push_back({{"memory", trace.memory},
                          {"label", memory_label(accelerator_, trace.memory)},
                          {"capacity", memory.size},
                          {"size", size_text(memory.size)},
                          {"peak", trace.peak},
                          {"peak_size", size_text(trace.peak)},
                          {"peak_time", trace.peak_time}});
      for (std::size_t i = 0; i < trace.bits.size() && trace.bits[i].first <= extent_.until; ++i) {
        const double end = i + 1 < trace.bits.size() ? trace.bits[i + 1].first : extent_.until;
        steps.push_back({{"memory", trace.memory},
                         {"start", trace.bits[i].first},
                         {"end", std::clamp(end, trace.bits[i].first, extent_.until)},
                         {"bits", trace.bits[i].second}});
      }
    }
  }

  void cuts() {
    Json& cuts = table("cuts");
    for (const CutReport& cut : cut_reports(schedule_)) {
      std::vector<std::string> cores;
      for (const int core : cut.cores) cores.push_back(core_label(accelerator_, core));
      cuts.push_back({{"layer", layer_label(*graph_.layers[cut.layer].layer)},
                      {"loops", cut.loops},
                      {"pieces", cut.pieces},
                      {"cores", cores},
                      {"piece", cut.piece},
                      {"work", cut.work},
                      {"lanes", cut.lanes},
                      {"room", cut.room},
                      {"memory", cut.memory},
                      {"not_larger", cut.not_larger},
                      {"not_smaller", cut.not_smaller}});
    }
  }

  /// Times of all of the schedule, whatever the bars that are drawn.
  void times() {
    Json& times = table("times");
    for (const core::ResourceTime& time : core::resource_times(schedule_))
      for (int use = 0; use < core::time_use_count; ++use)
        if (time.cycles[use] > 0)
          times.push_back(
              {{"resource", time.label}, {"use", core::time_use_names[use]}, {"cycles", time.cycles[use]}});
  }

  Json& table(const char* name) { return tables_[name]; }

  const core::Evaluation& evaluation_;
  const PointBounds& bounds_;
  const core::Schedule& schedule_;
  const std::vector<const core::CoreCost*> costs_ = core::costs_of_nodes(schedule_);
  const core::ComputationNodeGraph& graph_;
  const core::MultiCoreAccelerator& accelerator_;
  SchedulePlotExtent& extent_;
  ScheduleRows picture_;
  VegaTables tables_ = {
      {"schedule", Json::array()},     {"layers", Json::array()},    {"rows", Json::array()},
      {"nodes", Json::array()},        {"transfers", Json::array()}, {"blocks", Json::array()},
      {"dependencies", Json::array()}, {"memories", Json::array()},  {"steps", Json::array()},
      {"cuts", Json::array()},         {"times", Json::array()},     {"figures", Json::array()},
      {"energy_terms", Json::array()}, {"link_bits", Json::array()}};
  Json &nodes_ = table("nodes"), &transfers_ = table("transfers"), &blocks_ = table("blocks");
};

}  // namespace

VegaTables schedule_plot_tables(const core::Evaluation& evaluation, const PointBounds& bounds,
                                const SchedulePlotOptions& options, SchedulePlotExtent& extent) {
  return TableMaker(evaluation, bounds, options, extent).all();
}

namespace {

std::vector<std::string> resources_of(std::span<const NamedSchedule> schedules) {
  std::vector<std::string> resources;
  for (const NamedSchedule& schedule : schedules)
    for (const auto& row : schedule.tables->at("times")) {
      const auto& name = row.at("resource").get_ref<const std::string&>();
      if (std::find(resources.begin(), resources.end(), name) == resources.end()) resources.push_back(name);
    }
  return resources;
}

}  // namespace

VegaTables waits_tables(std::span<const NamedSchedule> schedules) {
  VegaTables bars = VegaTables::array(), times = VegaTables::array();
  for (const std::string& resource : resources_of(schedules)) {
    for (const NamedSchedule& schedule : schedules) {
      const std::size_t bar = bars.size();
      bool there = false;
      for (const auto& row : schedule.tables->at("times")) {
        if (row.at("resource") != resource) continue;
        times.push_back({{"bar", bar}, {"use", row.at("use")}, {"cycles", row.at("cycles")}});
        there = true;
      }
      if (!there) continue;
      bars.push_back({{"bar", bar},
                      {"label", schedule.name.empty() ? resource : resource + ", " + schedule.name},
                      {"latency", schedule.tables->at("schedule").at(0).at("latency")}});
    }
  }
  return {{"bars", std::move(bars)}, {"times", std::move(times)}};
}

namespace {

// docs/limits.md names this limit.
constexpr std::uintmax_t most_picture_bytes = 268'435'456;

/// Lists and maps within each other in a picture: rows of tables with a few lists, and marks.
constexpr int most_levels = 32;

constexpr const char* expected = "the schedule.vg.json of an earlier run";

/// Columns that are numbers and texts. What else a row has is for the picture alone.
struct Columns {
  const char* table;
  std::vector<const char*> numbers, texts;
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw core::InputError(fmt::format("{}: {}; {} is expected", path, why, expected));
}

void check_rows(const std::string& path, const VegaTables& tables, const Columns& columns) {
  const auto table = tables.find(columns.table);
  if (table == tables.end()) refuse(path, fmt::format("there is no data set '{}'", columns.table));
  for (std::size_t row = 0; row < table->size(); ++row) {
    const auto check = [&](const char* column, bool number) {
      const auto cell = table->at(row).find(column);
      if (cell == table->at(row).end() || (number ? !cell->is_number() : !cell->is_string()))
        refuse(path, fmt::format("row {} of '{}' has no {} '{}'", row + 1, columns.table,
                                 number ? "number" : "text", column));
    };
    for (const char* column : columns.numbers) check(column, true);
    for (const char* column : columns.texts) check(column, false);
  }
}

/// The data sets with rows, which are objects.
VegaTables tables_of(const std::string& path, VegaTables& picture) {
  VegaTables tables = VegaTables::object();
  if (!picture.is_object() || !picture.contains("data") || !picture["data"].is_array())
    refuse(path, "it has no 'data'");
  for (VegaTables& data : picture["data"]) {
    if (!data.is_object() || !data.contains("name") || !data["name"].is_string())
      refuse(path, "a data set has no name");
    if (!data.contains("values") || !data["values"].is_array()) continue;
    for (const VegaTables& row : data["values"])
      if (!row.is_object())
        refuse(path, fmt::format("a row of '{}' is no map", data["name"].get<std::string>()));
    tables[data["name"].get<std::string>()] = std::move(data["values"]);
  }
  return tables;
}

}  // namespace

VegaTables read_earlier_schedule(const std::string& path, const core::Files& files) {
  const std::string text = files.read(path, most_picture_bytes, expected);
  bool deep = false;
  VegaTables picture = VegaTables::parse(
      text,
      [&deep](int depth, VegaTables::parse_event_t, VegaTables&) {
        deep = deep || depth > most_levels;
        return depth <= most_levels;
      },
      false);
  if (picture.is_discarded() || deep) refuse(path, "this is not the JSON of a picture");
  VegaTables tables = tables_of(path, picture);
  for (const Columns& columns :
       {Columns{"schedule", {"latency", "energy", "until", "bound"}, {"title"}},
        Columns{"layers", {}, {"label"}}, Columns{"rows", {"row", "lanes", "share"}, {"label"}},
        Columns{"nodes", {"node", "start", "end"}, {}}, Columns{"transfers", {"start", "end"}, {}},
        Columns{"blocks", {"start", "end"}, {}}, Columns{"dependencies", {"from", "to"}, {}},
        Columns{"memories", {"memory", "capacity"}, {"label"}},
        Columns{"steps", {"memory", "start", "end", "bits"}, {}},
        Columns{"times", {"cycles"}, {"resource", "use"}}, Columns{"cuts", {"pieces"}, {"layer", "loops"}}})
    check_rows(path, tables, columns);
  if (tables["schedule"].size() != 1) refuse(path, "it does not show one schedule");
  return tables;
}

}  // namespace zz::plugins
