#include "core/input/transformer/detail/expert_load.hpp"

#include <algorithm>
#include <cmath>

namespace zz::core {

double expected_experts(std::int64_t count, std::int64_t chosen, std::int64_t tokens) {
  const auto all = static_cast<double>(count);
  const double passed_over = 1 - static_cast<double>(chosen) / all;  // one expert by one token
  return all * (1 - std::pow(passed_over, static_cast<double>(tokens)));
}

ExpertLoad expert_load(std::int64_t count, std::int64_t chosen, std::int64_t tokens) {
  // Rounding cannot leave the range of what is possible.
  const auto expected = static_cast<std::int64_t>(std::llround(expected_experts(count, chosen, tokens)));
  const std::int64_t experts = std::clamp(expected, chosen, count);
  const std::int64_t pairs = tokens * chosen;
  return {experts, pairs / experts, pairs % experts};
}

}  // namespace zz::core
