#include "core/search/loma/allocation_tables.hpp"

#include <algorithm>
#include <stdexcept>

namespace zz::core {
namespace {

/// Of the entries that fit, an edge of the lattice never leads to more traffic. Edges of loops that leave
/// the data as they are only lead to less.
bool is_falling(const SliceTable& table, const AllocationProblem::Operand& operand,
                const LoopLattice& lattice, double capacity) {
  const SliceTable::Entry* const at = table.at.data();
  for (const LoopLattice::Kind& kind : lattice.kinds()) {
    if (!operand.sizes[kind.dimension]) continue;
    const std::size_t edges = std::size_t{kind.stride} * static_cast<std::size_t>(kind.count);
    for (std::size_t base = 0; base < lattice.points(); base += edges + kind.stride) {
      for (std::size_t point = base; point < base + edges; ++point) {
        const SliceTable::Entry& next = at[point + kind.stride];
        if (next.bits <= capacity && next.traffic > at[point].traffic && at[point].bits <= capacity)
          return false;
      }
    }
  }
  return true;
}

std::vector<KindTraits> kinds_of(const AllocationProblem& problem, const LoopLattice& lattice) {
  std::vector<KindTraits> kinds;
  kinds.reserve(lattice.kinds().size());
  for (const LoopLattice::Kind& kind : lattice.kinds()) {
    KindTraits& traits = kinds.emplace_back();
    traits.stride = kind.stride;
    for (std::size_t operand = 0; operand < problem.operands.size(); ++operand) {
      const AllocationProblem::Operand& tensor = problem.operands[operand];
      const std::uint64_t first = LoopSets::first_of(static_cast<int>(operand));
      if (tensor.irrelevant[kind.dimension]) traits.irrelevant |= first;
      if (std::count(tensor.relevant.begin(), tensor.relevant.end(), kind.dimension) > 0)
        traits.relevant |= first;
    }
  }
  return kinds;
}

}  // namespace

std::shared_ptr<const AllocationTables> AllocationTables::make(const AllocationProblem& problem,
                                                               std::shared_ptr<const LoopLattice> lattice) {
  const std::shared_ptr<AllocationTables> tables(new AllocationTables);
  tables->lattice_ = std::move(lattice);
  return tables->fill(problem) ? tables : nullptr;
}

bool AllocationTables::fill(const AllocationProblem& problem) {
  kinds_ = kinds_of(problem, *lattice_);
  nodes_.reserve(problem.nodes.size());
  operands_ = static_cast<int>(problem.operands.size());
  for (const AllocationProblem::Node& memory : problem.nodes) {
    Node& node = nodes_.emplace_back();
    node.memory = memory.memory;
    node.capacity = memory.capacity;
    node.places.reserve(memory.places.size());
    for (const AllocationProblem::Place& of_memory : memory.places) {
      const AllocationProblem::Operand& operand = problem.operands[of_memory.operand];
      Place& place = node.places.emplace_back();
      place.operand = of_memory.operand;
      place.level = of_memory.level;
      place.top = of_memory.top;
      place.may_finish = operand.output && !operand.irrelevant_above[of_memory.level + 1];
      levels_[place.operand] = place.level + 1;
    }
  }
  const std::vector<DimensionPlaces> dimensions = dimension_places(*lattice_, problem.dimensions);
  const auto total = static_cast<double>(lattice_->iterations(lattice_->all()));
  std::vector<double> iterations_above(lattice_->points());
  for (LoopLattice::Point point = 0; point < lattice_->points(); ++point)
    iterations_above[point] = total / static_cast<double>(lattice_->iterations(point));
  for (int operand = 0; operand < operands_; ++operand) {
    if (levels_[operand] == 0 || !fill_operand(problem, operand, dimensions, iterations_above))
      return false;
  }
  for (Node& node : nodes_) {
    double bits = 0;
    for (const Place& place : node.places) bits += place.most_top_bits();
    const bool top =
        std::all_of(node.places.begin(), node.places.end(), [](const Place& place) { return place.top; });
    node.takes_the_rest = top && bits <= node.capacity;
  }
  return true;
}

bool AllocationTables::fill_operand(const AllocationProblem& problem, int index,
                                    const std::vector<DimensionPlaces>& dimensions,
                                    const std::vector<double>& iterations_above) {
  const AllocationProblem::Operand& operand = problem.operands[index];
  std::vector<int> sizing;
  std::vector<DimensionProducts> products;
  sizing.reserve(static_cast<std::size_t>(problem.dimensions));
  products.reserve(static_cast<std::size_t>(problem.dimensions));
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
  const Place* lower = nullptr;
  for (Node& node : nodes_) {
    for (Place& place : node.places) {
      if (place.operand != index) continue;
      bool same_data = lower != nullptr;  // as at the level below
      for (std::size_t i = 0; i < products.size(); ++i) {
        for (const UnrolledFactor& loop : operand.spatial[place.level]) {
          if (loop.dimension != sizing[i]) continue;
          products[i].unroll(loop.factor);
          same_data = false;
        }
        if (!products[i].settle()) return false;
      }
      if (place.level + 1 == levels_[index]) {
        const double whole = elements(lattice_->all());
        place.top_bits = {whole * operand.precision, operand.output ? whole * operand.final_precision : 0};
        return place.most_top_bits() <= node.capacity;
      }
      for (int finished = 0; finished < finished_kinds; ++finished) {
        if (same_data) {
          place.slices[finished].at = lower->slices[finished].at;
        } else {
          place.slices[finished].at.resize(lattice_->points());
        }
      }
      for (LoopLattice::Point point = 0; !same_data && point < lattice_->points(); ++point) {
        const double held = elements(point);
        for (int finished = 0; finished < finished_kinds; ++finished) {
          const double bits = held * (finished ? operand.final_precision : operand.precision);
          place.slices[finished].at[point] = {bits, iterations_above[point] * bits};
        }
      }
      for (int finished = 0; finished < finished_kinds; ++finished) {
        SliceTable& table = place.slices[finished];
        table.falling = is_falling(table, operand, *lattice_, node.capacity);
      }
      lower = &place;
    }
  }
  return false;
}

AllocationTables::PlaceView AllocationTables::at(int operand, int level) const {
  for (const Node& node : nodes_) {
    for (const Place& place : node.places) {
      if (place.operand == operand && place.level == level) return {node, place};
    }
  }
  throw std::out_of_range("AllocationTables::at");
}

/// What an operand brings along to a memory at least: all that the memory below may have been filled with.
double AllocationTables::most_at_start(const Place& place) const {
  if (place.top) return place.most_top_bits();
  double most = 0;
  for (LoopLattice::Point point = 0; point < lattice_->points(); ++point) {
    bool reached = point == 0;
    if (place.level > 0) {
      const PlaceView below = at(place.operand, place.level - 1);
      for (const SliceTable& table : below.place.slices)
        reached = reached || (!table.at.empty() && table.at[point].bits <= below.node.capacity);
    }
    for (const SliceTable& table : place.slices) {
      if (reached && !table.at.empty()) most = std::max(most, table.at[point].bits);
    }
  }
  return most;
}

bool AllocationTables::always_fit() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
    double bits = 0;
    for (const Place& place : node.places) bits += most_at_start(place);
    return bits <= node.capacity;
  });
}

}  // namespace zz::core
