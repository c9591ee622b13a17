#include "core/search/optimal/detail/operand_traffic.hpp"

#include <algorithm>
#include <cmath>

#include "core/cost/boundary_cost.hpp"
#include "core/cost/data_footprint.hpp"
#include "core/cost/rounding.hpp"
#include "core/search/optimal/certificate.hpp"

namespace zz::core {
namespace {

std::vector<LoopKind> relevant_kinds(const OperandTable& table, const std::vector<FactorTable>& factors) {
  std::vector<LoopKind> kinds;
  for (const FactorTable& loop : factors) {
    if (table.relevancy[loop.dimension] == Relevancy::irrelevant) continue;
    for (const auto& [size, count] : loop.entries)
      if (size > 1) kinds.push_back({loop.dimension, size, count});
  }
  return kinds;
}

OperandTable with_short_results(OperandTable table) {
  table.final_precision = std::min(table.precision, table.final_precision);
  return table;
}

/// The transfers of the operand at its memory `level`. `periods`: cycles per portion, by architecture
/// level.
PerDirection<LevelTransfer> memory_transfers(const OperandTable& operand, const SpatialTable& unrolling,
                                             const DataFootprint& held,
                                             const PerLevel<std::int64_t>& periods,
                                             std::int64_t total_cycles, int level) {
  PerDirection<LevelTransfer> out{};
  const Crossing low = crossing(operand, held, level, unrolling.boost[level], periods[level], total_cycles);
  out[read_to_low] = low.down;
  out[write_from_low] = low.up;
  if (level + 1 == operand.levels) return out;
  const Crossing high = crossing(operand, held, level + 1, 1, periods[level + 1], total_cycles);
  out[write_from_high] = high.down;
  out[read_to_high] = high.up;
  return out;
}

/// Products with such a factor are exact.
bool is_exact(double factor) { return factor * 4096 == std::floor(factor * 4096); }

}  // namespace

OperandTraffic::OperandTraffic(const CostTables& tables, const std::vector<RemainingLoop>& loops,
                               int operand, const std::vector<FactorTable>& factors, bool same_data_free,
                               bool integral, Counting counting)
    : tables_(tables),
      operand_(operand),
      table_(counting == Counting::at_least ? with_short_results(tables.operands[operand])
                                            : tables.operands[operand]),
      same_data_free_(same_data_free),
      counting_(counting),
      with_integral_(integral),
      loops_(loops),
      lattice_(relevant_kinds(table_, factors)),
      fractional_(unrolled(tables.fractional)),
      integral_(integral ? unrolled(tables.integral) : fractional_) {
  iterations_.assign(lattice_.size(), 1);
  for (std::size_t multiset = 1; multiset < lattice_.size(); ++multiset) {
    const std::size_t kind = lattice_.first_kind(multiset);
    iterations_[multiset] = iterations_[multiset - lattice_.stride(kind)] * lattice_.kinds()[kind].size;
  }
  for (const RemainingLoop& loop : loops_) {
    total_ *= loop.size;
    if (table_.relevancy[loop.dimension] == Relevancy::irrelevant) repeats_ *= loop.size;
  }
  for (int level = 1; level <= table_.levels; ++level) {
    fractional_.elements[level].resize(lattice_.size());
    if (integral) integral_.elements[level].resize(lattice_.size());
    fits_[level - 1].resize(lattice_.size());
  }
}

/// All boundaries closed above the irrelevant loops, or below all loops.
CompactMapping OperandTraffic::cut_mapping(bool below) const {
  CompactMapping mapping;
  int inner = 0;
  for (const bool irrelevant : {below, !below}) {
    for (const RemainingLoop& loop : loops_) {
      if ((table_.relevancy[loop.dimension] == Relevancy::irrelevant) != irrelevant) continue;
      mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(loop.dimension);
      mapping.size[mapping.loops++] = loop.size;
      if (below && irrelevant) ++inner;
    }
  }
  for (int level = 0; level < table_.levels; ++level) {
    mapping.stationary[operand_][level] =
        static_cast<std::uint8_t>(level + 1 < table_.levels ? inner : mapping.loops);
  }
  return mapping;
}

DataFootprint OperandTraffic::held(const SpatialTables& tables, bool below) const {
  const CompactMapping mapping = cut_mapping(below);
  DataFootprint held = footprint_of(tables_, tables, mapping, operand_, table_.levels);
  const auto longest = static_cast<double>(std::max(table_.precision, table_.final_precision));
  for (int level = 0; level <= table_.levels; ++level) {
    double& precision = held.precision[level];
    precision = std::min(precision, longest);
  }
  return held;
}

OperandTraffic::Unrolled OperandTraffic::unrolled(const SpatialTables& tables) const {
  return {&tables[operand_], held(tables, true), held(tables, false), {}};
}

/// The least bits of an element in memory `level`. Partial sums of the output are held where irrelevant
/// loops are unrolled above, and in the lowest memory where there are irrelevant loops in time.
double OperandTraffic::least_word(const SpatialTable& unrolled, int level) const {
  if (!table_.output || (level == 0 && repeats_ > 1)) return static_cast<double>(table_.precision);
  for (int above = level + 1; above <= table_.levels; ++above) {
    for (const UnrolledFactor& loop : unrolled.loops[above]) {
      if (table_.relevancy[loop.dimension] == Relevancy::irrelevant && loop.factor > 1)
        return static_cast<double>(table_.precision);
    }
  }
  return static_cast<double>(table_.final_precision);
}

/// Elements that units of an architecture level hold, by the iterations of each relevant loop.
class OperandTraffic::LevelCounter {
 public:
  LevelCounter(const OperandTraffic& traffic, const SpatialTable& unrolled, int level)
      : traffic_(traffic), word_(traffic.least_word(unrolled, level - 1)) {
    const OperandTable& table = traffic.table_;
    for (int dimension = 0; dimension < max_loop_dimensions; ++dimension) {
      const Relevancy relevancy = table.relevancy[dimension];
      if (relevancy != Relevancy::relevant && relevancy != Relevancy::partially_relevant) continue;
      index_[dimension] = walked_.size();
      walked_.push_back({relevancy == Relevancy::relevant});
    }
    bool exact = traffic.counting_ == Counting::as_modelled;
    bool whole = true;
    for (int below = 0; below < level; ++below) {
      for (const UnrolledFactor& loop : unrolled.loops[below]) {
        if (table.relevancy[loop.dimension] == Relevancy::irrelevant) continue;
        walked_[index_[loop.dimension]].factors.push_back(loop.factor);
        whole = whole && is_exact(loop.factor);
      }
    }
    if (!exact && !whole) cut_ = 1 - rounding_tolerance;
    room_ = table.size[level - 1] * (1 + rounding_tolerance);
  }

