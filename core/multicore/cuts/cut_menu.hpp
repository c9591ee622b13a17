#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/multicore/graph/cut.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Cut of a layer: its loops as `hint_loops` name them, the first one innermost. None: it stays whole.
using Cut = std::vector<CutLoop>;

/// The cuts that compete for a layer.
using CutMenu = std::vector<Cut>;

/// The menu of each layer, by ascending layer id.
using CutMenus = std::vector<CutMenu>;

/// A cut for each layer: indices into CutMenus.
using Partition = std::vector<int>;

/// Layers by ascending id: those that partitions are about.
std::vector<std::shared_ptr<const Layer>> layers_by_id(const Workload& workload);

/// A partition as `hint_loops` of mode 3: one entry for layers that are cut alike.
std::vector<CutEntry> cut_entries_of(const Partition& partition, const CutMenus& cuts,
                                     const Workload& workload);

struct CutMenuOptions {
  std::vector<std::string> dimensions;  ///< loops that may be cut; empty: all
  std::int64_t most_pieces = 1000;      ///< of a layer
  int samples = 1;
  std::int64_t most_pieces_of_all = 1000;  ///< of a layer for all samples together
};

/// Most pieces of a layer in a network of so many nodes: eight times the average, and 64 in any case. Finer
/// cuts of one layer leave too few nodes for the others.
std::int64_t most_pieces_of_a_layer(std::int64_t most_nodes, std::size_t layers);

/// True if pieces of the loop may be spread: they add nothing up, and would all run on one core because
/// they read the same constant.
bool may_be_spread(const Layer& layer, const std::string& loop);

/// The counts of pieces that compete for a loop of `size` iterations, ascending, 1 left out: those that
/// divide it, and those whose last piece lacks at most 5 % of the loop. Of counts that lie close together
/// one is kept: the next is at least `spacing` times as large. All iterations apart compete as well. None
/// is above `most`. Takes the time of the smaller one of `most` and the root of the size.
std::vector<std::int64_t> piece_counts(std::int64_t size, double spacing, std::int64_t most);

/// The cuts of a layer that compete, the whole layer first:
///
/// - Any loop of the layer may be cut: they differ in which tensors become small, and in what waits for
///   what. Left out are loops that a window slides over (FX, FY): pieces along them read nearly the same
///   data.
/// - One loop, in every count of piece_counts(size, 1.15): the most common winner.
/// - The same, spread, where the pieces read the same weights: several cores then work on a layer that
///   has few weights, each with weights of its own.
/// - Two loops, in counts that are further apart (1.4), in both orders: pieces that share weights, or that
///   share inputs, come one after the other.
/// - Three loops do not compete: in no case that was measured did one win, and there are too many.
/// - No more than `most_pieces` pieces: each costs time in every schedule.
/// - With several samples no cut of a batch loop that the network has of its own.
CutMenu cut_menu(const Layer& layer, const CutMenuOptions& options);

/// Number of further cuts that would compete without `most_pieces`.
std::int64_t cuts_left_out(const Layer& layer, const CutMenuOptions& options);

/// With several samples these cuts of a layer compete, too: those of cut_menu() with all samples in each
/// node, and the whole layer and those of one loop with the samples in several parts, also spread. Those of
/// cut_menu() alone have each sample by itself.
CutMenu sample_cuts(const Layer& layer, const CutMenuOptions& options);

/// The cuts of all layers, by ascending id. Throws InputError for dimensions that no layer has.
CutMenus cut_menus(const Workload& workload, const CutMenuOptions& options);

/// Cuts of a layer into one piece for each of so many cores: a grid of positions, which are spread, and of
/// channels. `positions` and `channels` are the loops whose pieces share weights, or have weights of their
/// own. Loops of the same name are divided in the same order in every layer, so that pieces with equal
/// numbers lie at the same place.
CutMenu grid_cuts(const Layer& layer, int cores, const std::vector<std::string>& positions,
                  const std::vector<std::string>& channels);

/// True for cuts of grid_cuts(), however they divide the samples.
bool is_grid(const Cut& cut, const Layer& layer, int cores);

/// The place of a cut in a menu, to which it is added where it is not there.
int index_of(CutMenu& menu, const Cut& cut);

/// Number of pieces into which a cut divides a layer.
std::int64_t pieces(const Cut& cut, const Layer& layer);

}  // namespace zz::core
