#include "core/cost/boundary_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace zz::core {
namespace {

// Amounts of data are products of doubles, rounded to whole elements in the end. A product of fractions may
// differ in its last bit with the order of its factors, which matters where it lies next to the middle
// between two whole numbers (or, for positions of a window, next to a whole number, because they are cut).

/// Far above what a few hundred roundings can add up to, far below what tells amounts apart.
constexpr double noise = 1e-12;

/// A product that knows whether it is free of rounding. One that is, is so in any order of its factors:
/// they are fractions of powers of two, and a part of them never needs more digits than all.
struct Product {
  double value = 1;
  bool exact = true;

  void multiply(double factor) {
    const double product = value * factor;
    exact = exact && std::fma(value, factor, -product) == 0;
    value = product;
  }
};

/// `value` may be off by `error` without coming to the other side of a multiple of 1 that is shifted by
/// `shift`.
bool is_clear_of(double value, double shift, double error) {
  const double distance = std::abs(value - shift - std::nearbyint(value - shift));
  return distance > error;
}

template <class Take>
void for_each_factor_below(const SpatialTable& unrolling, const LoopLattice& lattice, int level,
                           LoopLattice::Point below, Take take) {
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const LoopLattice::Kind& loop = lattice.kinds()[kind];
    for (int i = lattice.placed(below, static_cast<int>(kind)); i > 0; --i)
      take(loop.dimension, static_cast<double>(loop.size));
  }
  for (int inner = 0; inner < level; ++inner) {
    for (const UnrolledFactor& loop : unrolling.loops[inner]) take(loop.dimension, loop.factor);
  }
}

bool elements_depend(const CostTables& tables, const SpatialTable& unrolling, const LoopLattice& lattice,
                     int operand, int level, LoopLattice::Point below) {
  const auto& relevancy = tables.operands[operand].relevancy;
  Product elements;
  std::array<Product, max_loop_dimensions> sliding;
  bool slides = false;
  for_each_factor_below(unrolling, lattice, level, below, [&](int dimension, double factor) {
    if (relevancy[dimension] == Relevancy::relevant) elements.multiply(factor);
    if (relevancy[dimension] != Relevancy::partially_relevant) return;
    slides = true;
    sliding[dimension].multiply(factor);
  });
  if (slides) {
    for (const Window& window : tables.windows) {
      std::array<std::int64_t, 2> counts{1, 1};
      for (int side = 0; side < 2; ++side) {
        const int loop = side == 0 ? window.output_loop : window.filter_loop;
        if (loop < 0) continue;
        const Product& product = sliding[loop];
        if (!product.exact && !is_clear_of(product.value, 0, noise * product.value)) return true;
        counts[side] = static_cast<std::int64_t>(product.value);
      }
      elements.multiply(static_cast<double>(window.positions.count(counts[0], counts[1])));
    }
    elements.exact = false;  // made of quotients of positions, level by level
  }
  return !elements.exact && !is_clear_of(elements.value, 0.5, noise * elements.value);
}

/// ZigZag decides by whether (accumulations - 1) times the elements of the output, cut, is not 0.
bool return_depends(const CostTables& tables, const SpatialTable& unrolling, const LoopLattice& lattice,
                    int level, LoopLattice::Point below) {
  const OperandTable& output = tables.operands[0];
  Product accumulations;
  const auto take = [&](int dimension, double factor) {
    if (output.relevancy[dimension] == Relevancy::irrelevant) accumulations.multiply(factor);
  };
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const LoopLattice::Kind& loop = lattice.kinds()[kind];
    for (int i = lattice.placed(below, static_cast<int>(kind)); i < loop.count; ++i)
      take(loop.dimension, static_cast<double>(loop.size));
  }
  for (int above = level + 1; above <= output.levels; ++above) {
    for (const UnrolledFactor& loop : unrolling.loops[above]) take(loop.dimension, loop.factor);
  }
  const double returning = static_cast<double>(output.elements) * (accumulations.value - 1);
  const double error = static_cast<double>(output.elements) * accumulations.value * noise;
  return !accumulations.exact && std::abs(returning - 1) <= error;
}

/// False is a promise: whatever the order of the loops below and the levels that they are shared out to,
/// the elements below the boundary of the architecture level are the same number, and so is, of the output,
/// whether partial sums return through it.
bool depends_on_order(const CostTables& tables, const SpatialTables& unrolling, const LoopLattice& lattice,
                      int operand, int level, LoopLattice::Point below) {
  return elements_depend(tables, unrolling[operand], lattice, operand, level, below) ||
         (operand == 0 && return_depends(tables, unrolling[0], lattice, level, below));
}

/// False is a promise, too: depends_on_order() is false for every operand, level and point. Quick to ask,
/// and false for whole unrollings of layers of usual size.
bool may_depend_on_order(const SpatialTables& unrolling, int operands, const LoopLattice& lattice) {
  // Products of whole numbers are exact, and all far enough from a half to be so with the noise.
  constexpr double largest = 0.1 / noise;
  const auto iterations = static_cast<double>(lattice.iterations(lattice.all()));
  for (int operand = 0; operand < operands; ++operand) {
    double product = iterations;
    for (const UnrolledFactor& loop : unrolling[operand].loops.all()) {
      if (loop.factor != static_cast<double>(static_cast<std::int64_t>(loop.factor))) return true;
      product *= loop.factor;
    }
    if (product > largest) return true;
  }
  return false;
}

/// Stands for what is not remembered.
const BoundaryCost depends_on_order_of_loops;

bool slides_over_output(const OperandTable& output) {
  return output.has_relations || std::find(output.relevancy.begin(), output.relevancy.end(),
                                           Relevancy::partially_relevant) != output.relevancy.end();
}

}  // namespace