  double& iterations(int dimension) { return walked_[index_[dimension]].iterations; }
  void set(std::size_t multiset) {
    const ExponentLattice& lattice = traffic_.lattice_;
    for (Walked& loop : walked_) loop.iterations = 1;
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      const LoopKind& loop = lattice.kinds()[kind];
      for (int i = lattice.count(multiset, kind); i-- > 0;)
        iterations(loop.dimension) *= static_cast<double>(loop.size);
    }
  }

  double product() const {
    double product = cut_;
    for (const Walked& loop : walked_)
      if (loop.relevant) product *= touched(loop);
    if (!traffic_.table_.has_relations) return product;
    for (const RelationTable& relation : traffic_.tables_.relations) {
      product *= static_cast<double>(
          relation.positions.count(count(relation.output_loop), count(relation.filter_loop)));
    }
    return product;
  }
  bool fits(double product) const { return product * word_ <= room_; }

 private:
  struct Walked {
    bool relevant;
    double iterations = 1;
    std::vector<double> factors = {};  // level by level
  };
  double touched(const Walked& loop) const {
    double iterations = loop.iterations;
    for (const double factor : loop.factors) iterations *= factor;
    return iterations;
  }
  std::int64_t count(int loop) const {
    return loop < 0 ? 1 : truncate(touched(walked_[index_[loop]]) * cut_);
  }

  const OperandTraffic& traffic_;
  double word_, room_ = 0, cut_ = 1;
  std::vector<Walked> walked_;
  std::array<std::size_t, max_loop_dimensions> index_{};
};

