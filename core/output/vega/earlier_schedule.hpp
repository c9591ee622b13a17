#pragma once
#include <string>

#include "core/base/files.hpp"
#include "core/output/vega/vega_tables.hpp"

namespace zz::core {

/// The tables of a schedule that an earlier run drew, from its `schedule.vg.json`: those of
/// schedule_plot_tables(). Throws InputError that names the path, when there is no such file or it is one
/// of something else.
VegaTables read_earlier_schedule(const std::string& path, const Files& files = Files::on_disk());

}  // namespace zz::core
