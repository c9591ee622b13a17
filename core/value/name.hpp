#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace zz::core {

/// An interned text: a field, a key, a metric, or a path through several of them, as
/// "accelerator.memories[l1].size". The same text has the same number for the whole process; 0 is no name.
/// Numbers of paths have the top bit set, so that a look-up knows without reading the text.
using Name = std::uint32_t;
inline constexpr Name path_bit = 1u << 31;

/// Interns; takes a lock and hashes, so do it once and keep the number. [any thread]
Name intern(std::string_view text);

/// The text of a name; lives as long as the process. "" for 0 and for numbers that were never given out.
std::string_view text_of(Name name);

/// The steps of a path; for any other name the name itself. "a.b[c.d][2]" has the steps a, b, c.d and 2:
/// between brackets everything counts as text, so a step may look like a path; it is never split further.
std::span<const Name> steps_of(Name name);

/// The number that the text of a step spells, as in memories[2], or -1.
std::int64_t index_of_step(Name step);

}  // namespace zz::core
