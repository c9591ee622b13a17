#pragma once
namespace zz::plugins {

/// The words of the setting `compat`, which every stage that can reproduce a defect has.
inline constexpr const char* compat_doc =
    "with \"zigzag-3.8.5\" the defects of that version are reproduced bit for bit, with \"stream-0.0.8\" "
    "those of Stream 0.0.8 and of the ZigZag 3.6.1 that it is built on (docs/deviations.md); empty for "
    "corrected figures";
inline constexpr const char* compat_allowed = "|zigzag-3.8.5|stream-0.0.8";

}  // namespace zz::plugins
