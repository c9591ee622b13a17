#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "core/base/files.hpp"
#include "core/cost/evaluation.hpp"
#include "plugins/pictures/front_tables.hpp"
#include "plugins/pictures/picture.hpp"

namespace zz::plugins {

struct SchedulePlotOptions {
  bool links = true;  ///< transfers and reservations, too
  /// Beyond that many bars only what starts before the first one left out is in the tables.
  std::size_t most_bars = 20000;
};

/// The part of a schedule that its tables have.
struct SchedulePlotExtent {
  std::string title;         ///< "resnet18 on quad_core"
  std::size_t all_bars = 0;  ///< of the whole schedule ...
  std::size_t bars = 0;      ///< ... and in the tables
  double until = 0;          ///< the cycle at which the picture ends
};

/// A schedule as tables for its picture; `extent` receives how much of it they have.
///   schedule     {title, latency, period, energy, bound, until}    one row; a period of 0: made once
///   figures      {figure, unit, value, bound, gap}                 latency (in the steady state the
///                                                                  period), energy, and their product;
///                                                                  bound and gap where `bounds` has one
///   energy_terms {term, energy}                                    pJ, without zeros: parts of the energy
///   link_bits    {link, bits, share}                               LinkActivity, of links that are used;
///                                                                  share: of what the link could carry
///   rows         {row, label, name, link, lanes, share}            share: of the latency that it is busy
///   layers       {layer, label, nodes}                             layers are numbered in this order
///   nodes        {node, row, layer, sub_id, start, end, energy, operands, output, tensors}
///   transfers    {transfer, row, lane, layer, tensor, what, constant, bits, from, to, start, end, energy}
///                                                                  once for each link that it occupied
///   blocks       {row, lane, layer, node, sub_id, start, end, read, write}
///   dependencies {from, to, operand, bits}                         numbers of nodes
///   memories     {memory, label, capacity, size, peak, peak_size, peak_time}
///   steps        {memory, start, end, bits}
///   cuts         {layer, loops, pieces, cores, piece, work, lanes, room, memory, not_larger, not_smaller}
///                                                                  CutReport, with labels
///   times        {resource, use, cycles}                           ResourceTime, without zeros
/// Tables without bars are of the whole schedule, links included, whatever the options. `bounds` are over
/// all cuts. The evaluation must have a schedule with accelerator and graph.
VegaTables schedule_plot_tables(const core::Evaluation& evaluation, const PointBounds& bounds,
                                const SchedulePlotOptions& options, SchedulePlotExtent& extent);

struct NamedSchedule {
  std::string name;                    ///< "before"; "" when there is but one
  const VegaTables* tables = nullptr;  ///< its tables `schedule` and `times`, as schedule_plot_tables()
};

/// The cycles of resources by use, several schedules side by side:
///   bars  {bar, label, latency}    resources in the order of the first schedule that has them
///   times {bar, use, cycles}
VegaTables waits_tables(std::span<const NamedSchedule> schedules);

/// The tables of a schedule that an earlier run drew, from its `schedule.vg.json`: those of
/// schedule_plot_tables(). Throws InputError that names the path, when there is no such file or it is one
/// of something else.
VegaTables read_earlier_schedule(const std::string& path,
                                 const core::Files& files = core::Files::on_disk());

}  // namespace zz::plugins
