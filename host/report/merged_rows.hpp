#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace zz::host {

/// A row of a table that stands for one layer, or for several that are alike.
struct MergedRow {
  std::size_t first = 0;  ///< the place of the first of its layers
  std::string name;       ///< "block1/conv", "Loop/MatMul (x 32)"
};

/// A layer as tables see it.
struct TableLayer {
  std::string name;
  std::vector<std::string> cells;  ///< all that tells it from others
};

/// The rows of the layers of a network. Iterations of a loop that differ in the name alone have one row
/// with their number. So have all layers with equal cells where there are many, as those of repeated
/// blocks.
std::vector<MergedRow> merged_rows(const std::vector<TableLayer>& layers);

}  // namespace zz::host
