#include "core/search/optimal/detail/mapping_search.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace zz::core {
namespace {

/// Partial mappings as labels, for LabelSetting. The numbers of a label are costs by component, then used
/// bits by group of MemoryFit, then used shares by store of SingleBufferPenalty.
class PartialMappings {
 public:
  struct State {
    FillClasses fill{};
    ClosedBoundaries closed{};
    bool partial = false;  ///< a loop irrelevant to the output is above its last cut
    std::array<std::int32_t, max_operands> kept{};       ///< iterations of the outermost irrelevant loops
    std::array<std::int32_t, max_operands> replaced{};   ///< iterations of the outermost relevant loops
    std::array<std::uint32_t, max_operands> closings{};  ///< with keep_all: how boundaries were closed
  };
  using Numbers = LabelNumbers;

  PartialMappings(const SearchProblem& problem, const LabelCosts& costs, const CostToGo& cost_to_go,
                  const LabelObjective& objective, const MappingSearchOptions& options)
      : space_(problem.space),
        fit_(problem.fit),
        costs_(costs),
        cost_to_go_(cost_to_go),
        objective_(objective),
        single_buffer_(options.single_buffer),
        joint_(options.joint),
        branch_(options.branch),
        keep_all_(options.keep_all),
        fill_(options.fill),
        components_(static_cast<std::size_t>(costs.components)),
        first_limit_(objective.first_limit()) {}

  const ExponentLattice& lattice() const { return space_.lattice(); }
  LabelWidth width() const {
    return {static_cast<std::size_t>(costs_.compared > 0 ? costs_.compared : costs_.components),
            components_,
            components_ + fit_.groups().size() + (single_buffer_ ? single_buffer_->stores() : 0)};
  }
  bool may_follow(std::size_t multiset, std::size_t kind) const {
    return space_.may_follow(multiset, kind);
  }

  template <class Add>
  void start(const Add& add) const {
    State root;
    root.kept.fill(1);
    root.replaced.fill(1);
    root.fill = fill_;
    root.partial = fit_.partial_matters() && space_.irrelevant_above(0, 0);
    Numbers numbers{};
    std::copy(costs_.constant.begin(), costs_.constant.end(), numbers.begin());
    if (others_fit(0, root, numbers)) add(root, numbers);
  }

  template <class Add>
  void extend(std::size_t multiset, std::size_t kind, const State& from, const Numbers& numbers,
              const Add& add) {
    for_each_closings(space_, fit_, from.closed, kind, [&](const Closings& closings) {
      State to = from;
      close_boundaries(0, {multiset, multiset + lattice().stride(kind), kind, from, closings}, to, numbers,
                       add);
    });
  }

  double bound(std::size_t multiset, const State& state, const double* numbers) const;
  bool may_end(const State& state, const Numbers& numbers) const;
  std::uint64_t key(std::uint64_t multiset, const State& state) const;
  bool dominates(const State& a, const State& b) const;

  /// Costs plus cost-to-go, by component.
  Numbers sums_of(std::size_t multiset, const State& state, const double* numbers) const;
  std::size_t components() const { return components_; }
  int operands() const { return std::min(space_.operands(), max_operands); }

 private:
  /// A loop of some kind comes above a multiset.
  struct Arc {
    std::size_t below, above;  ///< multisets without and with the loop
    std::size_t kind;
    const State& from;
    const Closings& closings;
  };

  template <class Add>
  void close_boundaries(int operand, const Arc& arc, State& to, const Numbers& numbers, const Add& add);
  template <class Add>
  void close_levels(int operand, const Arc& arc, State& to, const Numbers& numbers, const Add& add);

  Numbers copied(const Numbers& numbers) const {
    Numbers copy;
    std::copy_n(numbers.begin(), width_, copy.begin());
    return copy;
  }
  double* shares(Numbers& numbers) const { return &numbers[components_ + fit_.groups().size()]; }
  bool allowed(int operand, int level, std::size_t multiset) const {
    return !branch_ || branch_->allow(operand, level, fit_.least_bits(space_, operand, level, multiset));
  }
  bool take_room(int operand, int level, std::size_t multiset, bool partial, Numbers& numbers) const;
  bool exceeds_limit(int operand, int closed, const Arc& arc, const State& to, double paid) const;
  bool others_fit(std::size_t multiset, const State& to, Numbers& numbers) const;
  std::uint32_t closing(std::uint32_t below, int level, std::size_t multiset, std::int32_t kept,
                        std::int32_t replaced);

