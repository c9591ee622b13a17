#include "core/cost/cost_parts.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <tuple>

#include "core/cost/evaluation.hpp"

namespace zz::core {
namespace {

// Columns that differ most often come first.
auto texts_of(const LatencyPart& part) {
  return std::tie(part.cause, part.port, part.operand, part.direction, part.memory, part.because,
                  part.behind, part.loop, part.array_dimension);
}
auto texts_of(const EnergyPart& part) {
  return std::tie(part.memory, part.direction, part.operand, part.because);
}

template <class Part>
void add_rows(std::vector<Part>& sum, std::span<const Part> more,
              std::initializer_list<double Part::*> amounts) {
  for (const Part& part : more) {
    const auto same = std::find_if(sum.begin(), sum.end(),
                                   [&](const Part& one) { return texts_of(one) == texts_of(part); });
    if (same == sum.end()) {
      sum.push_back(part);
      continue;
    }
    for (double Part::*const amount : amounts) (*same).*amount += part.*amount;
  }
}

}  // namespace

std::string LatencyPart::limiter() const {
  if (!behind.empty()) return behind;
  if (!port.empty()) return memory + "." + port;
  if (!memory.empty()) return memory;
  return cause == "ideal" ? "units" : cause == "drain" ? "drain" : "array";
}

void add_parts(std::vector<LatencyPart>& sum, std::span<const LatencyPart> more) {
  add_rows(sum, more, {&LatencyPart::cycles});
}
void add_parts(std::vector<EnergyPart>& sum, std::span<const EnergyPart> more) {
  add_rows(sum, more, {&EnergyPart::pJ, &EnergyPart::low, &EnergyPart::high});
}

std::optional<EnergyRange> energy_range(const Evaluation& evaluation) {
  double sum = 0;
  EnergyRange range{0, 0};
  for (const EnergyPart& part : evaluation.energy_parts) {
    sum += part.pJ;
    range = {range.low + part.low, range.high + part.high};
  }
  constexpr double rounding = 1e-6;
  if (std::abs(sum - evaluation.energy_total) > rounding * evaluation.energy_total) return std::nullopt;
  return range.low < range.high ? std::optional(range) : std::nullopt;
}

std::vector<Limit> limits_of(const Evaluation& evaluation) {
  std::vector<Limit> limits;
  double unknown = evaluation.latency_total2;
  for (const LatencyPart& part : evaluation.latency_parts) {
    unknown -= part.cycles;
    std::string limiter = part.limiter();
    const auto same = std::find_if(limits.begin(), limits.end(),
                                   [&](const Limit& limit) { return limit.limiter == limiter; });
    if (same == limits.end())
      limits.push_back({std::move(limiter), part.cycles});
    else
      same->cycles += part.cycles;
  }
  constexpr double rounding = 1e-9;
  if (std::abs(unknown) > rounding * std::abs(evaluation.latency_total2)) limits.push_back({"", unknown});
  std::stable_sort(limits.begin(), limits.end(),
                   [](const Limit& a, const Limit& b) { return a.cycles > b.cycles; });
  return limits;
}

std::string limited_by(const Evaluation& evaluation) {
  const std::vector<Limit> limits = limits_of(evaluation);
  return limits.empty() ? "" : limits.front().limiter;
}

}  // namespace zz::core
