#pragma once
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/optimum/label_search.hpp"
#include "core/optimum/latency_figure.hpp"
#include "core/optimum/remaining_cost.hpp"
#include "core/optimum/remaining_in_one_order.hpp"
#include "core/optimum/rooms.hpp"
#include "core/optimum/search_problem.hpp"

namespace zz::core {

/// What searches among mappings with one ending share.
struct EndingTables {
  EndingTables(const SearchProblem& problem, const LatencyCosts& given, const Ending& ending,
               std::size_t& bytes_in_one_order)
      : costs(given.costs(ending)),
        remaining(problem.space, problem.fit, given.least_costs(ending)),
        bytes(bytes_in_one_order) {}
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
  HidingAtPorts hiding = {};
  FirstClasses first = {};                         ///< of all its mappings, where it matters
  bool with_classes = false;                       ///< LatencyFigure
  bool keep_all = false;                           ///< LabelSearch
  bool must_stall = false;                         ///< so that it counts how long mappings stall at most
  std::shared_ptr<LatencyPartSearch> search = {};  ///< once begun
  bool operator<(const LatencyPart& other) const { return bound > other.bound; }
};

}  // namespace zz::core