BoundaryTable::BoundaryTable(const CostModel& model, std::shared_ptr<const LoopLattice> lattice)
    : model_(model), lattice_(std::move(lattice)) {
  const CostTables& tables = model_.tables();
  // Averages are products in one order of factors (data_footprint.hpp).
  fractional_may_depend_ =
      tables.whole_units && may_depend_on_order(tables.fractional, tables.operand_count, *lattice_);
  integral_may_depend_ =
      tables.whole_units && may_depend_on_order(tables.integral, tables.operand_count, *lattice_);
  output_depends_ = slides_over_output(tables.operands[0]);
  known_.assign(model_.boundaries().all().size() * lattice_->points(), nullptr);
}

Score BoundaryTable::evaluate(const CompactMapping& mapping) {
  look_up(mapping);
  ++computed_;
  return combine(model_.tables(), model_.options(), model_.boundaries(), mapping, cost_).score();
}

Score BoundaryTable::score(const CompactMapping& mapping) {
  look_up(mapping);
  const auto compute = [&] {
    ++computed_;
    return combine(model_.tables(), model_.options(), model_.boundaries(), mapping, cost_).score();
  };
  if (!all_remembered_) return compute();
  make_key(mapping);
  const auto known = scores_.find(std::basic_string_view<char32_t>(key_));
  if (known != scores_.end()) return known->second;
  if (scores_.size() >= most_scores) scores_.clear();
  return scores_.emplace(key_, compute()).first->second;
}

void BoundaryTable::look_up(const CompactMapping& mapping) {
  find_cuts(mapping);
  all_remembered_ = true;
  const int boundaries = static_cast<int>(model_.boundaries().all().size());
  for (int boundary = 0; boundary < boundaries; ++boundary) {
    const BoundaryCost*& known =
        known_[static_cast<std::size_t>(boundary) * lattice_->points() + point_[cut_[boundary]]];
    if (known == nullptr) known = &remember(boundary, mapping);
    cost_[boundary] = known;
    // The sequence of windows of several sizes depends on all loops.
    all_remembered_ = all_remembered_ && known->sizes.empty();
    if (known != &depends_on_order_of_loops) continue;
    const Boundaries::Boundary& at = model_.boundaries()[boundary];
    of_this_order_[boundary] = cost_of(model_.tables(), model_.options(), mapping, at.operand, at.level);
    cost_[boundary] = &of_this_order_[boundary];
    all_remembered_ = false;
  }
}

void BoundaryTable::find_cuts(const CompactMapping& mapping) {
  const CostTables& tables = model_.tables();
  point_[0] = 0;
  for (int loop = 0; loop < mapping.loops; ++loop)
    point_[loop + 1] = point_[loop] + lattice_->kinds()[mapping.kind[loop]].stride;
  std::uint8_t* cut = cut_.data();
  for (const Boundaries::Boundary& at : model_.boundaries().all()) {
    const bool keeps =
        at.level == 0 && !tables.operands[at.operand].output && model_.options().same_data_free;
    *cut++ = static_cast<std::uint8_t>(keeps ? repeated_loops(tables, mapping, at.operand)
                                             : mapping.loops_below(at.operand, at.level));
  }
}

const BoundaryCost& BoundaryTable::remember(int boundary, const CompactMapping& mapping) {
  const CostTables& tables = model_.tables();
  const Boundaries::Boundary& at = model_.boundaries()[boundary];
  const LoopLattice::Point below = point_[cut_[boundary]];
  const auto depends = [&](const SpatialTables& unrolling) {
    return depends_on_order(tables, unrolling, *lattice_, at.operand, at.level, below);
  };
  if ((output_depends_ && at.operand == 0) || (fractional_may_depend_ && depends(tables.fractional)) ||
      (!tables.same_unrolling && integral_may_depend_ && depends(tables.integral)))
    return depends_on_order_of_loops;
  costs_.push_back(cost_of(tables, model_.options(), mapping, at.operand, at.level));
  return costs_.back();
}

void BoundaryTable::make_key(const CompactMapping& mapping) {
  const CostTables& tables = model_.tables();
  const Boundaries& boundaries = model_.boundaries();
  key_.clear();
  for (std::size_t boundary = 0; boundary < boundaries.all().size(); ++boundary)
    key_.push_back(point_[cut_[boundary]]);
  if (tables.array.has_fold) key_.push_back(point_[stay_loops(tables, mapping, tables.array.fold_operand)]);
  if (tables.array.has_instruction)
    key_.push_back(point_[stay_loops(tables, mapping, tables.array.instruction_operand)]);
  if (tables.imc) key_.push_back(point_[repeated_loops(tables, mapping, tables.imc->weight_operand)]);
  for (const Boundaries::SharedMemory& memory : boundaries.memories()) {
    if (!second_buffers_depend_on_outer_loops(memory, cost_)) continue;
    for (const int holder : memory.holders) {
      key_.push_back(without_outer_loops(mapping, holder, Relevancy::relevant));
      key_.push_back(without_outer_loops(mapping, holder, Relevancy::irrelevant));
    }
  }
}

/// The point below the boundary without the outermost loops of the level that are all of this relevancy.
LoopLattice::Point BoundaryTable::without_outer_loops(const CompactMapping& mapping, int boundary,
                                                      Relevancy wanted) const {
  const Boundaries::Boundary& at = model_.boundaries()[boundary];
  const auto& relevancy = model_.tables().operands[at.operand].relevancy;
  const int begin = mapping.loops_below(at.operand, at.level - 1);
  int end = cut_[boundary];
  while (end > begin && relevancy[mapping.dimension[end - 1]] == wanted) --end;
  return point_[end];
}

}  // namespace zz::core
