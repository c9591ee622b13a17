#include "core/multicore/cuts/cut_menu.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/multicore/graph/cut.hpp"
#include "core/multicore/graph/samples.hpp"

namespace zz::core {
namespace {

/// Most that the last piece may lack to be as large as the others, beside the whole loop: a small one
/// leaves lanes empty, or cores.
constexpr double most_lacking = 0.05;
constexpr double spacing_alone = 1.15, spacing_in_pairs = 1.4;

bool slides(const Layer& layer, const std::string& loop) {
  return std::any_of(layer.relations.begin(), layer.relations.end(),
                     [&](const DimensionRelation& relation) { return relation.filter_loop == loop; });
}

std::vector<LoopDimension> loops_to_cut(const Layer& layer, const CutMenuOptions& options) {
  std::vector<LoopDimension> loops;
  for (const LoopDimension& loop : layer.loops) {
    const bool named = options.dimensions.empty() ||
                       std::find(options.dimensions.begin(), options.dimensions.end(), loop.name) !=
                           options.dimensions.end();
    if (options.samples > 1 && loop.name == batch_loop) continue;
    if (named && loop.size > 1 && !slides(layer, loop.name) &&
        layer.may_be_cut(layer.loop_index(loop.name)))
      loops.push_back(loop);
  }
  return loops;
}

}  // namespace

std::vector<std::shared_ptr<const Layer>> layers_by_id(const Workload& workload) {
  std::vector<std::shared_ptr<const Layer>> layers = workload.layers;
  std::sort(layers.begin(), layers.end(), [](const auto& a, const auto& b) { return a->id < b->id; });
  return layers;
}

std::vector<CutEntry> cut_entries_of(const Partition& partition, const CutMenus& cuts,
                                     const Workload& workload) {
  const std::vector<std::shared_ptr<const Layer>> layers = layers_by_id(workload);
  std::vector<CutEntry> entries;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const Cut& cut = cuts[layer][partition[layer]];
    const auto alike = std::find_if(entries.begin(), entries.end(),
                                    [&](const CutEntry& entry) { return entry.loops == cut; });
    if (alike == entries.end())
      entries.push_back({{layers[layer]->id}, cut});
    else
      alike->layers.push_back(layers[layer]->id);
  }
  return entries;
}

std::int64_t most_pieces_of_a_layer(std::int64_t most_nodes, std::size_t layers) {
  constexpr std::int64_t times_average = 8, always = 64;
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, layers));
  return std::min(most_nodes, std::max(always, times_average * most_nodes / count));
}

bool may_be_spread(const Layer& layer, const std::string& name) {
  const int loop = layer.loop_index(name);
  const std::vector<int> constants = constants_in_source_order(layer);
  return !constants.empty() && layer.relevancy(0, loop) == Relevancy::relevant &&
         layer.relevancy(constants.back(), loop) != Relevancy::relevant;
}

std::vector<std::int64_t> piece_counts(std::int64_t size, double spacing, std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (std::int64_t count = 2; count < size && count <= most; ++count) {
    const std::int64_t piece = rounded_up(size, count);
    if (rounded_up(size, piece) != count) {
      // Fewer pieces of that size suffice. The next count that some size needs has smaller ones.
      count = rounded_up(size, piece - 1) - 1;
      continue;
    }
    if (static_cast<double>(piece * count - size) > most_lacking * static_cast<double>(size)) continue;
    counts.push_back(count);
    count = std::max(count, static_cast<std::int64_t>(std::ceil(spacing * static_cast<double>(count))) - 1);
  }
  if (size > 1 && size <= most) counts.push_back(size);
  return counts;
}

CutMenu cut_menu(const Layer& layer, const CutMenuOptions& options) {
  const std::vector<LoopDimension> loops = loops_to_cut(layer, options);
  CutMenu cuts{{}};
  for (const LoopDimension& loop : loops) {
    for (const std::int64_t count : piece_counts(loop.size, spacing_alone, options.most_pieces)) {
      cuts.push_back({{loop.name, count}});
      if (may_be_spread(layer, loop.name)) cuts.push_back({{loop.name, count, true}});
    }
  }
  std::vector<std::vector<std::int64_t>> counts;
  for (const LoopDimension& loop : loops)
    counts.push_back(piece_counts(loop.size, spacing_in_pairs, options.most_pieces));
  for (std::size_t inner = 0; inner < loops.size(); ++inner) {
    for (std::size_t outer = 0; outer < loops.size(); ++outer) {
      if (inner == outer) continue;
      for (const std::int64_t inner_count : counts[inner])
        for (const std::int64_t outer_count : counts[outer])
          if (inner_count <= options.most_pieces / outer_count)
            cuts.push_back({{loops[inner].name, inner_count}, {loops[outer].name, outer_count}});
    }
  }
  return cuts;
}

