#pragma once
#include <cstdint>
#include <string_view>

#include "core/output/program/layer_program.hpp"

namespace zz::core {

/// The reason why an execution moves other words than the cost model counts. One cause each, by name:
///
/// * first sums: the first time that an element is summed up, nothing is there to be read; the cost model
///   charges this read with the others;
/// * padding: positions beside the tensor are counted in tiles that slide over its border;
/// * halo: rows that windows of several instances have in common are counted for each of them;
/// * remainder: where units do not divide their loop, an average portion is rounded up to words, or
/// portions
///   of sizes that follow from another operand have the most words that they can (UnevenPortions).
enum class MoveCause { none, first_sums, padding, halo, remainder };

std::string_view name_of(MoveCause cause);  ///< "first sums"

/// The work of a program at one port, in words of the port's least width, each portion rounded
/// up by itself. Worked out from the digits alone: nothing is executed, and no formula of the cost model is
/// used.
struct MovedWords {
  std::int64_t executed = 0;
  /// Accesses that the evaluation has beyond those executed; never negative.
  std::int64_t unexecuted = 0;
  MoveCause because = MoveCause::none;  ///< of what is unexecuted; none only where that is 0
};

/// [any thread]
MovedWords moved_words(const LayerProgram& program, const ProgramMove& move);

}  // namespace zz::core
