#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace zz::core {

/// An interned text: a field, a key, a metric, or a path of several, as "accelerator.memories[l1].size".
/// A text has one number for the whole process; 0 is no name. Numbers of paths have the top bit set, so
/// that a look-up need not read the text.
using Name = std::uint32_t;
inline constexpr Name path_bit = 1u << 31;

/// Interns a text. It hashes and takes a lock, so keep the number. [any]
Name intern(std::string_view text);

/// The text of a name, valid for the life of the process; "" for 0 and for unknown numbers. [any]
std::string_view text_of(Name name);

/// The steps of a path, or the name itself. "a.b[c.d][2]" has the steps a, b, c.d and 2: the text between
/// brackets is one step, even when it looks like a path.
std::span<const Name> steps_of(Name name);

/// The number that the text of a step spells, as in memories[2], or -1.
std::int64_t index_of_step(Name step);

}  // namespace zz::core
