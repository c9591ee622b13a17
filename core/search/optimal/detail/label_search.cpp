#include "core/search/optimal/detail/label_search.hpp"

#include <algorithm>
#include <stdexcept>

namespace zz::core {

LabelSearch::LabelSearch(const TemporalSpace& space, const MemoryFit& fit, const LabelCosts& costs,
                         const CostToGo& cost_to_go, const LabelObjective& objective,
                         const SingleBufferPenalty* single_buffer, bool keep_all, const FillClasses& fill,
                         const JointCostToGo* joint, const CapacityBranch* branch)
    : space_(space),
      fit_(fit),
      costs_(costs),
      objective_(objective),
      single_buffer_(single_buffer),
      cost_to_go_(cost_to_go),
      joint_(joint),
      branch_(branch),
      components_(static_cast<std::size_t>(costs.components)),
      width_(components_ + fit.groups().size() + (single_buffer ? single_buffer->stores() : 0)),
      keep_all_(keep_all),
      first_limit_(objective.first_limit()),
      labels_(space, components_,
              static_cast<std::size_t>(costs.compared > 0 ? costs.compared : costs.components), width_,
              keep_all) {
  if (width_ > max_label_numbers) throw std::logic_error("more costs than a label holds");
  Label root;
  root.kept.fill(1);
  root.replaced.fill(1);
  root.fill = fill;
  root.partial = fit.partial_matters() && space.irrelevant_above(0, 0);
  Numbers numbers{};
  std::copy(costs.constant.begin(), costs.constant.end(), numbers.begin());
  finish(root, numbers, infinite);
}

LabelSearch::Step LabelSearch::advance(std::size_t labels, double limit) {
  for (std::size_t looked_at = 0; !open_.empty(); ++looked_at) {
    const Open best = open_.top();
    if (!(best.bound < limit) && depth_preference_ == 0) return Step::exhausted;
    if (looked_at == labels) return Step::paused;
    open_.pop();
    if (!(best.bound < limit)) least_dropped_ = std::min(least_dropped_, best.bound);
    if (!(best.bound < limit) || !labels_.keep(best.label)) continue;
    ++visited_;
    if (labels_[best.label].multiset == space_.lattice().full()) {
      result_ = labels_.mapping(best.label);
      result_value_ = best.bound;
      return Step::complete;
    }
    expand(best.label, limit);
  }
  return Step::exhausted;
}

double LabelSearch::bound() const { return open_.empty() ? infinite : open_.top().bound; }

std::vector<double> LabelSearch::lowest_sums() const {
  const std::uint32_t label = open_.top().label;
  const Numbers sums = sums_of(labels_[label], labels_.numbers(label));
  return {sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(components_)};
}

std::size_t LabelSearch::memory_bytes() const {
  return labels_.memory_bytes() + open_.size() * sizeof(Open);
}

void LabelSearch::expand(std::uint32_t index, double limit) {
  const Label from = labels_[index];
  Numbers numbers;
  std::copy_n(labels_.numbers(index), width_, numbers.begin());
  const ExponentLattice& lattice = space_.lattice();
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    if (!space_.may_follow(from.multiset, kind)) continue;
    Label to = from;
    to.multiset = from.multiset + static_cast<std::uint32_t>(lattice.stride(kind));
    to.parent = index;
    to.kind = static_cast<std::uint8_t>(kind);
    close_boundaries(0, kind, from, to, numbers, limit);
  }
}

/// Tries every way in which operands from `operand` on may close boundaries before a loop of this kind.
void LabelSearch::close_boundaries(int operand, std::size_t kind, const Label& from, Label& to,
                                   const Numbers& numbers, double limit) {
  if (operand == space_.operands()) {
    Numbers whole;
    std::copy_n(numbers.begin(), width_, whole.begin());
    finish(to, whole, limit);
    return;
  }
  const Label before = to;
  const auto size = static_cast<std::int32_t>(space_.lattice().kinds()[kind].size);
  if (space_.irrelevant(operand, kind)) {
    if (single_buffer_ || keep_all_) to.kept[operand] *= size;
    to.replaced[operand] = 1;
    close_boundaries(operand + 1, kind, from, to, numbers, limit);
    to = before;
    return;
  }
  to.kept[operand] = 1;
  Numbers paid;
  std::copy_n(numbers.begin(), width_, paid.begin());
  if (space_.all_irrelevant(operand, from.multiset)) {
    const double* cost = costs_.at(operand, 0, from.multiset);
    for (std::size_t component = 0; component < components_; ++component)
      paid[component] += cost[component];
  }
  const bool counts = keep_all_ || (single_buffer_ && single_buffer_->stores() > 0);
  const bool replaces = counts && space_.replaces(operand, kind);
  to.replaced[operand] = replaces ? from.replaced[operand] * size : 1;
  close_boundaries(operand + 1, kind, from, to, paid, limit);
  to.replaced[operand] = replaces ? size : 1;
  close_levels(operand, kind, from, to, paid, limit);
  to = before;
}

