#include "core/search/optimal/detail/cost_to_go.hpp"

#include <algorithm>
#include <stdexcept>

namespace zz::core {

CapacityBranch::CapacityBranch(const TemporalSpace& space, const MemoryFit& fit) : fit_(&fit) {
  const std::size_t full = space.lattice().full();
  auto sizes = std::make_shared<Sizes>();
  for (int operand = 0; operand < space.operands(); ++operand)
    (*sizes)[operand].resize(fit.levels(operand));
  for (const MemoryFit::Group& group : fit.groups()) {
    for (const MemoryFit::Group::Member& member : group.members) {
      std::vector<double>& possible = (*sizes)[member.operand][member.level];
      for (std::size_t multiset = 0; multiset <= full; ++multiset) {
        if (multiset != full && !space.may_close(member.operand, multiset)) continue;
        possible.push_back(fit.least_bits(space, member.operand, member.level, multiset));
      }
      std::sort(possible.begin(), possible.end());
      possible.erase(std::unique(possible.begin(), possible.end()), possible.end());
    }
  }
  sizes_ = std::move(sizes);
  narrow();
}

/// Narrows the range to possible sizes. False: there is none in it.
bool CapacityBranch::restrict_to_sizes(const MemoryFit::Group::Member& member) {
  const std::vector<double>& sizes = (*sizes_)[member.operand][member.level];
  Range& range = ranges_[member.operand][member.level];
  const auto least = std::lower_bound(sizes.begin(), sizes.end(), range.least);
  const auto beyond = std::upper_bound(sizes.begin(), sizes.end(), range.most);
  if (least >= beyond) return false;
  range = {*least, *(beyond - 1)};
  return true;
}

/// Lowers the upper end of each range by the room that the others need at least. False: nothing is left.
bool CapacityBranch::narrow() {
  for (const MemoryFit::Group& group : fit_->groups()) {
    double needed = 0;
    for (const MemoryFit::Group::Member& member : group.members) {
      if (!restrict_to_sizes(member)) return false;
      needed += least(member.operand, member.level);
    }
    if (needed > group.capacity) return false;
    for (const MemoryFit::Group::Member& member : group.members) {
      Range& range = ranges_[member.operand][member.level];
      range.most = std::min(range.most, group.capacity - (needed - range.least));
      if (!restrict_to_sizes(member)) return false;
    }
  }
  return true;
}

const MemoryFit::Group* CapacityBranch::contested_group() const {
  for (const MemoryFit::Group& group : fit_->groups()) {
    double most = 0;
    for (const MemoryFit::Group::Member& member : group.members)
      most += ranges_[member.operand][member.level].most;
    if (most > group.capacity) return &group;
  }
  return nullptr;
}

std::vector<CapacityBranch> CapacityBranch::split() const {
  const auto range_of = [this](const MemoryFit::Group::Member& member) {
    return ranges_[member.operand][member.level];
  };
  const auto width = [&](const MemoryFit::Group::Member& member) {
    return range_of(member).most - range_of(member).least;
  };
  const std::vector<MemoryFit::Group::Member>& members = contested_group()->members;
  const MemoryFit::Group::Member widest = *std::max_element(
      members.begin(), members.end(), [&](const auto& a, const auto& b) { return width(a) < width(b); });
  const Range range = range_of(widest);
  const std::vector<double>& sizes = (*sizes_)[widest.operand][widest.level];
  const auto above = std::upper_bound(sizes.begin(), sizes.end(), range.least + width(widest) / 2);
  std::vector<CapacityBranch> found;
  for (const Range& node : {Range{range.least, *(above - 1)}, Range{*above, range.most}}) {
    CapacityBranch half = *this;
    half.ranges_[widest.operand][widest.level] = node;
    if (half.narrow()) found.push_back(half);
  }
  return found;
}

OperandCostToGo::OperandCostToGo(const TemporalSpace& space, const MemoryFit& fit, const LabelCosts& costs,
                                 int operand)
    : space_(&space),
      operand_(operand),
      components_(static_cast<std::size_t>(costs.components)),
      impossible_(components_, infinite),
      memories_(costs.residencies[operand].size()) {
  const ExponentLattice& lattice = space.lattice();
  const auto may_end = [](const std::vector<double>& rest) {
    return std::all_of(rest.begin(), rest.end(), [](double cost) { return cost < infinite; });
  };
  const auto lower = [this](double* rest, const double* other) {
    for (std::size_t component = 0; component < components_; ++component)
      rest[component] = std::min(rest[component], other[component]);
  };
  std::size_t last = memories_.size() - 1;  // closed boundaries of the highest residency
  while (last > 0 && !may_end(costs.residencies[operand][last])) --last;
  for (std::size_t closed = 0; closed <= last; ++closed) {
    memories_[closed].assign(lattice.size() * components_, infinite);
    std::copy(costs.residencies[operand][closed].begin(), costs.residencies[operand][closed].end(),
              &memories_[closed][lattice.full() * components_]);
  }
  units_.assign(lattice.size() * components_, infinite);
  for (std::size_t multiset = lattice.size(); multiset-- > 0;) {
    const std::size_t here = multiset * components_;
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      if (!lattice.has_more(multiset, kind) || !space.keeps_stays(multiset, kind)) continue;
      const std::size_t next = here + lattice.stride(kind) * components_;
      for (std::size_t closed = 0; closed <= last; ++closed)
        lower(&memories_[closed][here], &memories_[closed][next]);
      if (space.irrelevant(operand, kind)) lower(&units_[here], &units_[next]);
    }
    if (space.may_close(operand, multiset)) {
      for (std::size_t closed = last; closed-- > 0;) {
        const int level = static_cast<int>(closed);
        if (fit.least_bits(space, operand, level, multiset) > fit.capacity(operand, level)) continue;
        const double* cost = costs.at(operand, level + 1, multiset);
        for (std::size_t component = 0; component < components_; ++component) {
          memories_[closed][here + component] =
              std::min(memories_[closed][here + component],
                       memories_[closed + 1][here + component] + cost[component]);
        }
      }
    }
    if (!space.all_irrelevant(operand, multiset)) continue;
    if (multiset != lattice.full() && !space.may_close(operand, multiset)) continue;
    const double* cost = costs.at(operand, 0, multiset);
    for (std::size_t component = 0; component < components_; ++component)
      units_[here + component] =
          std::min(units_[here + component], memories_[0][here + component] + cost[component]);
  }
}

