#include "core/optimum/label_search.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace zz::core {

LabelSearch::LabelSearch(const TemporalSpace& space, const MemoryFit& fit, const LinkCosts& costs,
                         const RemainingCost& remaining, Combination combination,
                         const SingleBufferCost* single_buffer)
    : space_(space),
      fit_(fit),
      costs_(costs),
      combination_(combination),
      single_buffer_(single_buffer),
      remaining_(remaining),
      families_(static_cast<std::size_t>(costs.families)),
      width_(families_ + fit.groups().size()) {
  if (width_ > most_numbers) throw std::logic_error("more costs than a label holds");
  Label root;
  root.run.fill(1);
  root.partial = fit.partial_matters() && space.irrelevant_above(0, 0);
  Numbers numbers{};
  std::copy(costs.constant.begin(), costs.constant.end(), numbers.begin());
  finish(root, numbers, std::numeric_limits<double>::infinity());
}

LabelSearch::Step LabelSearch::advance(std::size_t labels, double limit) {
  for (std::size_t looked_at = 0; !open_.empty(); ++looked_at) {
    const Open best = open_.top();
    if (!(best.bound < limit)) return Step::exhausted;
    if (looked_at == labels) return Step::paused;
    open_.pop();
    if (labels_[best.label].dropped) continue;
    ++visited_;
    if (labels_[best.label].vector == space_.lattice().full()) {
      result_ = mapping_of(best.label);
      result_figure_ = best.bound;
      result_sums_ = sums_of(labels_[best.label], numbers_of(best.label));
      return Step::complete;
    }
    expand(best.label, limit);
  }
  return Step::exhausted;
}

double LabelSearch::bound() const {
  return open_.empty() ? std::numeric_limits<double>::infinity() : open_.top().bound;
}

std::size_t LabelSearch::memory_bytes() const {
  return labels_.capacity() * sizeof(Label) + numbers_.capacity() * sizeof(double) +
         open_.size() * sizeof(Open) + buckets_.memory_bytes();
}

void LabelSearch::expand(std::uint32_t index, double limit) {
  const Label from = labels_[index];
  Numbers numbers;
  std::copy_n(numbers_of(index), width_, numbers.begin());
  const ExponentLattice& lattice = space_.lattice();
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    if (!space_.may_follow(from.vector, kind)) continue;
    Label to = from;
    to.vector = from.vector + static_cast<std::uint32_t>(lattice.stride(kind));
    to.parent = index;
    to.kind = static_cast<std::uint8_t>(kind);
    close_links(0, kind, from, to, numbers, limit);
  }
}

/// Every way in which the operands from `operand` on may close links before a loop of this kind.
void LabelSearch::close_links(int operand, std::size_t kind, const Label& from, Label& to,
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
    if (single_buffer_) to.run[operand] *= size;
    close_links(operand + 1, kind, from, to, numbers, limit);
    to = before;
    return;
  }
  to.run[operand] = 1;
  Numbers paid;
  std::copy_n(numbers.begin(), width_, paid.begin());
  const auto pay = [&](int link) {
    const double* cost = costs_.at(operand, link, from.vector);
    for (std::size_t family = 0; family < families_; ++family) paid[family] += cost[family];
  };
  if (space_.all_irrelevant(operand, from.vector)) pay(0);
  close_links(operand + 1, kind, from, to, paid, limit);
  const int links = fit_.levels(operand) - 1;
  for (int level = from.closed[operand]; level < links; ++level) {
    if (!take_room(operand, level, from, to.partial, to, paid)) break;
    pay(level + 1);
    if (level == from.closed[operand] && from.run[operand] > 1)
      single_buffer_->add(operand, level + 1, from.vector, from.run[operand], paid.data());
    to.closed[operand] = static_cast<std::uint8_t>(level + 1);
    if (operand == 0) to.partial = fit_.partial_matters() && space_.irrelevant_above(0, from.vector);
    close_links(operand + 1, kind, from, to, paid, limit);
  }
  to = before;
}

bool LabelSearch::take_room(int operand, int level, const Label& from, bool partial, const Label&,
                            Numbers& numbers) const {
  const double bits = fit_.bits(operand, level, from.vector, operand == 0 && partial);
  if (bits > fit_.capacity(operand, level)) return false;
  const int group = fit_.group(operand, level);
  if (group < 0) return true;
  double& used = numbers[families_ + static_cast<std::size_t>(group)];
  used += bits;
  return used <= fit_.groups()[group].capacity;
}

/// The operands that still fill a shared memory find room there for what they already hold.
bool LabelSearch::others_fit(const Label& to, Numbers& numbers) const {
  for (std::size_t index = 0; index < fit_.groups().size(); ++index) {
    const MemoryFit::Group& group = fit_.groups()[index];
    double bits = numbers[families_ + index];
    bool open = false;
    for (const MemoryFit::Group::Member& member : group.members) {
      if (to.closed[member.operand] > member.level) continue;
      open = true;
      bits += fit_.bits(member.operand, member.level, to.vector, false);
    }
    if (bits > group.capacity) return false;
    // Nobody asks any more: labels that differ here only are equal.
    if (!open) numbers[families_ + index] = 0;
  }
  return true;
}