  const TemporalSpace& space_;
  const MemoryFit& fit_;
  const LabelCosts& costs_;
  const CostToGo& cost_to_go_;
  const LabelObjective& objective_;
  const SingleBufferPenalty* single_buffer_;
  const JointCostToGo* joint_;
  const CapacityBranch* branch_;
  bool keep_all_;
  FillClasses fill_;
  std::size_t components_;
  double first_limit_;
  std::size_t width_ = width().all;
  /// Ways to close boundaries, with numbers from 1 on; only with keep_all.
  std::map<std::array<std::int64_t, 5>, std::uint32_t> closings_;
};

/// Tries every way in which operands from `operand` on may close boundaries before the loop of the arc.
template <class Add>
void PartialMappings::close_boundaries(int operand, const Arc& arc, State& to, const Numbers& numbers,
                                       const Add& add) {
  if (operand == space_.operands()) {
    Numbers whole = copied(numbers);
    if (others_fit(arc.above, to, whole)) add(to, whole);
    return;
  }
  const State before = to;
  const auto size = static_cast<std::int32_t>(lattice().kinds()[arc.kind].size);
  const bool stays = arc.from.closed[operand] >= arc.closings.least[operand];
  const bool irrelevant = space_.irrelevant(operand, arc.kind);
  const std::int32_t kept = irrelevant && (single_buffer_ || keep_all_) ? size : 1;
  if (irrelevant && stays) {
    to.kept[operand] *= kept;
    to.replaced[operand] = 1;
    close_boundaries(operand + 1, arc, to, numbers, add);
    to = before;
    return;
  }
  to.kept[operand] = kept;
  Numbers paid = copied(numbers);
  if (space_.all_irrelevant(operand, arc.below) && arc.from.closed[operand] == 0) {
    const double* cost = costs_.at(operand, 0, arc.below);
    for (std::size_t component = 0; component < components_; ++component)
      paid[component] += cost[component];
  }
  const bool counts = keep_all_ || (single_buffer_ && single_buffer_->stores() > 0);
  const bool replaces = counts && space_.replaces(operand, arc.kind);
  to.replaced[operand] = replaces ? arc.from.replaced[operand] * size : 1;
  if (stays) close_boundaries(operand + 1, arc, to, paid, add);
  to.replaced[operand] = replaces ? size : 1;
  close_levels(operand, arc, to, paid, add);
  to = before;
}

/// Closes further boundaries of the operand.
template <class Add>
void PartialMappings::close_levels(int operand, const Arc& arc, State& to, const Numbers& numbers,
                                   const Add& add) {
  const int level = to.closed[operand];
  if (level >= arc.closings.most[operand]) return;
  Numbers paid = copied(numbers);
  const bool sums = operand == 0 && to.partial;
  if (!take_room(operand, level, arc.below, sums, paid)) return;
  const double* cost = costs_.at(operand, level + 1, arc.below);
  if (exceeds_limit(operand, level + 1, arc, to, paid[0] + cost[0])) return;
  for (std::size_t component = 0; component < components_; ++component) paid[component] += cost[component];
  // A level without loops has no outermost ones.
  const bool filled = level == arc.from.closed[operand];
  const std::int32_t kept = filled ? arc.from.kept[operand] : 1;
  const std::int32_t replaced = filled ? arc.from.replaced[operand] : 1;
  const State before = to;
  to.closed[operand] = static_cast<std::uint8_t>(level + 1);
  if (level == 0) {
    const std::uint16_t known = to.fill[operand];
    to.fill[operand] = objective_.fill_class(operand, arc.below);
    if (known != 0 && known != to.fill[operand]) {
      to = before;
      return;
    }
  }
  if (keep_all_) to.closings[operand] = closing(to.closings[operand], level, arc.below, kept, replaced);
  if (operand == 0) to.partial = fit_.partial_matters() && space_.irrelevant_above(0, arc.below);
  const auto go_on = [&](const Numbers& whole) {
    if (level + 1 >= arc.closings.least[operand]) close_boundaries(operand + 1, arc, to, whole, add);
    close_levels(operand, arc, to, whole, add);
  };
  const int store = single_buffer_ ? single_buffer_->store(operand, level) : -1;
  if (store >= 0) {
    double& share = shares(paid)[store];
    share += single_buffer_->share(operand, level, arc.below, sums, replaced);
    if (share > 1) {
      to = before;
      return;
    }
  }
  if (single_buffer_ && kept > 1) {
    Numbers single = copied(paid);
    const bool sure = single_buffer_->surely_single(operand, level, arc.below, sums);
    if ((sure || store >= 0) &&
        single_buffer_->add(operand, level + 1, arc.below, sums, kept, single.data())) {
      go_on(single);
      double more = 2;
      if (!sure) more = shares(paid)[store] += single_buffer_->share(operand, level, arc.below, sums, 1);
      if (more > 1) {
        to = before;
        return;
      }
    }
  }
  go_on(paid);
  to = before;
}

/// Component 0 exceeds its limit: `paid` plus the cost-to-go of all operands. Operands before `operand` go
/// on above the new loop. `operand`, which has just closed boundary `closed`, and those after it may still
/// close boundaries below it.
bool PartialMappings::exceeds_limit(int operand, int closed, const Arc& arc, const State& to,
                                    double paid) const {
  if (!(first_limit_ < infinite)) return false;
  for (int other = 0; other < space_.operands(); ++other) {
    paid += other < operand    ? *cost_to_go_.of(other, to.closed[other], arc.above)
            : other == operand ? *cost_to_go_.between_memories(other, closed, arc.below)
                               : *cost_to_go_.of(other, arc.from.closed[other], arc.below);
  }
  return paid > first_limit_;
}

std::uint32_t PartialMappings::closing(std::uint32_t below, int level, std::size_t multiset,
                                       std::int32_t kept, std::int32_t replaced) {
  const std::array<std::int64_t, 5> key = {below, level, static_cast<std::int64_t>(multiset), kept,
                                           replaced};
  return closings_.emplace(key, static_cast<std::uint32_t>(closings_.size() + 1)).first->second;
}

bool PartialMappings::take_room(int operand, int level, std::size_t multiset, bool partial,
                                Numbers& numbers) const {
  const double bits = fit_.bits(operand, level, multiset, partial);
  if (bits > fit_.capacity(operand, level)) return false;
  const int group = fit_.group(operand, level);
  if (group < 0) return true;
  if (!allowed(operand, level, multiset)) return false;
  double& used = numbers[components_ + static_cast<std::size_t>(group)];
  used += bits;
  return used <= fit_.groups()[group].capacity;
}

/// Shared memories have room for the data that operands with open boundaries already hold.
bool PartialMappings::others_fit(std::size_t multiset, const State& to, Numbers& numbers) const {
  for (std::size_t index = 0; index < fit_.groups().size(); ++index) {
    const MemoryFit::Group& group = fit_.groups()[index];
    double bits = numbers[components_ + index];
    bool open = false;
    for (const MemoryFit::Group::Member& member : group.members) {
      if (to.closed[member.operand] > member.level) continue;
      open = true;
      // Where its lower cut is not placed either, it may hold sums or not.
      const bool known = member.operand != 0 || member.level == to.closed[0];
      bits += known ? fit_.bits(member.operand, member.level, multiset, member.operand == 0 && to.partial)
                    : fit_.fewest_bits(member.operand, member.level, multiset);
    }
    if (bits > group.capacity) return false;
    // The used room matters no more: labels that differ in it only are equal.
    if (!open) numbers[components_ + index] = 0;
  }
  return true;
}

/// Memories above open boundaries have room for whole tensors.
bool PartialMappings::may_end(const State& state, const Numbers& numbers) const {
  const std::size_t full = lattice().full();
  Numbers used = copied(numbers);
  double* const used_bits = &used[components_];
  for (int operand = 0; operand < space_.operands(); ++operand) {
    for (int level = state.closed[operand]; level < fit_.levels(operand); ++level) {
      const bool partial = operand == 0 && state.partial && level == state.closed[operand];
      const double bits = fit_.bits(operand, level, full, partial);
      if (bits > fit_.capacity(operand, level) || !allowed(operand, level, full)) return false;
      const int group = fit_.group(operand, level);
      if (group >= 0) used_bits[group] += bits;
    }
  }
  for (std::size_t group = 0; group < fit_.groups().size(); ++group)
    if (used_bits[group] > fit_.groups()[group].capacity) return false;
  if (!single_buffer_ || single_buffer_->stores() == 0) return true;
  for (int operand = 0; operand < space_.operands(); ++operand) {
    for (int level = state.closed[operand]; level < fit_.levels(operand); ++level) {
      const int store = single_buffer_->store(operand, level);
      if (store < 0) continue;
      const std::int64_t replaced = level == state.closed[operand] ? state.replaced[operand] : 1;
      const bool sums = operand == 0 && state.partial && level == state.closed[0];
      if ((shares(used)[store] += single_buffer_->share(operand, level, full, sums, replaced)) > 1)
        return false;
    }
  }
  return true;
}

PartialMappings::Numbers PartialMappings::sums_of(std::size_t multiset, const State& state,
                                                  const double* numbers) const {
  Numbers sums;
  std::copy_n(numbers, components_, sums.begin());
  for (int operand = 0; operand < space_.operands(); ++operand) {
    const double* rest = cost_to_go_.of(operand, state.closed[operand], multiset);
    for (std::size_t component = 0; component < components_; ++component)
      sums[component] += rest[component];
  }
  return sums;
}

double PartialMappings::bound(std::size_t multiset, const State& state, const double* numbers) const {
  if (exceeds_limit(space_.operands(), 0, {multiset, multiset, 0, state, {}}, state, numbers[0]))
    return infinite;
  const Numbers sums = sums_of(multiset, state, numbers);
  if (!joint_) return objective_.of(sums.data(), state.fill);
  if (!joint_->possible(state.closed)) return infinite;
  std::array<double, max_sums> joint;
  const double* rest = joint_->of(state.closed, multiset);
  const std::vector<WeightedSum>& weighed = joint_->sums();
  for (std::size_t i = 0; i < weighed.size(); ++i) joint[i] = weighed[i].of(numbers) + rest[i];
  return objective_.of(sums.data(), state.fill, joint.data());
}

/// Only partial mappings with equal closed boundaries and fill classes are compared.
std::uint64_t PartialMappings::key(std::uint64_t multiset, const State& state) const {
  std::uint64_t key = multiset;
  for (int operand = 0; operand < space_.operands(); ++operand) key = key * 16 + state.closed[operand];
  for (int operand = 0; operand < space_.operands(); ++operand) key = key * 512 + state.fill[operand];
  key = key * 2 + (state.partial ? 1 : 0);
  if (!keep_all_) return key;
  for (int operand = 0; operand < space_.operands(); ++operand) {
    for (const std::uint64_t node :
         {std::uint64_t{state.closings[operand]}, static_cast<std::uint64_t>(state.kept[operand]),
          static_cast<std::uint64_t>(state.replaced[operand])})
      key = (key ^ node) * 0x9e3779b97f4a7c15ULL, key ^= key >> 29;
  }
  return key >> 1;
}

/// Nothing is worse: not the penalty for a missing second buffer, nor the room that the data leave.
bool PartialMappings::dominates(const State& a, const State& b) const {
  for (int operand = 0; operand < space_.operands(); ++operand) {
    if (a.kept[operand] > b.kept[operand] || a.replaced[operand] < b.replaced[operand]) return false;
    if (!keep_all_) continue;
    if (a.closed != b.closed || a.partial != b.partial) return false;
    if (a.kept[operand] != b.kept[operand] || a.replaced[operand] != b.replaced[operand] ||
        a.closings[operand] != b.closings[operand])
      return false;
  }
  return true;
}

}  // namespace

