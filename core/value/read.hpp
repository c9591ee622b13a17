#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/value/name.hpp"
#include "core/value/value.hpp"

/// Reads values without knowing their C++ types. Only functions that return a std::string allocate. Every
/// function accepts a reference to a part that does not exist. [any]
namespace zz::core {

Kind kind_of(Ref ref);
std::string_view type_name_of(Ref ref);  ///< "layer"; empty unless it is an object

bool read_i64(Ref ref, std::int64_t& out);  ///< booleans as 0 and 1, doubles when integral and in range
bool read_f64(Ref ref, double& out);        ///< integers convert
bool read_text(Ref ref, std::string_view& out);

std::uint32_t count_of(Ref ref);  ///< parts of a list, map or object; else 0
Ref part_at(Ref ref, std::uint32_t index, std::string_view* key = nullptr);
/// The part at a name or path. A step names a field of an object or a key of a map; in a list, the index or
/// the name of an element ("l1", an operand, a dimension). A missing part carries the name asked for.
Ref part(Ref ref, Name name_or_path);

/// A value for a part of `root`, which may outlive `root`. It shares the owner of the part, if the part has
/// one, else the owner of `root`.
Value held_part(const Value& root, Ref part);

/// The value as JSON. Numbers are the shortest text that reads back as the same double; integral doubles
/// end in ".0". NaN and the infinities become null, because JSON lacks them.
std::string to_json(Ref ref);

/// Why `ref` cannot be read as `wanted`: "expected a number, found text 'abc'". With Kind::none, why it is
/// missing: "'siz' is not there".
std::string explain(Ref ref, Kind wanted);
/// The value in words: "the number 3", "a list of 2", "an accelerator".
std::string describe(Ref ref);

}  // namespace zz::core