CostToGo::CostToGo(const TemporalSpace& space, const MemoryFit& fit, const LabelCosts& costs) {
  for (int operand = 0; operand < space.operands(); ++operand)
    operands_[operand] = std::make_shared<const OperandCostToGo>(space, fit, costs, operand);
}

namespace {

/// Boundaries that close at once.
struct Closing {
  SharedTiles tiles;              ///< as memories below the boundaries
  std::vector<std::size_t> open;  ///< states in which it may close next
  std::size_t stride = 0;         ///< from these to the states in which it is closed
  bool fits = false;              ///< at the multiset that is looked at, with this cost by weighted sum
  std::vector<double> cost = {};
};

/// Operands whose boundaries close independently of those of others: one, or the inputs that share tiles.
struct IndependentOperands {
  std::vector<int> operands;
  std::vector<Closing> closings;  ///< from the outermost boundary in
};

/// `levels`: by operand, how many boundaries may be closed, and none.
std::vector<IndependentOperands> independent_operands(const TemporalSpace& space,
                                                      const std::array<std::size_t, max_operands>& levels) {
  std::vector<IndependentOperands> found;
  const std::vector<SharedTiles>& tiles = space.shared_tiles();
  const auto add_alone = [&](IndependentOperands& to, int operand, int least, int end) {
    for (int level = std::min(end, static_cast<int>(levels[operand]) - 1); level-- > least;)
      to.closings.push_back({{{operand, level}}, {}});
  };
  const auto shares = [&](int operand) {
    return !tiles.empty() && std::any_of(tiles.front().begin(), tiles.front().end(),
                                         [&](const OperandLevel& at) { return at.operand == operand; });
  };
  for (int operand = 0; operand < space.operands(); ++operand) {
    if (shares(operand)) continue;
    add_alone(found.emplace_back(IndependentOperands{{operand}, {}}), operand, 0, max_memory_levels);
  }
  if (tiles.empty()) return found;
  IndependentOperands& together = found.emplace_back();
  for (const OperandLevel& at : tiles.front()) together.operands.push_back(at.operand);
  for (std::size_t above = tiles.size() + 1; above-- > 0;) {
    for (std::size_t i = 0; i < tiles.front().size(); ++i)
      add_alone(together, tiles.front()[i].operand, above > 0 ? tiles[above - 1][i].level + 1 : 0,
                above < tiles.size() ? tiles[above][i].level : max_memory_levels);
    if (above == 0) break;
    const SharedTiles& ends = tiles[above - 1];
    if (std::all_of(ends.begin(), ends.end(), [&](const OperandLevel& at) {
          return at.level + 1 < static_cast<int>(levels[at.operand]);
        }))
      together.closings.push_back({ends, {}});
  }
  return found;
}

}  // namespace