struct MappingSearch::Labels {
  PartialMappings problem;
  LabelSetting<PartialMappings> search{problem};
};

MappingSearch::MappingSearch(const SearchProblem& problem, const LabelCosts& costs,
                             const CostToGo& cost_to_go, const LabelObjective& objective,
                             const MappingSearchOptions& options)
    : labels_(new Labels{PartialMappings(problem, costs, cost_to_go, objective, options)}) {}

MappingSearch::~MappingSearch() = default;

void MappingSearch::prefer_deep(double share) { labels_->search.prefer_deep(share); }

MappingSearch::Step MappingSearch::advance(std::size_t labels, double limit) {
  return labels_->search.advance(labels, limit);
}

double MappingSearch::bound() const { return labels_->search.bound(); }
double MappingSearch::least_dropped() const { return labels_->search.least_dropped(); }
std::size_t MappingSearch::visited() const { return labels_->search.visited(); }
std::size_t MappingSearch::memory_bytes() const { return labels_->search.memory_bytes(); }
double MappingSearch::result_value() const { return labels_->search.result_value(); }

std::vector<double> MappingSearch::lowest_sums() const {
  const std::uint32_t lowest = labels_->search.lowest();
  const auto& label = labels_->search[lowest];
  const LabelNumbers sums =
      labels_->problem.sums_of(label.multiset, label.state, labels_->search.numbers(lowest));
  return {sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(labels_->problem.components())};
}

