#include "core/search/temporal/allocation_tables.hpp"

#include <algorithm>
#include <cstdint>

namespace zz::core {
namespace {

/// The loops of one dimension in a lattice. Their choices are a small lattice of their own, and each of its
/// own points serves many points of the large one.
struct DimensionPoints {
  struct Step {
    std::size_t to, from;
    double size;
  };
  std::size_t count = 1;
  std::vector<std::uint32_t> own;  ///< by point of the large one; empty when it has no such loops
  std::vector<Step> steps;         ///< every way to add one loop
};

/// Iterations of one loop dimension below a memory, by lattice point. Products of fractions are rounded,
/// and then may depend on the order of the loops; settle() tells.
class DimensionProducts {
 public:
  /// `points` must outlive this object.
  explicit DimensionProducts(const DimensionPoints& points) : points_(points), products_(points.count, 1) {}

  void unroll(double factor);
  /// To be called at each level when its unrolled loops are in. False: the products depend on the order.
  bool settle();

  double at(LoopLattice::Point point) const {
    return products_[points_.own.empty() ? 0 : points_.own[point]];
  }

 private:
  const DimensionPoints& points_;
  std::vector<double> products_;
  bool fractional_ = false;
  bool settled_ = false;
};

/// By loop dimension.
std::vector<DimensionPoints> dimension_points(const LoopLattice& lattice, int dimensions) {
  std::vector<DimensionPoints> all(static_cast<std::size_t>(dimensions));
  for (const LoopLattice::Kind& kind : lattice.kinds()) {
    DimensionPoints& points = all[static_cast<std::size_t>(kind.dimension)];
    points.own.resize(lattice.points(), 0);
    const std::size_t stride = points.count;
    const std::size_t block = std::size_t{kind.stride} * (static_cast<std::size_t>(kind.count) + 1);
    for (std::size_t base = 0; base < lattice.points(); base += block) {
      for (std::size_t point = base + kind.stride; point < base + block; ++point)
        points.own[point] += static_cast<std::uint32_t>((point - base) / kind.stride * stride);
    }
    // Each loop of this kind repeats the steps so far and adds some of its own.
    const std::size_t known = points.steps.size();
    for (int loop = 1; loop <= kind.count; ++loop) {
      const std::size_t shift = stride * static_cast<std::size_t>(loop);
      for (std::size_t own = 0; own < stride; ++own)
        points.steps.push_back({shift + own, shift + own - stride, static_cast<double>(kind.size)});
      for (std::size_t step = 0; step < known; ++step) {
        const DimensionPoints::Step& below = points.steps[step];
        points.steps.push_back({shift + below.to, shift + below.from, below.size});
      }
    }
    points.count *= static_cast<std::size_t>(kind.count) + 1;
  }
  return all;
}

void DimensionProducts::unroll(double factor) {
  for (double& product : products_) product *= factor;
  fractional_ = fractional_ || factor != static_cast<double>(static_cast<std::int64_t>(factor));
}

bool DimensionProducts::settle() {
  if (!settled_) {
    settled_ = true;
    for (const DimensionPoints::Step& step : points_.steps)
      products_[step.to] = products_[step.from] * step.size;
  }
  return !fractional_ ||
         std::all_of(points_.steps.begin(), points_.steps.end(), [&](const DimensionPoints::Step& step) {
           return products_[step.to] == products_[step.from] * step.size;
         });
}

/// True when no edge of the lattice leads from one entry that fits to another with more traffic. Edges of
/// loops that leave the data as they are only lead to less.
bool is_falling(const AllocationTables::Shares& shares, const AllocationProblem::Operand& operand,
                const LoopLattice& lattice, double capacity) {
  const AllocationTables::Entry* const at = shares.at.data();
  for (const LoopLattice::Kind& kind : lattice.kinds()) {
    if (!operand.sizes[kind.dimension]) continue;
    const std::size_t edges = std::size_t{kind.stride} * static_cast<std::size_t>(kind.count);
    for (std::size_t base = 0; base < lattice.points(); base += edges + kind.stride) {
      for (std::size_t point = base; point < base + edges; ++point) {
        const AllocationTables::Entry& next = at[point + kind.stride];
        if (next.bits <= capacity && next.traffic > at[point].traffic && at[point].bits <= capacity)
          return false;
      }
    }
  }
  return true;
}

}  // namespace

std::shared_ptr<const AllocationTables> AllocationTables::make(const AllocationProblem& problem,
                                                               std::shared_ptr<const LoopLattice> lattice) {
  const std::shared_ptr<AllocationTables> tables(new AllocationTables);
  tables->lattice_ = std::move(lattice);
  return tables->fill(problem) ? tables : nullptr;
}

bool AllocationTables::fill(const AllocationProblem& problem) {
  for (const AllocationProblem::Node& node : problem.nodes) held_.emplace_back(node.held.size());
  const auto total = static_cast<double>(lattice_->iterations(lattice_->all()));
  std::vector<double> iterations_above(lattice_->points());
  for (LoopLattice::Point point = 0; point < lattice_->points(); ++point)
    iterations_above[point] = total / static_cast<double>(lattice_->iterations(point));
  for (int operand = 0; operand < static_cast<int>(problem.operands.size()); ++operand) {
    if (!fill_operand(problem, operand, iterations_above)) return false;
  }
  return true;
}

bool AllocationTables::fill_operand(const AllocationProblem& problem, int index,
                                    const std::vector<double>& iterations_above) {
  const AllocationProblem::Operand& operand = problem.operands[index];
  const std::vector<DimensionPoints> dimensions = dimension_points(*lattice_, problem.dimensions);
  std::vector<int> sizing;
  std::vector<DimensionProducts> products;
  for (int dimension = 0; dimension < problem.dimensions; ++dimension) {
    if (!operand.sizes[dimension]) continue;
    sizing.push_back(dimension);
    products.emplace_back(dimensions[dimension]);
  }
  const int finished_kinds = operand.output ? 2 : 1;
  AllocationProblem::Products below;
  below.fill(1);
  const auto elements = [&](LoopLattice::Point point) {
    for (std::size_t i = 0; i < products.size(); ++i) below[sizing[i]] = products[i].at(point);
    return problem.tensor_elements(operand, below);
  };
  for (std::size_t node = 0; node < held_.size(); ++node) {
    for (std::size_t number = 0; number < held_[node].size(); ++number) {
      const AllocationProblem::Held& of_memory = problem.nodes[node].held[number];
      if (of_memory.operand != index) continue;
      for (std::size_t i = 0; i < products.size(); ++i) {
        for (const UnrolledFactor& loop : operand.spatial[of_memory.level])
          if (loop.dimension == sizing[i]) products[i].unroll(loop.factor);
        if (!products[i].settle()) return false;
      }
      Held& filled = held_[node][number];
      if (of_memory.top) {
        const double whole = elements(lattice_->all());
        for (int finished = 0; finished < finished_kinds; ++finished) {
          filled.whole_bits[finished] = whole * operand.element_bits(finished != 0);
          if (filled.whole_bits[finished] > problem.nodes[node].capacity) return false;
        }
        return true;
      }
      for (int finished = 0; finished < finished_kinds; ++finished)
        filled.shares[finished].at.resize(lattice_->points());
      for (LoopLattice::Point point = 0; point < lattice_->points(); ++point) {
        const double held = elements(point);
        for (int finished = 0; finished < finished_kinds; ++finished) {
          const double bits = held * operand.element_bits(finished != 0);
          filled.shares[finished].at[point] = {bits, iterations_above[point] * bits};
        }
      }
      for (int finished = 0; finished < finished_kinds; ++finished) {
        Shares& shares = filled.shares[finished];
        shares.falling = is_falling(shares, operand, *lattice_, problem.nodes[node].capacity);
      }
    }
  }
  return false;
}

}  // namespace zz::core
