#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// The memories of one layer operand while the temporal loops run; one entry for each of them.
struct NestOperand {
  std::string operand;
  std::vector<std::string_view> memory;  ///< name of the memory; "" when the evaluation does not say
  std::vector<int> level;                ///< its level for the operand, 0 is the innermost; -1 when unknown
};

/// The loop nest of an evaluated mapping as people read it: outermost loop first, with the memory of each
/// operand beside each temporal loop. Names of memories live as long as the accelerator of the evaluation.
struct LoopNest {
  std::vector<TemporalLoop> temporal;
  /// Rounds of the last tile below each temporal loop, where they are fewer than those of the others; else
  /// 0.
  std::vector<std::int64_t> last_tile;
  std::vector<UnrolledLoop> spatial;  ///< whole factors, inside all temporal loops
  std::vector<NestOperand> operands;  ///< in the order of the layer's memory links
};

/// Without layer or mapping (a sum, a plugin's evaluation) the nest is empty. The memories are those of the
/// form that the cost model uses.
LoopNest loop_nest(const Evaluation& evaluation);

/// A temporal loop: "for K in [0, 16)", or "for D in [0, 4), the last of 47".
std::string loop_text(const LoopNest& nest, std::size_t loop);
std::string loop_text(const UnrolledLoop& loop);  ///< "parfor C in [0, 3)"

/// The loop nest as text, in the layout of ZigZag's loop_ordering.txt, with an empty line at the end. A
/// layer that is unrolled completely has no temporal loop; a sum has no listing ("").
std::string loop_listing(const Evaluation& evaluation);

}  // namespace zz::core