CutMenu sample_cuts(const Layer& layer, const CutMenuOptions& options) {
  CutMenu cuts;
  const auto add = [&](Cut cut, std::int64_t count, bool spread) {
    cut.push_back({samples_loop, count, spread});
    cuts.push_back(std::move(cut));
  };
  CutMenuOptions of_all = options;
  of_all.most_pieces = options.most_pieces_of_all;
  const bool together = may_hold_samples(layer), constants = shares_weights(layer);
  for (const Cut& cut : cut_menu(layer, of_all)) {
    if (together) add(cut, 1, false);
    if (cut.size() > 1) continue;
    const std::int64_t most = options.most_pieces_of_all / std::max<std::int64_t>(1, pieces(cut, layer));
    for (std::int64_t count = 2; count < options.samples && count <= most; ++count) {
      if (!together || options.samples % count != 0) continue;
      add(cut, count, false);
      if (constants) add(cut, count, true);
    }
    if (constants && options.samples <= most) add(cut, options.samples, true);
  }
  return cuts;
}

std::int64_t cuts_left_out(const Layer& layer, const CutMenuOptions& options) {
  const std::vector<LoopDimension> loops = loops_to_cut(layer, options);
  const auto more = [&](std::int64_t size, double spacing, std::int64_t most) {
    const std::vector<std::int64_t> counts = piece_counts(size, spacing, size);
    return counts.end() - std::upper_bound(counts.begin(), counts.end(), most);
  };
  std::int64_t left_out = 0;
  for (const LoopDimension& loop : loops) {
    const std::int64_t alone = more(loop.size, spacing_alone, options.most_pieces);
    left_out += may_be_spread(layer, loop.name) ? 2 * alone : alone;
    for (const LoopDimension& other : loops)
      if (&other != &loop)
        for (const std::int64_t count : piece_counts(loop.size, spacing_in_pairs, loop.size))
          left_out += more(other.size, spacing_in_pairs, options.most_pieces / count);
  }
  return left_out;
}

CutMenus cut_menus(const Workload& workload, const CutMenuOptions& options) {
  std::set<std::string> names;
  for (const auto& layer : workload.layers)
    for (const LoopDimension& loop : layer->loops) names.insert(loop.name);
  const std::vector<std::string> known(names.begin(), names.end());
  Diagnostics problems;
  for (const std::string& dimension : options.dimensions)
    if (names.count(dimension) == 0)
      problems.error({},
                     fmt::format("'cut_dimensions' names '{}', which is no loop of any layer of '{}'",
                                 dimension, workload.name),
                     suggestion(dimension, known));
  problems.throw_if_errors();
  CutMenus cuts;
  for (const auto& layer : layers_by_id(workload)) cuts.push_back(cut_menu(*layer, options));
  return cuts;
}

bool is_grid(const Cut& cut, const Layer& layer, int cores) {
  std::int64_t count = 1;
  for (const CutLoop& loop : cut) {
    if (loop.dimension == samples_loop) {
      if (loop.spread) return false;
      continue;
    }
    if (!loop.spread && may_be_spread(layer, loop.dimension)) return false;
    if (layer.relevancy(0, layer.loop_index(loop.dimension)) != Relevancy::relevant) return false;
    count *= loop.count.value_or(layer.loop_size(loop.dimension));
  }
  return count == cores;
}

CutMenu grid_cuts(const Layer& layer, int cores, const std::vector<std::string>& positions,
                  const std::vector<std::string>& channels) {
  Cut loops;
  const auto add = [&](const std::vector<std::string>& names, bool spread) {
    for (const std::string& name : names)
      if (layer.loop_size(name) > 1 && layer.may_be_cut(layer.loop_index(name)))
        loops.push_back({name, 1, spread && may_be_spread(layer, name)});
  };
  add(positions, true);
  add(channels, false);
  CutMenu cuts;
  const auto divide = [&](auto&& self, std::size_t loop, int left) -> void {
    if (loop == loops.size()) {
      if (left != 1) return;
      Cut& cut = cuts.emplace_back(loops);
      std::erase_if(cut, [](const CutLoop& entry) { return entry.count == 1; });
      return;
    }
    const std::int64_t size = layer.loop_size(loops[loop].dimension);
    for (int count = 1; count <= left && count <= size; ++count) {
      const bool none_is_empty = rounded_up(size, rounded_up(size, count)) == count;
      if (left % count != 0 || !none_is_empty) continue;
      loops[loop].count = count;
      self(self, loop + 1, left / count);
    }
    loops[loop].count = 1;
  };
  divide(divide, 0, cores);
  std::erase_if(cuts, [](const Cut& cut) { return cut.size() > 3; });
  return cuts;
}

int index_of(CutMenu& menu, const Cut& cut) {
  const auto found = std::find(menu.begin(), menu.end(), cut);
  if (found != menu.end()) return static_cast<int>(found - menu.begin());
  menu.push_back(cut);
  return static_cast<int>(menu.size()) - 1;
}

std::int64_t pieces(const Cut& cut, const Layer& layer) {
  std::int64_t product = 1;
  for (const CutLoop& loop : cut) {
    const std::int64_t size = layer.loop_size(loop.dimension);
    product *= std::min(loop.count.value_or(size), size);
  }
  return product;
}

}  // namespace zz::core