/// With all loops placed, the memories of open links hold whole tensors.
bool LabelSearch::end_fits(const Label& to, const Numbers& numbers) const {
  std::array<double, most_numbers> used{};
  std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(families_), fit_.groups().size(), used.begin());
  for (int operand = 0; operand < space_.operands(); ++operand) {
    for (int level = to.closed[operand]; level < fit_.levels(operand); ++level) {
      const bool partial = operand == 0 && to.partial && level == to.closed[operand];
      const double bits = fit_.bits(operand, level, to.vector, partial);
      if (bits > fit_.capacity(operand, level)) return false;
      const int group = fit_.group(operand, level);
      if (group >= 0) used[group] += bits;
    }
  }
  for (std::size_t group = 0; group < fit_.groups().size(); ++group)
    if (used[group] > fit_.groups()[group].capacity) return false;
  return true;
}

void LabelSearch::finish(Label& to, Numbers& numbers, double limit) {
  const std::size_t full = space_.lattice().full();
  if (!fit_.groups().empty() && !others_fit(to, numbers)) return;
  const double bound = figure(sums_of(to, numbers.data()).data(), costs_);
  if (!(bound < limit)) return;
  if (to.vector == full && !end_fits(to, numbers)) return;
  if (!insert(to, numbers)) return;
  open_.push({bound, static_cast<std::uint32_t>(space_.lattice().placed(to.vector)),
              static_cast<std::uint32_t>(labels_.size() - 1)});
}

double LabelSearch::figure(const double* sums, const LinkCosts& costs) const {
  const auto largest_from = [&](std::size_t first) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t family = first; family < families_; ++family) {
      double sum = sums[family];
      if (!costs.rules.empty()) {
        const LinkCosts::Rule& rule = costs.rules[family];
        if (!rule.counts) continue;
        if (rule.addend >= 0) sum += rule.factor * sums[rule.addend];
        if (rule.cap >= 0) sum = std::min(sum, sums[rule.cap] + rule.more);
      }
      largest = std::max(largest, sum);
    }
    return largest;
  };
  switch (combination_) {
    case Combination::sum_of_one:
      return sums[0];
    case Combination::largest:
      return largest_from(0);
    case Combination::first_by_rest:
      return sums[0] * largest_from(1);
  }
  return 0;
}

double LabelSearch::result_figure(const LinkCosts& costs) const {
  Numbers sums = result_sums_;
  for (std::size_t family = 0; family < families_; ++family)
    sums[family] += costs.constant[family] - costs_.constant[family];
  return figure(sums.data(), costs);
}

/// What a label has paid and must pay at least, by family.
LabelSearch::Numbers LabelSearch::sums_of(const Label& label, const double* numbers) const {
  Numbers sums;
  std::copy_n(numbers, families_, sums.begin());
  for (int operand = 0; operand < space_.operands(); ++operand) {
    const double* rest = remaining_.of(operand, label.closed[operand], label.vector);
    for (std::size_t family = 0; family < families_; ++family) sums[family] += rest[family];
  }
  return sums;
}

bool LabelSearch::undercuts(const Label& a, const double* costs_a, const Label& b,
                            const double* costs_b) const {
  for (int operand = 0; operand < space_.operands(); ++operand)
    if (a.run[operand] > b.run[operand]) return false;
  for (std::size_t i = 0; i < width_; ++i)
    if (costs_a[i] > costs_b[i]) return false;
  return true;
}

std::uint64_t LabelSearch::key_of(const Label& label) const {
  std::uint64_t key = label.vector;
  for (int operand = 0; operand < space_.operands(); ++operand) key = key * 16 + label.closed[operand];
  return key * 2 + (label.partial ? 1 : 0);
}

bool LabelSearch::insert(const Label& label, const Numbers& numbers) {
  std::uint32_t& head = buckets_.head(key_of(label));
  std::uint32_t* link = &head;
  while (*link != LabelBuckets::none) {
    Label& other = labels_[*link];
    if (undercuts(other, numbers_of(*link), label, numbers.data())) return false;
    if (undercuts(label, numbers.data(), other, numbers_of(*link))) {
      other.dropped = true;
      *link = other.next;
    } else {
      link = &other.next;
    }
  }
  labels_.push_back(label);
  labels_.back().next = head;
  head = static_cast<std::uint32_t>(labels_.size() - 1);
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(width_));
  return true;
}

/// Cuts above all loops.
std::array<std::uint8_t, max_memory_levels> LabelSearch::all_loops() const {
  std::array<std::uint8_t, max_memory_levels> cuts;
  cuts.fill(static_cast<std::uint8_t>(std::max(1, space_.lattice().loops())));
  return cuts;
}

CompactMapping LabelSearch::mapping_of(std::uint32_t index) const {
  const ExponentLattice& lattice = space_.lattice();
  CompactMapping mapping;
  mapping.loops = lattice.loops();
  // One iteration stands for "once" where nothing remains in time.
  if (mapping.loops == 0) {
    mapping.loops = 1;
    mapping.size[0] = 1;
  }
  for (int operand = 0; operand < space_.operands(); ++operand) mapping.stationary[operand] = all_loops();
  for (Label label = labels_[index]; label.vector != 0; label = labels_[label.parent]) {
    const int position = lattice.placed(label.vector) - 1;
    mapping.dimension[position] = static_cast<std::uint8_t>(lattice.kinds()[label.kind].dimension);
    mapping.size[position] = lattice.kinds()[label.kind].size;
    const Label& below = labels_[label.parent];
    for (int operand = 0; operand < space_.operands(); ++operand) {
      for (int level = below.closed[operand]; level < label.closed[operand]; ++level)
        mapping.stationary[operand][level] = static_cast<std::uint8_t>(position);
    }
  }
  mapping.allocated = mapping.stationary;
  return mapping;
}

}  // namespace zz::core
