#pragma once
#include <filesystem>
#include <string>

namespace zz::test {

/// Folder of the recorded inputs and results of ZigZag; it stands beside the source tree, or is absent.
inline std::filesystem::path oracle_path() {
  return std::filesystem::path(ZZ_SOURCE_DIR).parent_path() / "shared" / "oracle" / "zigzag";
}

}  // namespace zz::test
