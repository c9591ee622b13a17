#include <algorithm>
#include <bit>
#include <functional>

#include "core/mapping/loop_allocator.hpp"

// The part of LoopAllocator that looks sizes and traffic up by lattice points. It takes the same decisions
// as loop_allocator.cpp, of which each shortcut says why.

namespace zz::core {
namespace {

/// Iterations of one loop dimension below a memory, by the number of its loops of each kind that are below.
/// Products of fractions are rounded, and then may depend on the order of the loops; `unique` tells.
class DimensionProducts {
 public:
  DimensionProducts(const LoopLattice& lattice, int dimension) {
    std::vector<const LoopLattice::Kind*> kinds;
    for (const LoopLattice::Kind& kind : lattice.kinds()) {
      if (kind.dimension == dimension) kinds.push_back(&kind);
    }
    std::vector<std::size_t> strides;
    std::size_t size = 1;
    for (const LoopLattice::Kind* kind : kinds) {
      strides.push_back(size);
      size *= static_cast<std::size_t>(kind->count) + 1;
    }
    products_.assign(size, 1);
    place_.resize(lattice.points());
    for (std::size_t point = 0; point < place_.size(); ++point) {
      std::size_t place = 0;
      for (std::size_t i = 0; i < kinds.size(); ++i)
        place += strides[i] * (point / kinds[i]->stride % (static_cast<std::size_t>(kinds[i]->count) + 1));
      place_[point] = static_cast<std::uint32_t>(place);
    }
    for (std::size_t place = 1; place < size; ++place) {
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (place / strides[i] % (static_cast<std::size_t>(kinds[i]->count) + 1) > 0)
          steps_.push_back({place, place - strides[i], static_cast<double>(kinds[i]->size)});
      }
    }
  }

  void unroll(double factor) {
    for (double& product : products_) product *= factor;
    fractional_ = fractional_ || factor != static_cast<double>(static_cast<std::int64_t>(factor));
  }

  /// To be called at each level when its unrolled loops are in. False: the products depend on the order.
  bool settle() {
    if (!settled_) {
      settled_ = true;
      for (const Step& step : steps_) products_[step.to] = products_[step.from] * step.size;
    }
    return !fractional_ || std::all_of(steps_.begin(), steps_.end(), [&](const Step& step) {
      return products_[step.to] == products_[step.from] * step.size;
    });
  }

  double at(LoopLattice::Point point) const { return products_[place_[point]]; }

 private:
  struct Step {
    std::size_t to, from;
    double size;
  };
  std::vector<double> products_;
  std::vector<std::uint32_t> place_;  ///< by lattice point
  std::vector<Step> steps_;           ///< every way to add one loop
  bool fractional_ = false;
  bool settled_ = false;
};

/// Of the entries that fit, an edge of the lattice never leads to more traffic.
bool is_falling(const SliceTable& table, const LoopLattice& lattice, double capacity) {
  for (LoopLattice::Point point = 0; point < lattice.points(); ++point) {
    if (table.at[point].bits > capacity) continue;
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      const LoopLattice::Kind& step = lattice.kinds()[kind];
      if (lattice.placed(point, static_cast<int>(kind)) == step.count) continue;
      const SliceTable::Entry& next = table.at[point + step.stride];
      if (next.bits <= capacity && next.traffic > table.at[point].traffic) return false;
    }
  }
  return true;
}

}  // namespace

void LoopAllocator::expect(std::shared_ptr<const LoopLattice> lattice) {
  lattice_ = std::move(lattice);
  tables_.clear();
  kinds_.clear();
  for (std::size_t operand = 0; lattice_ && operand < operands_.size(); ++operand) {
    if (!tabulate(static_cast<int>(operand))) lattice_ = nullptr;
  }
  if (!lattice_) return;
  for (const LoopLattice::Kind& kind : lattice_->kinds()) {
    LoopKind& entry = kinds_.emplace_back();
    entry.stride = kind.stride;
    for (std::size_t operand = 0; operand < operands_.size(); ++operand) {
      if (operands_[operand].irrelevant[kind.dimension])
        entry.irrelevant |= LoopSets::first_of(static_cast<int>(operand));
    }
  }
  for (Node& node : nodes_) {
    double bits = 0;
    for (const int operand : node.operands)
      bits += std::max(tables_[operand].top_bits[0], tables_[operand].top_bits[1]);
    const bool top =
        std::all_of(node.top.begin(), node.top.begin() + node.operands.size(), std::identity());
    node.takes_the_rest = top && bits <= node.capacity;
  }
}