JointCostToGo::JointCostToGo(const TemporalSpace& space, const MemoryFit& fit, const CapacityBranch& branch,
                             const LabelCosts& costs, std::vector<WeightedSum> sums)
    : sums_(std::move(sums)), operands_(static_cast<std::size_t>(space.operands())) {
  if (sums_.size() > max_sums) throw std::logic_error("more sums than a table is made for");
  const ExponentLattice& lattice = space.lattice();
  const auto may_end = [](const std::vector<double>& rest) {
    return std::all_of(rest.begin(), rest.end(), [](double cost) { return cost < infinite; });
  };
  // By operand: possible numbers of closed boundaries.
  std::array<std::size_t, max_operands> levels{};
  for (std::size_t operand = 0; operand < operands_; ++operand) {
    strides_[operand] = states_;
    levels[operand] = costs.residencies[operand].size();
    while (levels[operand] > 1 && !may_end(costs.residencies[operand][levels[operand] - 1]))
      --levels[operand];
    states_ *= levels[operand];
    counts_[operand] = levels[operand];
  }
  const std::size_t count = sums_.size();
  const std::size_t width = states_ * count;
  table_.assign(lattice.size() * width, infinite);
  std::vector<std::array<int, max_operands>> closed(states_);
  for (std::size_t state = 0; state < states_; ++state)
    for (std::size_t operand = 0; operand < operands_; ++operand)
      closed[state][operand] = static_cast<int>(state / strides_[operand] % levels[operand]);
  std::vector<double> paid(count);
  const auto weigh = [&](const double* cost) {
    for (std::size_t i = 0; i < count; ++i) paid[i] = sums_[i].of(cost);
  };
  const std::size_t full = lattice.full();
  double* const end = &table_[full * width];
  std::fill_n(end, width, 0);
  for (std::size_t operand = 0; operand < operands_; ++operand) {
    const int index = static_cast<int>(operand);
    for (std::size_t state = 0; state < states_; ++state) {
      const std::vector<double>& rest = costs.residencies[operand][closed[state][operand]];
      bool ends = may_end(rest);
      for (int level = closed[state][operand]; level < fit.levels(index); ++level)
        ends = ends && branch.allow(index, level, fit.least_bits(space, index, level, full));
      weigh(rest.data());
      for (std::size_t i = 0; i < count; ++i) end[state * count + i] += ends ? paid[i] : infinite;
    }
    if (!space.all_irrelevant(index, full)) continue;
    weigh(costs.at(index, 0, full));
    for (std::size_t state = 0; state < states_; ++state)
      for (std::size_t i = 0; i < count && closed[state][operand] == 0; ++i)
        end[state * count + i] += paid[i];
  }
  std::vector<IndependentOperands> all = independent_operands(space, levels);
  for (IndependentOperands& own : all) {
    for (Closing& closing : own.closings) {
      for (const OperandLevel& at : closing.tiles)
        closing.stride += strides_[static_cast<std::size_t>(at.operand)];
      for (std::size_t state = 0; state < states_; ++state)
        if (std::all_of(closing.tiles.begin(), closing.tiles.end(), [&](const OperandLevel& at) {
              return closed[state][static_cast<std::size_t>(at.operand)] == at.level;
            }))
          closing.open.push_back(state);
    }
  }
  std::vector<double> after(width), with_units(count);
  std::array<std::vector<double>, max_operands> units;  // boundary 0 where it may still be to be paid
  const auto look_at = [&](std::size_t multiset) {
    for (IndependentOperands& own : all) {
      for (const int operand : own.operands) {
        if (!space.all_irrelevant(operand, multiset)) continue;
        weigh(costs.at(operand, 0, multiset));
        units[operand] = paid;
      }
      for (Closing& closing : own.closings) {
        closing.fits = std::all_of(closing.tiles.begin(), closing.tiles.end(), [&](const OperandLevel& at) {
          const double bits = fit.least_bits(space, at.operand, at.level, multiset);
          return bits <= fit.capacity(at.operand, at.level) && branch.allow(at.operand, at.level, bits);
        });
        if (!closing.fits) continue;
        closing.cost.assign(count, 0);
        for (const auto& [operand, level] : closing.tiles) {
          weigh(costs.at(operand, level + 1, multiset));
          for (std::size_t i = 0; i < count; ++i) closing.cost[i] += paid[i];
        }
      }
    }
  };
  for (std::size_t multiset = full; multiset-- > 0;) {
    double* const here = &table_[multiset * width];
    look_at(multiset);
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      if (!space.may_follow(multiset, kind)) continue;
      std::copy_n(&table_[(multiset + lattice.stride(kind)) * width], width, after.begin());
      for (const IndependentOperands& own : all) {
        const bool alone = own.operands.size() == 1;
        if (alone && space.irrelevant(own.operands.front(), kind)) continue;
        for (const Closing& closing : own.closings) {
          if (!closing.fits) continue;
          const double* cost = closing.cost.data();
          for (const auto& [operand, level] : closing.tiles) {
            // Else it is paid where a loop changes the operand.
            if (level > 0 || !space.irrelevant(operand, kind) || !space.all_irrelevant(operand, multiset))
              continue;
            for (std::size_t i = 0; i < count; ++i) with_units[i] = cost[i] + units[operand][i];
            cost = with_units.data();
          }
          for (const std::size_t state : closing.open) {
            double* const open = &after[state * count];
            const double* const shut = open + closing.stride * count;
            for (std::size_t i = 0; i < count; ++i) open[i] = std::min(open[i], shut[i] + cost[i]);
          }
        }
        for (const int operand : own.operands) {
          if (space.irrelevant(operand, kind) || !space.all_irrelevant(operand, multiset)) continue;
          for (std::size_t state = 0; state < states_; ++state)
            for (std::size_t i = 0; i < count && closed[state][static_cast<std::size_t>(operand)] == 0; ++i)
              after[state * count + i] += units[operand][i];
        }
      }
      for (std::size_t i = 0; i < width; ++i) here[i] = std::min(here[i], after[i]);
    }
    for (const MemoryFit::Group& group : fit.groups()) {
      for (std::size_t state = 0; state < states_; ++state) {
        double bits = 0;
        for (const MemoryFit::Group::Member& member : group.members) {
          const double least = branch.least(member.operand, member.level);
          const int boundaries = closed[state][static_cast<std::size_t>(member.operand)];
          // Partial sums in the memory are known once its lower cut is placed.
          const bool partial =
              member.operand == 0 && boundaries == member.level && space.irrelevant_above(0, multiset);
          const bool open = boundaries <= member.level;
          const double held = partial ? fit.bits(member.operand, member.level, multiset, true)
                                      : fit.fewest_bits(member.operand, member.level, multiset);
          bits += open ? std::max(least, held) : least;
        }
        if (bits > group.capacity) std::fill_n(here + state * count, count, infinite);
      }
    }
  }
}

double JointCostToGo::size(const TemporalSpace& space, const MemoryFit& fit, std::size_t sums) {
  double size = static_cast<double>(space.lattice().size()) * static_cast<double>(sums);
  for (int operand = 0; operand < space.operands(); ++operand) size *= fit.levels(operand);
  return size;
}

}  // namespace zz::core
