#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/search/optimal/machine_limit.hpp"
#include "core/value/value.hpp"

/// The rows of a result: tables, JSON, comparisons, `why` and Python show these and make none of their own.
namespace zz::host {

/// pJ and cycles.
struct Figures {
  double energy = 0, latency = 0;
  std::optional<core::EnergyRange> energy_range = {};  ///< of costs that were filled in
  bool operator==(const Figures&) const = default;
};

/// A layer, or all of them. Rows that were read again know all but `value`, as far as the file says it.
struct ResultRow : Figures {
  std::string layer;
  int nth = 0;             ///< of the layers of that name: number_layers()
  std::int64_t id = -1;    ///< of the layer; -1 where it has none
  double utilization = 0;  ///< of the arithmetic units over the whole latency; NaN when unknown
  double gap = 0;          ///< that the proof of its mapping leaves, a fraction; NaN when nothing is proven
  std::string unrolling;   ///< "D1: K 32; D2: C 32"
  std::string limited_by;  ///< "dram.rw_port_1", "units", of a schedule "core 2"; "" when not known
  bool is_schedule = false;  ///< of several cores: the cycles of its layers are those of all cores together
  double limited_share = 0;  ///< of the latency; of a schedule of its critical chain; 0 when not known
  std::string limit;         ///< both in words: "dram rw_port_1 99 %", "units 25 % used: C 64 of 128"
  core::MachineLimit limits;  ///< of a layer, or of a network
  double clock = 0;           ///< period in ns; 0 when nobody says
  double area = 0;            ///< mm2 of the chip; 0 when some part does not say its own
  /// That stages added; of a whole result its rates, too (core/cost/rates.def).
  std::vector<std::pair<std::string, double>> metrics;
  core::Value value;  ///< the evaluation with all its figures

  /// The evaluation that `value` holds, or null. Lives as long as `value`.
  const core::Evaluation* evaluation() const;
  /// A metric by its name, NaN when it has none of that name.
  double metric(std::string_view name) const;
  bool is_same_layer(const ResultRow& other) const { return layer == other.layer && nth == other.nth; }
};

/// By name, as JSON texts.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// One result of a pipeline: its layers, and their total if there is one.
struct ResultRows {
  Settings settings;  ///< of a point of a sweep
  std::vector<ResultRow> layers;
  std::optional<ResultRow> total;

  /// The layer that is_same_layer(), or null.
  const ResultRow* find(const ResultRow& wanted) const;
};

/// The rows of one (evaluation, extra) pair of the first stage. Evaluations in the `extra` of a sum become
/// its layers, at any depth; a schedule is one row. Results that reducers kept besides the best are left
/// out.
ResultRows rows_of(const core::Value& evaluation, const core::Value& extra);
/// The same of one result after the other, as the run of a pipeline has them.
ResultRows rows_of(const core::Value& evaluation, const core::Value& extra, core::MachineLimits& limits);
/// Settings of a point of a sweep.
Settings settings_of(const core::Value& extra);

/// A pair of a list that comes up in parts (zz/internal_run.h).
struct PartOfList {
  core::Value evaluation, extra;
  bool is_first = false, is_last = false;
};
/// The part that stands in the place of an evaluation; empty for anything else.
std::optional<PartOfList> part_of_list(const core::Value& evaluation);
/// The rows of such a pair, without rates, which are of a whole result.
std::vector<ResultRow> rows_of_part(const core::Value& evaluation, const core::Value& extra,
                                    core::MachineLimits& limits);
/// The number of these rows, one more where there is a total, without making them.
std::uint64_t count_rows(const core::Value& evaluation, const core::Value& extra);

/// The same with the layers of schedules in place of these: of each its nodes on their cores, one after the
/// other. The total of a schedule is the schedule's.
ResultRows in_layers(ResultRows rows);

/// Counts layers of one name, so that is_same_layer() tells them apart.
void number_layers(std::vector<ResultRow>& rows);

/// A search has proven that no mapping is better by its objective.
bool is_proven_best(const core::Evaluation& evaluation);

/// A machine's limits as a list of {limiter, cycles}, with `of_unrolling` where it holds for one alone.
nlohmann::ordered_json limits_json(const core::MachineLimit& limits);

/// {settings: {...}} for `json`, where there are any.
void add_settings(nlohmann::ordered_json& json, const Settings& settings);
/// {settings, total, layers}, as --format=json prints a result; a schedule is a row that has `layers` of
/// its own. Read again from it they are in_layers(), which throws what the JSON library throws.
nlohmann::ordered_json rows_json(const ResultRows& rows);
/// One of its layers.
nlohmann::ordered_json row_json(const ResultRow& row);
ResultRows rows_from_json(const nlohmann::ordered_json& json);
/// One row of it.
ResultRow row_from_json(const nlohmann::ordered_json& json);
/// The metrics of a saved or printed row, and the range among them.
std::vector<std::pair<std::string, double>> metrics_in(const nlohmann::ordered_json& row);
std::optional<core::EnergyRange> range_in(const nlohmann::ordered_json& row);

}  // namespace zz::host
