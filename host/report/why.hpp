#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/answers/changes.hpp"
#include "core/search/helps/helps.hpp"
#include "host/base/run.hpp"
#include "host/report/result_rows.hpp"
#include "host/report/why_schedule.hpp"

/// The limits of a layer, or a network, on its machine, and what a change of the machine saves; and the
/// same of its mapping alone.
namespace zz::host {

struct WhyQuestion {
  std::string layer;        ///< a name; "": all of them; of a schedule see why_of_schedule()
  bool mapping = false;     ///< of the mapping as it is (core::helps_for)
  bool energy = false;      ///< also of the energy
  bool search = false;      ///< with `mapping`: other unrollings, too
  std::int64_t factor = 2;  ///< wider, larger, longer
  /// Names of parts, "hbm rw_port_1", "vmem", "D1": these changes and no others; none: all.
  std::vector<std::string> changes = {};

  double least = 0.01;  ///< of the figure; what saves less is none
};

/// The savings of changes in one figure, each with all mapped anew.
struct MachineAnswer {
  double kept = 0;        ///< cycles or pJ of the mapping that the run has
  double now = 0;         ///< of the best one found on the machine as it is
  bool proven = false;    ///< it is the best
  std::size_t open = 0;   ///< changes that may save more than was found (core::open_changes)
  std::size_t known = 0;  ///< layers of which it is; none: nothing of this is known
  std::string among;      ///< which mappings compete where a change is mapped anew
  std::vector<core::Saving> savings;
  std::vector<std::string> not_known;  ///< a sentence each without its full stop
};

struct Why {
  ResultRow row;
  const core::Evaluation* evaluation = nullptr;      ///< of the row
  double count = 1;                                  ///< so often the layer is in the figures
  bool proven = false;                               ///< the mapping, or all of them, are proven best
  core::Helps helps;                                 ///< with WhyQuestion::mapping alone
  std::shared_ptr<const ScheduleWhy> schedule = {};  ///< of a network on several cores, in place of both
  MachineAnswer latency, energy;                     ///< else; the energy where it was asked for
};

/// Words on the mapping with which a change was costed: "anew, at most 0.9 % above the best".
std::string mapping_words(const core::Saving& saving);

struct WhyOfResult {
  Settings settings;  ///< of a point of a sweep
  std::vector<Why> layers;
  std::vector<ResultRow> rows() const;  ///< of these
  std::optional<Why> total;             ///< none when one layer was asked for
};

/// Searches on the threads of the run, with its answers; cancelled with it. Throws core::InputError naming
/// the nearest one where no layer, or no part, has a name, and for a change that makes no sense.
WhyOfResult why_of(const ResultRows& result, const WhyQuestion& question, Run& run);

}  // namespace zz::host