bool LoopAllocator::tabulate(int index) {
  const Operand& operand = operands_[index];
  OperandTables& tables = tables_.emplace_back();
  std::array<double, max_memory_levels> capacity{};
  for (const Node& node : nodes_) {
    const auto& held = node.operands;
    if (const auto here = std::find(held.begin(), held.end(), index); here != held.end())
      capacity[tables.levels.size()] = node.capacity, tables.levels.emplace_back();
  }
  std::vector<int> dimensions;
  std::vector<DimensionProducts> products;
  for (int dimension = 0; dimension < dimensions_; ++dimension) {
    if (!operand.sizes[dimension]) continue;
    dimensions.push_back(dimension);
    products.emplace_back(*lattice_, dimension);
  }
  const int finished_kinds = operand.output ? 2 : 1;
  const double total = static_cast<double>(lattice_->iterations(lattice_->all()));
  Products below;
  below.fill(1);
  for (std::size_t level = 0; level < tables.levels.size(); ++level) {
    for (std::size_t i = 0; i < products.size(); ++i) {
      for (const SpatialFactor& loop : operand.spatial[level]) {
        if (loop.dimension == dimensions[i]) products[i].unroll(loop.factor);
      }
      if (!products[i].settle()) return false;
    }
    const auto elements = [&](LoopLattice::Point point) {
      for (std::size_t i = 0; i < products.size(); ++i) below[dimensions[i]] = products[i].at(point);
      return tensor_elements(operand, below);
    };
    if (level + 1 == tables.levels.size()) {
      const double whole = elements(lattice_->all());
      tables.top_bits = {whole * operand.precision, whole * operand.final_precision};
      const int used = operand.output ? 2 : 1;
      return std::all_of(tables.top_bits.begin(), tables.top_bits.begin() + used,
                         [&](double bits) { return bits <= capacity[level]; });
    }
    for (int finished = 0; finished < finished_kinds; ++finished)
      tables.levels[level][finished].at.resize(lattice_->points());
    for (LoopLattice::Point point = 0; point < lattice_->points(); ++point) {
      const double held = elements(point);
      const double above = total / static_cast<double>(lattice_->iterations(point));
      for (int finished = 0; finished < finished_kinds; ++finished) {
        const double bits = held * (finished ? operand.final_precision : operand.precision);
        tables.levels[level][finished].at[point] = {bits, above * bits};
      }
    }
    for (int finished = 0; finished < finished_kinds; ++finished) {
      SliceTable& table = tables.levels[level][finished];
      table.falling = is_falling(table, *lattice_, capacity[level]);
    }
  }
  return false;  // no memory
}

LoopAllocator::MemoryView LoopAllocator::memory_view(int operand, int level) const {
  MemoryView view;
  int next = 0;
  for (const Node& node : nodes_) {
    const auto here = std::find(node.operands.begin(), node.operands.end(), operand);
    if (here == node.operands.end() || next++ != level) continue;
    view.capacity = node.capacity;
    view.topmost = node.top[static_cast<std::size_t>(here - node.operands.begin())];
    view.top_bits = std::max(tables_[operand].top_bits[0], tables_[operand].top_bits[1]);
    view.slices = &tables_[operand].levels[level];
  }
  return view;
}

bool LoopAllocator::always_fits() const {
  if (!lattice_ || type_ != MappingType::uneven) return false;
  // What an operand brings along to a memory at least: all that the memory below may have been filled with.
  const auto most_at_start = [&](int operand, int level) {
    const MemoryView here = memory_view(operand, level);
    if (here.topmost) return here.top_bits;
    double most = 0;
    for (LoopLattice::Point point = 0; point < lattice_->points(); ++point) {
      bool reached = point == 0;
      if (level > 0) {
        const MemoryView below = memory_view(operand, level - 1);
        for (const SliceTable& table : *below.slices)
          reached = reached || (!table.at.empty() && table.at[point].bits <= below.capacity);
      }
      for (const SliceTable& table : *here.slices) {
        if (reached && !table.at.empty()) most = std::max(most, table.at[point].bits);
      }
    }
    return most;
  };
  std::array<int, max_operands> level{};
  return std::all_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
    double bits = 0;
    for (const int operand : node.operands) bits += most_at_start(operand, level[operand]++);
    return bits <= node.capacity;
  });
}