void OperandTraffic::prepare(std::span<const std::size_t> multisets) {
  for (const bool whole : {false, true}) {
    if (whole && !with_integral_) continue;
    Unrolled& unrolled = whole ? integral_ : fractional_;
    for (int level = 1; level <= table_.levels; ++level) {
      LevelCounter counter(*this, *unrolled.table, level);
      for (const std::size_t multiset : multisets) {
        counter.set(multiset);
        note(unrolled, level, multiset, counter);
      }
    }
  }
}

void OperandTraffic::note(Unrolled& unrolled, int level, std::size_t multiset,
                          const LevelCounter& counter) {
  const double product = counter.product();
  unrolled.elements[level][multiset] = round_half_even(product);
  if (&unrolled == &fractional_) fits_[level - 1][multiset] = counter.fits(product);
}

void OperandTraffic::prepare_all() {
  for (const bool whole : {false, true}) {
    if (whole && !with_integral_) continue;
    Unrolled& unrolled = whole ? integral_ : fractional_;
    // The last memory is asked for all loops only.
    for (int level = 1; level < table_.levels; ++level) {
      LevelCounter counter(*this, *unrolled.table, level);
      std::vector<int> counts(lattice_.kinds().size(), 0);
      for (std::size_t multiset = 0; multiset < lattice_.size(); ++multiset) {
        note(unrolled, level, multiset, counter);
        // The next multiset.
        for (std::size_t kind = 0; kind < counts.size(); ++kind) {
          const LoopKind& loop = lattice_.kinds()[kind];
          const auto size = static_cast<double>(loop.size);
          double& iterations = counter.iterations(loop.dimension);
          if (counts[kind] < loop.count) {
            ++counts[kind];
            iterations *= size;
            break;
          }
          for (; counts[kind] > 0; --counts[kind]) iterations /= size;
        }
      }
    }
  }
  const std::size_t full = lattice_.full();
  prepare({&full, 1});
}

const OperandTraffic::Moved& OperandTraffic::transfers(const Unrolled& unrolled, DataFootprint& held,
                                                       std::size_t multiset, const Periods& periods) {
  for (int level = 1; level < table_.levels; ++level)
    held.elements[level] = unrolled.elements[level][multiset];
  for (int level = 0; level < table_.levels; ++level)
    moved_[level] = memory_transfers(table_, *unrolled.table, held, periods, total_, level);
  return moved_;
}

const OperandTraffic::Moved& OperandTraffic::at(std::size_t multiset, bool integral) {
  Periods periods;
  periods.fill(period(multiset));
  periods[0] = !table_.output && same_data_free_ ? repeats_ : 1;
  Unrolled& unrolled = integral ? integral_ : fractional_;
  return transfers(unrolled, unrolled.held, multiset, periods);
}

const OperandTraffic::Moved& OperandTraffic::partial_at(std::size_t multiset, bool integral) {
  Periods periods;
  periods.fill(1);
  Unrolled& unrolled = integral ? integral_ : fractional_;
  return transfers(unrolled, unrolled.partial, multiset, periods);
}

PerLevel<double> OperandTraffic::energies(const Moved& moved) const {
  PerLevel<double> energies{};
  const auto pay = [&](int level, int boundary, Direction direction) {
    const int index = static_cast<int>(direction);
    const LevelTransfer& transfer = moved[level][index];
    if (transfer.elements == 0) return;
    const TransferPort& port = table_.port[level][index];
    const double units = unrolling(false).unit_count[level + 1];
    energies[boundary] +=
        port.bandwidth_max == 0
            ? infinite
            : table_.energy[level][index] * static_cast<double>(count_accesses(transfer, port, units));
  };
  for (int level = 0; level < table_.levels; ++level) {
    pay(level, level, Direction::read_to_low);
    pay(level, level, Direction::write_from_low);
    if (level + 1 == table_.levels) break;
    pay(level, level + 1, Direction::read_to_high);
    pay(level, level + 1, Direction::write_from_high);
  }
  return energies;
}

double OperandTraffic::lowest_bits(std::size_t multiset) const {
  return integral_.elements[1][multiset] * integral_.held.precision[1];
}

}  // namespace zz::core
