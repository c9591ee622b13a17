#pragma once
#include <vector>

#include "core/multicore/cuts/cut_menu.hpp"
#include "core/multicore/search/schedule_search.hpp"

namespace zz::core {

/// The cuts that a search chooses from, and the partitions that it begins with:
/// ScheduleSearchOptions::start, if any, as the first, and those that cut all layers alike.
struct FirstCuts {
  CutMenus menus;
  std::vector<Partition> partitions;
  /// With several samples: by layer, how many cuts at the beginning of its menu are for one sample, and the
  /// partitions of these that a search with one sample begins with.
  std::vector<int> cuts_of_one_sample;
  std::vector<Partition> of_one_sample;
};

/// ScheduleSearchOptions::most_nodes, or what it usually is.
int most_nodes_of(const ScheduleSearchOptions& options, std::size_t layers);

/// The same of a graph of one sample: what the search has that is for one, or a part of what is given.
int most_nodes_of_one_sample(const ScheduleSearchOptions& options, std::size_t layers);

/// The limits of the menus of a search with these options.
CutMenuOptions menu_options(const Workload& workload, const ScheduleSearchOptions& options);

/// Throws InputError for dimensions that no layer has, and for a start that does not fit the network.
/// With several samples the menus have grids over so many cores, too (grid_cuts).
FirstCuts first_cuts(const Workload& workload, const ScheduleSearchOptions& options, int cores);

}  // namespace zz::core
