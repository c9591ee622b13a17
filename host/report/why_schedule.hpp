#pragma once
#include <array>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/multicore/explain/critical_chain.hpp"
#include "core/multicore/explain/resource_times.hpp"
#include "core/multicore/explain/schedule_helps.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "host/report/result_rows.hpp"

/// Why a network takes so long on several cores, and what would help.
namespace zz::host {

struct ScheduleWhy {
  std::shared_ptr<const core::Schedule> schedule;
  std::vector<core::ResourceTime> times;    ///< cores, then links
  std::vector<core::UseCycles> node_times;  ///< by position in Schedule::nodes
  std::vector<core::ChainPart> chain;       ///< the latest first
  std::vector<core::ChainShare> shares;     ///< of the chain, most first
  core::ScheduleHelps helps;                ///< only of the whole schedule

  /// The part that was asked for: positions in Schedule::nodes of a layer or a node, or a core or a link.
  enum class Part { all, layer, node, resource };
  Part part = Part::all;
  std::string name;        ///< of what was asked for
  std::vector<int> nodes;  ///< of a layer or a node
  int resource = -1;       ///< index into `times`
};

/// Null where the evaluation has no schedule, or one without its accelerator and graph.
///
/// `asked`: "" or the name of the row: all of it; a layer, `LAYER/NODE`, or a core or link by its label.
/// Throws core::InputError naming the nearest one where the schedule has nothing of that name.
std::shared_ptr<const ScheduleWhy> why_of_schedule(const ResultRow& row, const std::string& asked,
                                                   const core::ScheduleHelpOptions& options);

/// In words; with `energy` a table of all terms.
std::string schedule_text(const ResultRow& row, const ScheduleWhy& why, bool energy,
                          const core::ScheduleHelpOptions& options);

/// The same as keys of a result: limits, times, memories, chain, energy_terms, helps, not_known.
nlohmann::ordered_json schedule_json(const ScheduleWhy& why);

/// The same as rows: table, where, what, layer, node, start, end, amount, unit.
inline constexpr std::array<const char*, 9> schedule_csv_columns = {
    "table", "where", "what", "layer", "node", "start", "end", "amount", "unit"};
std::vector<std::vector<std::string>> schedule_csv_rows(const ScheduleWhy& why, bool energy);

}  // namespace zz::host