bool LoopAllocator::allocate_by_tables(CompactMapping& mapping) {
  points_[0] = 0;
  irrelevant_loops_ = {};
  for (int loop = 0; loop < mapping.loops; ++loop) {
    const LoopKind& kind = kinds_[mapping.kind[loop]];
    points_[loop + 1] = points_[loop] + kind.stride;
    irrelevant_loops_.add(kind.irrelevant, loop);
  }
  for (Progress& progress : progress_) progress.level = progress.allocated = 0;
  for (const Node& node : nodes_) {
    if (!visit_by_tables(node, mapping)) return false;
  }
  merge_down_by_masks(mapping);
  return true;
}

/// The output leaves the memory at hand in its final precision: nothing is added to it above.
bool LoopAllocator::finished(int operand) const {
  const Progress& progress = progress_[operand];
  return operands_[operand].output && !operands_[operand].irrelevant_above[progress.level + 1] &&
         irrelevant_loops_.of(operand) >> progress.allocated == 0;
}

/// How far up the operand alone could fill the memory. False: not even what it must hold fits.
bool LoopAllocator::find_end(const Node& node, std::size_t which, int loops) {
  const int operand = node.operands[which];
  const Progress& progress = progress_[operand];
  if (node.top[which]) {
    end_[which] = loops;
    return true;
  }
  const SliceTable& table = tables_[operand].levels[progress.level][finished(operand)];
  slice_table_[which] = &table;
  int end = progress.allocated;
  if (!(table.at[points_[end]].bits <= node.capacity)) {
    failed_operand_ = operand;
    return false;
  }
  while (end < loops && table.at[points_[end + 1]].bits <= node.capacity) ++end;
  end_[which] = end;
  return true;
}

void LoopAllocator::list_slices(const Node& node, std::size_t which, int loops) {
  Slices& slices = slices_[which];
  const int operand = node.operands[which];
  const int start = progress_[operand].allocated;
  if (node.top[which]) {
    slices.first = loops - start;
    slices.count = 1;
    slices.falling = true;
    slices.bits[0] = tables_[operand].top_bits[finished(operand)];
    slices.traffic[0] = 0;
    return;
  }
  slices.first = 0;
  slices.count = end_[which] - start + 1;
  slices.falling = slice_table_[which]->falling;
  for (int i = 0; i < slices.count; ++i) {
    const SliceTable::Entry& entry = slice_table_[which]->at[points_[start + i]];
    slices.bits[i] = entry.bits;
    slices.traffic[i] = entry.traffic;
  }
}

bool LoopAllocator::visit_by_tables(const Node& node, CompactMapping& mapping) {
  failed_memory_ = node.memory;
  const std::size_t count = node.operands.size();
  if (node.takes_the_rest) {
    for (const int operand : node.operands) {
      const int level = progress_[operand].level++;
      mapping.allocated[operand][level] = static_cast<std::uint8_t>(mapping.loops);
    }
    return true;
  }
  bool largest_is_best = count == 1 || type_ == MappingType::uneven;
  double bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!find_end(node, i, mapping.loops)) return false;
    if (node.top[i]) {
      bits += tables_[node.operands[i]].top_bits[finished(node.operands[i])];
    } else {
      bits += slice_table_[i]->at[points_[end_[i]]].bits;
      largest_is_best = largest_is_best && slice_table_[i]->falling;
    }
  }
  // Where every operand leaves least traffic by taking most, all of them do so if there is room; and of
  // equally good ways the one with most loops counts.
  if (!largest_is_best || bits > node.capacity) {
    for (std::size_t i = 0; i < count; ++i) list_slices(node, i, mapping.loops);
    if (!choose(node)) return false;
    for (std::size_t i = 0; i < count; ++i) end_[i] = progress_[node.operands[i]].allocated + chosen_[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    const int operand = node.operands[i];
    Progress& progress = progress_[operand];
    progress.allocated = end_[i];
    mapping.allocated[operand][progress.level] = static_cast<std::uint8_t>(end_[i]);
    ++progress.level;
  }
  return true;
}

/// As merge_down(): no loop has one iteration here, so that a cut moves past the irrelevant loops that
/// follow it, and cannot pass the one above it, which moves first.
void LoopAllocator::merge_down_by_masks(CompactMapping& mapping) const {
  for (std::size_t operand = 0; operand < operands_.size(); ++operand) {
    const std::uint32_t irrelevant = irrelevant_loops_.of(static_cast<int>(operand));
    const auto& allocated = mapping.allocated[operand];
    auto& cuts = mapping.stationary[operand];
    int above = mapping.loops;
    for (int level = levels(static_cast<int>(operand)); level-- > 0;) {
      const int run = std::countr_one(irrelevant >> allocated[level]);
      above = std::min(allocated[level] + run, above);
      cuts[level] = static_cast<std::uint8_t>(above);
    }
  }
}

}  // namespace zz::core
