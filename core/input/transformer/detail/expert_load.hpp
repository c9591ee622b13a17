#pragma once
#include <cstdint>

namespace zz::core {

/// How many tokens go to how many experts.
struct ExpertLoad {
  std::int64_t experts = 0;        ///< that are needed
  std::int64_t tokens = 0;         ///< of each but some
  std::int64_t with_one_more = 0;  ///< experts that get one more than `tokens`
};

/// The number of experts that `tokens` tokens need on average when each takes `chosen` different ones of
/// `count` by chance: count * (1 - (1 - chosen / count)^tokens).
double expected_experts(std::int64_t count, std::int64_t chosen, std::int64_t tokens);

/// The load of that number of experts, rounded; all tokens times `chosen` are shared out as evenly as can
/// be.
ExpertLoad expert_load(std::int64_t count, std::int64_t chosen, std::int64_t tokens);

}  // namespace zz::core
