#pragma once

namespace zz::core {

/// How input files are read.
struct ReaderOptions {
  /// Read as ZigZag 3.8.5 does, defects included (docs/deviations.md): "*" entries of a temporal
  /// ordering are dropped, and partial tiles with dilation are over-counted.
  bool zigzag_compat = false;
};

}  // namespace zz::core
