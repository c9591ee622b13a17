#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/value/name.hpp"
#include "core/value/value.hpp"

/// Reading values without knowing their C++ types. Nothing here allocates or throws, but for `to_json` and
/// `explain`. Every function accepts a reference to a part that does not exist. [any thread]
namespace zz::core {

Kind kind_of(Ref ref);
std::string_view type_name_of(Ref ref);  ///< "layer"; empty unless it is an object

bool read_i64(Ref ref, std::int64_t& out);  ///< booleans as 0 and 1, doubles when integral and in range
bool read_f64(Ref ref, double& out);        ///< integers convert
bool read_text(Ref ref, std::string_view& out);

std::uint32_t count_of(Ref ref);  ///< parts of a list, map or object; else 0
Ref part_at(Ref ref, std::uint32_t index, std::string_view* key = nullptr);
/// The part at a name or path. One step finds a field of an object, a key of a map, and in a list the
/// element with that index or that name ("l1", an operand, a dimension). Missing parts carry the name that
/// was asked for.
Ref part(Ref ref, Name name_or_path);

/// A value for a part of `root` that may outlive it: shares the part's own owner, else the root's.
Value held_part(const Value& root, Ref part);

/// Shortest text that reads back as the same double; integral ones end in ".0". Not a number and the
/// infinities become null, as JSON has no words for them.
std::string to_json(Ref ref);

/// "expected a number, found text 'abc'" or "'siz' is not there"; `wanted` Kind::none asks only why it is
/// missing.
std::string explain(Ref ref, Kind wanted);
/// What a reference shows, in words: "the number 3", "a list of 2", "an accelerator".
std::string describe(Ref ref);

}  // namespace zz::core
