#pragma once
#include <string>

namespace zz::plugins {

/// The words of the setting `compat`, which every stage that can reproduce a defect has.
inline constexpr const char* compat_doc =
    "with \"zigzag-3.8.5\" the defects of that version are reproduced bit for bit (docs/deviations.md); "
    "empty for corrected figures";
inline constexpr const char* compat_allowed = "|zigzag-3.8.5";

inline bool is_zigzag(const std::string& compat) { return !compat.empty(); }

}  // namespace zz::plugins
