#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugins/other_tools/einsum_layer.hpp"

namespace zz::plugins {

// The texts in AccelForge's Einsums. All throw InputError without a place for what they cannot read.

/// An axis of a tensor: its rank, "P0", and the sum of loops by which it is indexed, in upper case.
struct RankIndex {
  std::string rank;
  std::vector<IndexTerm> terms;
};

struct TensorText {
  std::string name;
  std::vector<RankIndex> axes;
};

struct EinsumText {
  TensorText output;
  std::vector<TensorText> inputs;
};

/// "m", or "H: 4 * p + r".
RankIndex rank_index_of(const std::string& text);
/// "4 * p + r".
RankIndex rank_index_of(const std::string& rank, const std::string& index);

/// "Z[m, n] = A[m, k] * B[k, n]".
EinsumText einsum_text_of(const std::string& text);

/// A loop below a number.
struct LoopBound {
  std::string loop;
  std::int64_t size = 1;
};

/// "0 <= m < 128", several with "and" between them.
std::vector<LoopBound> loop_bounds_of(const std::string& text);

}  // namespace zz::plugins