/// Closes further boundaries of the operand.
void LabelSearch::close_levels(int operand, std::size_t kind, const Label& from, Label& to,
                               const Numbers& numbers, double limit) {
  const int level = to.closed[operand];
  if (level + 1 >= fit_.levels(operand)) return;
  Numbers paid;
  std::copy_n(numbers.begin(), width_, paid.begin());
  if (!take_room(operand, level, from, to.partial, paid)) return;
  const double* cost = costs_.at(operand, level + 1, from.multiset);
  if (exceeds_limit(operand, level + 1, from, to, paid[0] + cost[0])) return;
  for (std::size_t component = 0; component < components_; ++component) paid[component] += cost[component];
  // A level without loops has no outermost ones.
  const bool filled = level == from.closed[operand];
  const std::int32_t kept = filled ? from.kept[operand] : 1;
  const std::int32_t replaced = filled ? from.replaced[operand] : 1;
  const Label before = to;
  to.closed[operand] = static_cast<std::uint8_t>(level + 1);
  if (level == 0) {
    const std::uint16_t known = to.fill[operand];
    to.fill[operand] = objective_.fill_class(operand, from.multiset);
    if (known != 0 && known != to.fill[operand]) {
      to = before;
      return;
    }
  }
  if (keep_all_) to.closings[operand] = closing(to.closings[operand], level, from.multiset, kept, replaced);
  if (operand == 0) to.partial = fit_.partial_matters() && space_.irrelevant_above(0, from.multiset);
  const auto go_on = [&](const Numbers& whole) {
    close_boundaries(operand + 1, kind, from, to, whole, limit);
    close_levels(operand, kind, from, to, whole, limit);
  };
  const int store = single_buffer_ ? single_buffer_->store(operand, level) : -1;
  if (store >= 0) {
    double& share = shares(paid)[store];
    share += single_buffer_->share(operand, level, from.multiset, replaced);
    if (share > 1) {
      to = before;
      return;
    }
  }
  if (single_buffer_ && kept > 1) {
    Numbers single;
    std::copy_n(paid.begin(), width_, single.begin());
    const bool sure = single_buffer_->surely_single(operand, level, from.multiset);
    if ((sure || store >= 0) &&
        single_buffer_->add(operand, level + 1, from.multiset, kept, single.data())) {
      go_on(single);
      double more = 2;
      if (!sure) more = shares(paid)[store] += single_buffer_->share(operand, level, from.multiset, 1);
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
bool LabelSearch::exceeds_limit(int operand, int closed, const Label& from, const Label& to,
                                double paid) const {
  if (!(first_limit_ < infinite)) return false;
  for (int other = 0; other < space_.operands(); ++other) {
    paid += other < operand    ? *cost_to_go_.of(other, to.closed[other], to.multiset)
            : other == operand ? *cost_to_go_.between_memories(other, closed, from.multiset)
                               : *cost_to_go_.of(other, from.closed[other], from.multiset);
  }
  return paid > first_limit_;
}

std::uint32_t LabelSearch::closing(std::uint32_t below, int level, std::uint32_t multiset,
                                   std::int32_t kept, std::int32_t replaced) {
  const Closing key = {below, level, multiset, kept, replaced};
  return closings_.emplace(key, static_cast<std::uint32_t>(closings_.size() + 1)).first->second;
}

bool LabelSearch::take_room(int operand, int level, const Label& from, bool partial,
                            Numbers& numbers) const {
  const double bits = fit_.bits(operand, level, from.multiset, operand == 0 && partial);
  if (bits > fit_.capacity(operand, level)) return false;
  const int group = fit_.group(operand, level);
  if (group < 0) return true;
  if (!allowed(operand, level, from.multiset)) return false;
  double& used = numbers[components_ + static_cast<std::size_t>(group)];
  used += bits;
  return used <= fit_.groups()[group].capacity;
}

/// Shared memories have room for the data that operands with open boundaries already hold.
bool LabelSearch::others_fit(const Label& to, Numbers& numbers) const {
  for (std::size_t index = 0; index < fit_.groups().size(); ++index) {
    const MemoryFit::Group& group = fit_.groups()[index];
    double bits = numbers[components_ + index];
    bool open = false;
    for (const MemoryFit::Group::Member& member : group.members) {
      if (to.closed[member.operand] > member.level) continue;
      open = true;
      const bool partial = member.operand == 0 && to.partial && member.level == to.closed[0];
      bits += fit_.bits(member.operand, member.level, to.multiset, partial);
    }
    if (bits > group.capacity) return false;
    // The used room matters no more: labels that differ in it only are equal.
    if (!open) numbers[components_ + index] = 0;
  }
  return true;
}

/// Memories above open boundaries have room for whole tensors.
bool LabelSearch::end_fits(const Label& to, const Numbers& numbers) const {
  std::array<double, max_label_numbers> used{};
  std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(components_), fit_.groups().size(),
              used.begin());
  for (int operand = 0; operand < space_.operands(); ++operand) {
    for (int level = to.closed[operand]; level < fit_.levels(operand); ++level) {
      const bool partial = operand == 0 && to.partial && level == to.closed[operand];
      const double bits = fit_.bits(operand, level, to.multiset, partial);
      if (bits > fit_.capacity(operand, level) || !allowed(operand, level, to.multiset)) return false;
      const int group = fit_.group(operand, level);
      if (group >= 0) used[group] += bits;
    }
  }
  for (std::size_t group = 0; group < fit_.groups().size(); ++group)
    if (used[group] > fit_.groups()[group].capacity) return false;
  if (!single_buffer_ || single_buffer_->stores() == 0) return true;
  Numbers held;
  std::copy_n(numbers.begin(), width_, held.begin());
  for (int operand = 0; operand < space_.operands(); ++operand) {
    for (int level = to.closed[operand]; level < fit_.levels(operand); ++level) {
      const int store = single_buffer_->store(operand, level);
      if (store < 0) continue;
      const std::int64_t replaced = level == to.closed[operand] ? to.replaced[operand] : 1;
      if ((shares(held)[store] += single_buffer_->share(operand, level, to.multiset, replaced)) > 1)
        return false;
    }
  }
  return true;
}

void LabelSearch::finish(Label& to, Numbers& numbers, double limit) {
  const std::size_t full = space_.lattice().full();
  if (!fit_.groups().empty() && !others_fit(to, numbers)) return;
  const double bound = bound_of(to, numbers.data());
  if (!(bound < limit)) {
    least_dropped_ = std::min(least_dropped_, bound);
    return;
  }
  if (to.multiset == full && !end_fits(to, numbers)) return;
  const int placed = space_.lattice().placed(to.multiset);
  const int left = space_.lattice().loops() - placed;
  const double rank = bound * (1 + depth_preference_ * left / std::max(1, space_.lattice().loops()));
  open_.push({rank, bound, static_cast<std::uint32_t>(placed), labels_.add(to, numbers)});
}

/// Costs plus cost-to-go, by component.
LabelSearch::Numbers LabelSearch::sums_of(const Label& label, const double* numbers) const {
  Numbers sums;
  std::copy_n(numbers, components_, sums.begin());
  for (int operand = 0; operand < space_.operands(); ++operand) {
    const double* rest = cost_to_go_.of(operand, label.closed[operand], label.multiset);
    for (std::size_t component = 0; component < components_; ++component)
      sums[component] += rest[component];
  }
  return sums;
}

double LabelSearch::bound_of(const Label& label, const double* numbers) const {
  if (exceeds_limit(space_.operands(), 0, label, label, numbers[0])) return infinite;
  const Numbers sums = sums_of(label, numbers);
  if (!joint_) return objective_.of(sums.data(), label.fill);
  if (!joint_->possible(label.closed)) return infinite;
  std::array<double, max_sums> joint;
  const double* rest = joint_->of(label.closed, label.multiset);
  const std::vector<WeightedSum>& weighed = joint_->sums();
  for (std::size_t i = 0; i < weighed.size(); ++i) joint[i] = weighed[i].of(numbers) + rest[i];
  return objective_.of(sums.data(), label.fill, joint.data());
}

}  // namespace zz::core
