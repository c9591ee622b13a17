#pragma once
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/search/optimal/label_search.hpp"
#include "core/search/optimal/latency_figure.hpp"
#include "core/search/optimal/remaining_cost.hpp"
#include "core/search/optimal/remaining_in_one_order.hpp"
#include "core/search/optimal/rooms.hpp"
#include "core/search/optimal/search_problem.hpp"

namespace zz::core {

/// The least that is left to pay, by ending. Most endings share it for most operands.
class RemainingAtEndings {
 public:
  /// `costs`: the same each time.
  RemainingCost at(const SearchProblem& problem, const LatencyCosts& costs, const Ending& ending) {
    const LinkCosts least = costs.least_costs(ending);
    RemainingCost::Operands operands;
    for (int operand = 0; operand < problem.space.operands(); ++operand) {
      auto& known = known_[operand][ending[operand]];
      if (!known)
        known = std::make_shared<const RemainingOfOperand>(problem.space, problem.fit, least, operand);
      operands[operand] = known;
    }
    return RemainingCost(std::move(operands));
  }

 private:
  /// [operand][links closed at the end]
  std::array<std::array<std::shared_ptr<const RemainingOfOperand>, max_memory_levels>, max_operands> known_;
};

/// What searches among mappings with one ending share.
struct EndingTables {
  EndingTables(LinkCosts ending_costs, RemainingCost ending_remaining, std::size_t& bytes_in_one_order)
      : costs(std::move(ending_costs)), remaining(std::move(ending_remaining)), bytes(bytes_in_one_order) {}
  EndingTables(const EndingTables&) = delete;
  ~EndingTables() {
    if (in_one_order) bytes -= in_one_order->memory_bytes();
  }
  void keep_to(const SearchProblem& problem, const Rooms& rooms, std::vector<WeighedFamilies> sums) {
    in_one_order = std::make_unique<const RemainingInOneOrder>(problem.space, problem.fit, rooms, costs,
                                                               std::move(sums));
    bytes += in_one_order->memory_bytes();
  }
  LinkCosts costs;
  RemainingCost remaining;
  std::unique_ptr<const RemainingInOneOrder> in_one_order = {};
  std::size_t& bytes;  ///< of all such tables
};

/// A search among mappings that end alike and stall for a range of cycles.
struct LatencyPartSearch {
  LatencyPartSearch(const SearchProblem& problem, const EndingTables& tables, const LatencyFigure& given,
                    const SingleBufferCost* single_buffer, bool keep_all, const FirstClasses& first,
                    const Rooms* rooms)
      : figure(given),
        labels(problem.space, problem.fit, tables.costs, tables.remaining, figure, single_buffer, keep_all,
               first, tables.in_one_order.get(), rooms) {}

  LatencyFigure figure;
  LabelSearch labels;
  double least_figure = std::numeric_limits<double>::infinity();  ///< of the mappings found
  int mappings = 0;
  bool hastened = false, asked_classes = false;
};

/// Mappings that one bound is for. The search takes parts by their bounds, and splits those it cannot
/// decide.
struct LatencyPart {
  Ending ending;
  StallRange stalls;
  double bound;
  std::shared_ptr<const LoadingAtEnding> loading;
  std::shared_ptr<const EndingTables> tables = {};  ///< once needed
  std::shared_ptr<const Rooms> rooms = {};          ///< where energy is traded against latency
  std::vector<WeighedFamilies> mixtures = {};       ///< sums of two ports each, for tables in one order
  HidingAtPorts hiding = {};
  FirstClasses first = {};                         ///< of all its mappings, where it matters
  bool with_classes = false;                       ///< LatencyFigure
  bool keep_all = false;                           ///< LabelSearch
  bool must_stall = false;                         ///< so that it counts how long mappings stall at most
  std::shared_ptr<LatencyPartSearch> search = {};  ///< once begun
  bool operator<(const LatencyPart& other) const { return bound > other.bound; }
};

}  // namespace zz::core