CompactMapping MappingSearch::result() const {
  const LabelSetting<PartialMappings>& search = labels_->search;
  const ExponentLattice& lattice = labels_->problem.lattice();
  CompactMapping mapping;
  mapping.loops = lattice.loops();
  // Without temporal loops, there is one loop of one iteration.
  if (mapping.loops == 0) {
    mapping.loops = 1;
    mapping.size[0] = 1;
  }
  std::array<std::uint8_t, max_memory_levels> above_all_loops;
  above_all_loops.fill(static_cast<std::uint8_t>(mapping.loops));
  std::fill_n(mapping.stationary.begin(), labels_->problem.operands(), above_all_loops);
  for (const auto* label = &search[search.result()]; label->multiset != 0; label = &search[label->parent]) {
    const int position = lattice.placed(label->multiset) - 1;
    mapping.dimension[position] = static_cast<std::uint8_t>(lattice.kinds()[label->kind].dimension);
    mapping.size[position] = lattice.kinds()[label->kind].size;
    const auto& below = search[label->parent];
    for (int operand = 0; operand < labels_->problem.operands(); ++operand) {
      for (int level = below.state.closed[operand]; level < label->state.closed[operand]; ++level)
        mapping.stationary[operand][level] = static_cast<std::uint8_t>(position);
    }
  }
  mapping.allocated = mapping.stationary;
  return mapping;
}

}  // namespace zz::core
