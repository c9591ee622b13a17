#include "core/search/optimal/latency_at_least.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zz::core {
namespace {

constexpr auto none = OperandLatency::none;
constexpr auto shared = OperandLatency::shared;
constexpr auto all = OperandLatency::all;

}  // namespace

double LatencyAtLeast::of(double iterations, const std::vector<const OperandLatency*>& operands) const {
  double least = std::numeric_limits<double>::infinity();
  Endings endings;
  const auto end = [&](const auto& next, std::size_t operand) -> void {
    if (operand == operands.size()) {
      least = std::min(least, at(endings, iterations));
      return;
    }
    for (const OperandLatency::Ending& ending : operands[operand]->endings) {
      if (!ending.possible) continue;
      endings.push_back(&ending);
      next(next, operand + 1);
      endings.pop_back();
    }
  };
  end(end, 0);
  return least;
}

double LatencyAtLeast::at(const Endings& endings, double iterations) const {
  const double computation = iterations * cycles_per_operation_;
  const double busy = std::ceil(computation);
  const double windows = iterations * std::ceil(cycles_per_operation_);
  const auto sum = [&](const auto& of) {
    double total = 0;
    for (std::size_t operand = 0; operand < endings.size(); ++operand)
      total += of(*endings[operand], operand);
    return total;
  };
  double stalls = 0;
  for (std::size_t port = 0; port < widths_.size(); ++port) {
    const auto total = [&](double OperandLatency::OnPort::*figure) {
      return sum([&](const auto& ending, std::size_t) { return ending.ports[port].*figure; });
    };
    stalls = std::max(
        {stalls, total(&OperandLatency::OnPort::stalls), total(&OperandLatency::OnPort::load) - windows});
  }
  const auto counted = [&](const Ways& ways) {
    const double waiting =
        sum([&](const auto& ending, std::size_t operand) { return ending.waiting[ways[operand]]; });
    double longest = stalls + waiting;
    for (std::size_t index = 0; index < widths_.size(); ++index) {
      const auto on_port = [&](const auto& figure) {
        return sum([&](const auto& ending, std::size_t operand) {
          return (ending.ports[index].*figure)[ways[operand]];
        });
      };
      const double together = std::max(on_port(&OperandLatency::OnPort::load_and_waiting) - windows,
                                       on_port(&OperandLatency::OnPort::stalls_and_waiting));
      const double once = on_port(&OperandLatency::OnPort::once);
      const double floor = on_port(&OperandLatency::OnPort::floor);
      const double required =
          sum([&](const auto& ending, std::size_t) { return ending.ports[index].required; });
      const double needed =
          uses_spare_cycles_ ? std::min(1.0, widths_[index] > 0 ? required / widths_[index] : 1.0) : 1.0;
      // Stalls and waiting are no less than both of these, and what is not hidden comes on top.
      const double least = std::max(stalls + waiting, together);
      longest = std::max(longest, least + floor);
      const double hidden_in_computation = (1 - needed) * busy;
      longest = std::max({longest, stalls + waiting + once - hidden_in_computation - (1 - needed) * stalls,
                          needed * least + once - hidden_in_computation});
    }
    return longest;
  };
  double waited = counted({all, all, none});
  if (endings.size() == 3) {
    waited = std::max({waited, counted({all, none, all}),
                       std::min(counted({all, shared, all}), counted({all, all, shared}))});
  }
  return computation + waited;
}

}  // namespace zz::core
