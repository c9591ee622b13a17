#pragma once
#include <array>
#include <cstdint>

#include "core/cost/cost_tables.hpp"

namespace zz::core {

/// Splits each partially relevant loop into a relevant and an irrelevant one: a loop that makes a window
/// slide over the input brings some new positions and repeats others. To be fed with the loops of one
/// operand from the innermost outwards. (ZigZag, IEEE TC 2021, "pr loops".)
class Decoupling {
 public:
  explicit Decoupling(const CostTables& tables) : tables_(tables) {
    for (std::size_t i = 0; i < tables.windows.size(); ++i) state_[i] = State{};
  }

  struct Split {
    double relevant;
    double irrelevant;
  };

  Split split(int dimension, double factor) {
    const int index = tables_.window_of_loop[dimension];
    const Window& window = tables_.windows[index];
    State& state = state_[index];
    (dimension == window.output_loop ? state.output_loop : state.filter_loop) *= factor;
    const double positions = window.positions.average(state.output_loop, state.filter_loop);
    const double repeats = state.output_loop * state.filter_loop / positions;
    const Split result{positions / state.positions, repeats / state.repeats};
    state.positions = positions;
    state.repeats = repeats;
    return result;
  }

 private:
  struct State {
    double output_loop = 1, filter_loop = 1;  ///< iterations so far
    double positions = 1, repeats = 1;
  };
  const CostTables& tables_;
  std::array<State, max_loop_dimensions / 2> state_;
};

}  // namespace zz::core
