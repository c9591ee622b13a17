#include "core/search/optimal/operand_portions.hpp"

#include <algorithm>
#include <cmath>

#include "core/cost/data_footprint.hpp"
#include "core/cost/loop_cycles.hpp"
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

/// Products with such a factor are exact.
bool is_exact(double factor) { return factor * 4096 == std::floor(factor * 4096); }

}  // namespace

OperandPortions::OperandPortions(const CostTables& tables, const std::vector<RemainingLoop>& loops,
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
  for (std::size_t vector = 1; vector < lattice_.size(); ++vector) {
    std::size_t kind = 0;
    while (lattice_.count(vector, kind) == 0) ++kind;
    iterations_[vector] = iterations_[vector - lattice_.stride(kind)] * lattice_.kinds()[kind].size;
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

/// All links closed above the irrelevant loops, or below all loops.
CompactMapping OperandPortions::cut_mapping(bool below) const {
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

DataFootprint OperandPortions::held(const SpatialTables& tables, bool below) const {
  const CompactMapping mapping = cut_mapping(below);
  DataFootprint held = DataFootprint::of_operand(tables_, tables, mapping, operand_, table_.levels);
  const auto longest = static_cast<double>(std::max(table_.precision, table_.final_precision));
  for (int level = 0; level <= table_.levels; ++level) {
    double& precision = held.operands[operand_].precision[level];
    precision = std::min(precision, longest);
  }
  return held;
}

OperandPortions::Unrolled OperandPortions::unrolled(const SpatialTables& tables) const {
  return {&tables[operand_], held(tables, true), held(tables, false), {}};
}

/// Bits of an element in memory `level`. Of the output it holds partial sums where irrelevant loops are
/// unrolled above, and in the lowest memory where there are any in time, because none is below that.
double OperandPortions::least_word(const SpatialTable& unrolled, int level) const {
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
class OperandPortions::LevelCounter {
 public:
  LevelCounter(const OperandPortions& portions, const SpatialTable& unrolled, int level)
      : portions_(portions), word_(portions.least_word(unrolled, level - 1)) {
    const OperandTable& table = portions.table_;
    for (int dimension = 0; dimension < max_loop_dimensions; ++dimension) {
      const Relevancy relevancy = table.relevancy[dimension];
      if (relevancy != Relevancy::relevant && relevancy != Relevancy::partially_relevant) continue;
      place_[dimension] = walked_.size();
      walked_.push_back({relevancy == Relevancy::relevant});
    }
    bool exact = portions.counting_ == Counting::as_modelled;
    bool whole = true;
    for (int below = 0; below < level; ++below) {
      for (const UnrolledFactor& loop : unrolled.loops[below]) {
        if (table.relevancy[loop.dimension] == Relevancy::irrelevant) continue;
        walked_[place_[loop.dimension]].factors.push_back(loop.factor);
        whole = whole && is_exact(loop.factor);
      }
    }
    if (!exact && !whole) cut_ = 1 - rounding_tolerance;
    room_ = table.size[level - 1] * (1 + rounding_tolerance);
  }

  double& iterations(int dimension) { return walked_[place_[dimension]].iterations; }
  void set(std::size_t vector) {
    const ExponentLattice& lattice = portions_.lattice_;
    for (Walked& loop : walked_) loop.iterations = 1;
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      const LoopKind& loop = lattice.kinds()[kind];
      for (int i = lattice.count(vector, kind); i-- > 0;)
        iterations(loop.dimension) *= static_cast<double>(loop.size);
    }
  }

  double product() const {
    double product = cut_;
    for (const Walked& loop : walked_)
      if (loop.relevant) product *= touched(loop);
    if (!portions_.table_.has_relations) return product;
    for (const RelationTable& relation : portions_.tables_.relations) {
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
    return loop < 0 ? 1 : truncate(touched(walked_[place_[loop]]) * cut_);
  }

  const OperandPortions& portions_;
  double word_, room_ = 0, cut_ = 1;
  std::vector<Walked> walked_;
  std::array<std::size_t, max_loop_dimensions> place_{};
};

void OperandPortions::prepare(std::span<const std::size_t> vectors) {
  for (const bool whole : {false, true}) {
    if (whole && !with_integral_) continue;
    Unrolled& unrolled = whole ? integral_ : fractional_;
    for (int level = 1; level <= table_.levels; ++level) {
      LevelCounter counter(*this, *unrolled.table, level);
      for (const std::size_t vector : vectors) {
        counter.set(vector);
        note(unrolled, level, vector, counter);
      }
    }
  }
}

void OperandPortions::note(Unrolled& unrolled, int level, std::size_t vector, const LevelCounter& counter) {
  const double product = counter.product();
  unrolled.elements[level][vector] = round_half_even(product);
  if (&unrolled == &fractional_) fits_[level - 1][vector] = counter.fits(product);
}

void OperandPortions::prepare_all() {
  for (const bool whole : {false, true}) {
    if (whole && !with_integral_) continue;
    Unrolled& unrolled = whole ? integral_ : fractional_;
    // Of the last memory nothing but the whole is asked for.
    for (int level = 1; level < table_.levels; ++level) {
      LevelCounter counter(*this, *unrolled.table, level);
      std::vector<int> counts(lattice_.kinds().size(), 0);
      for (std::size_t vector = 0; vector < lattice_.size(); ++vector) {
        note(unrolled, level, vector, counter);
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

const OperandPortions::Moved& OperandPortions::transfers(const Unrolled& unrolled, DataFootprint& held,
                                                         std::size_t vector, const OperandCycles& cycles) {
  for (int level = 1; level < table_.levels; ++level)
    held.operands[operand_].elements[level] = unrolled.elements[level][vector];
  for (int level = 0; level < table_.levels; ++level)
    moved_[level] = memory_transfers(table_, *unrolled.table, held, operand_, cycles, total_, level);
  return moved_;
}

const OperandPortions::Moved& OperandPortions::at(std::size_t vector, bool integral) {
  OperandCycles cycles;
  cycles.period.fill(period(vector));
  cycles.period[0] = !table_.output && same_data_free_ ? repeats_ : 1;
  cycles.window = cycles.period;
  Unrolled& unrolled = integral ? integral_ : fractional_;
  return transfers(unrolled, unrolled.held, vector, cycles);
}

const OperandPortions::Moved& OperandPortions::partial_at(std::size_t vector, bool integral) {
  OperandCycles cycles;
  cycles.period.fill(1);
  cycles.window.fill(1);
  Unrolled& unrolled = integral ? integral_ : fractional_;
  return transfers(unrolled, unrolled.partial, vector, cycles);
}

double OperandPortions::first_bits(std::size_t vector) const {
  return integral_.elements[1][vector] * integral_.held.operands[operand_].precision[1];
}

}  // namespace zz::core
