#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule.hpp"

namespace zz::core {

/// A change of the machine, and what is left of the latency then.
struct ScheduleHelp {
  /// `link`: it carries more bits a cycle. `memory`: it is larger, in all cores of one kind. `core`: one
  /// more of a kind, or those of a kind that the mapping leaves without work.
  std::string kind;
  std::string change;  ///< "bus 2 x as wide"
  double latency = 0;  ///< cycles, with it
  double saved = 0;    ///< cycles
};

struct ScheduleHelps {
  bool repeatable = false;  ///< the schedule can be made again; else nothing is found
  /// Cycles of the shortest schedule that the same search finds without a change; at most the latency.
  /// Savings count from here.
  double searched_again = 0;
  int tried = 0;              ///< changes
  std::vector<int> left_out;  ///< cores without work, equal to some that work, which the mapping leaves out
  std::vector<ScheduleHelp> found;  ///< most first; of equals links, memories, cores, in order
  /// Unknowns and their reasons, a sentence each without its full stop.
  std::vector<std::string> not_known;
};

struct ScheduleHelpOptions {
  std::int64_t factor = 2;               ///< wider, larger
  double least = 0.01;                   ///< of the latency; what saves less is none
  std::function<bool()> cancelled = {};  ///< asked between changes; may be empty
};

/// Changes that would make a schedule shorter: a link that is used, all links between cores, a topmost
/// memory, one core more, or in its place equal ones that have no work and that the `core_allocation` of
/// layers leaves out. With each the network is scheduled anew with its cuts: the cores and the order of the
/// schedule as they are, and a search that begins there, for cores and order where they may move. It is
/// told what that finds: other cuts may gain more.
///
/// A link that is the port of the off-chip memory is widened together with it. Nodes that stream are costed
/// again with their mapping, without the off-chip memory for what has room then; the costs of all others
/// do not depend on these changes. A core more is a copy of one with links, and candidate wherever that is.
///
/// The same schedule gives the same answer.
ScheduleHelps schedule_helps(const Schedule& schedule, const ScheduleHelpOptions& options = {});

}  // namespace zz::core
