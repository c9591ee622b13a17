#pragma once
#include <string>

#include "core/multicore/schedule/schedule.hpp"

namespace zz::plugins {

/// A schedule as a trace for Perfetto (https://ui.perfetto.dev) and other viewers of Chrome's trace event
/// format (JSON): a track for each core with its nodes, for each link with its transfers and reservations,
/// for each top memory the bits in use, and arrows from the node that makes data over the transfer to the
/// node on another core that uses them. A cycle is shown as a microsecond, which `otherData` says.
///
/// A link whose bars overlap has several tracks, because a track shows one thing at a time. Events
/// are in order of time. Linear in the schedule, apart from sorting. Throws InputError when the schedule
/// has no graph or no accelerator.
std::string perfetto_trace(const core::Schedule& schedule);

}  // namespace zz::plugins
