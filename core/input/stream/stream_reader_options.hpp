#pragma once

namespace zz::core {

/// How the readers of networks for several cores read.
struct StreamReaderOptions {
  /// As Stream 0.0.8 does, defects included (docs/deviations.md): height and width exchanged, mapping
  /// entries that are never found, channels counted twice in pooling.
  bool stream_compat = false;
};

}  // namespace zz::core
