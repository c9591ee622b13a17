#include "core/search/optimal/detail/capacity_branch.hpp"

#include <algorithm>

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
        if (multiset != full && !space.changes_above(member.operand, multiset)) continue;
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

}  // namespace zz::core
