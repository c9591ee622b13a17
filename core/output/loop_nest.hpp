#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/text/text_buffer.hpp"

namespace zz::core {

/// Where the data of one layer operand is while the temporal loops run; one entry for each of them.
struct NestOperand {
  std::string operand;
  std::vector<std::string_view> memory;  ///< name of the memory; "" when the evaluation does not say
  std::vector<int> level;                ///< its level for the operand, 0 is the innermost; -1 when unknown
};

/// The loop nest of an evaluated mapping as people read it: outermost loop first, with the memory of each
/// operand beside each temporal loop. Names of memories live as long as the accelerator of the evaluation.
struct LoopNest {
  std::vector<TemporalLoop> temporal;
  std::vector<UnrolledLoop> spatial;  ///< whole factors, inside all temporal loops
  std::vector<NestOperand> operands;  ///< in the order of the layer's memory links
};

/// Without layer or mapping (a sum, a plugin's evaluation) the nest is empty. The memories are those of the
/// form that the cost model uses.
LoopNest loop_nest(const Evaluation& evaluation);

/// Appends "for K in [0, 16)".
void append_text(const TemporalLoop& loop, TextBuffer& out);
/// Appends "parfor C in [0, 3)".
void append_text(const UnrolledLoop& loop, TextBuffer& out);

}  // namespace zz::core
