#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/value/name.hpp"
#include "core/value/type.hpp"
#include "core/value/value.hpp"

/// A reference to a missing part holds the name asked for, the step of a path that was not found, and the
/// kind and type of the container. Look-ups write it; explain() makes a message of it.
namespace zz::core {

struct MissingPart {
  Name asked = 0;                     ///< name or path
  std::uint32_t step = 0;             ///< the step of the path that was not found
  Kind container = Kind::none;        ///< in what; none: not known
  const Type* object_type = nullptr;  ///< of an object
};

namespace missing_part {
// Upper half of the word: 24 bits of the type's address, 4 of the kind, 4 of the step.
inline constexpr std::uint32_t last_step = 15;
inline std::uint64_t bits_of(const Type& type) { return (word_of(&type) >> 3 & 0xFFFFFF) << 40; }
}  // namespace missing_part

/// A part of that name, looked for in a container of that type.
inline Ref missing_in(const Type& container, Name name) {
  const auto kind = static_cast<std::uint64_t>(container.kind) << 36;
  return {(container.kind == Kind::object ? missing_part::bits_of(container) : 0) | kind | name, nullptr};
}

/// A missing part on a path whose step with this number was not found.
inline Ref missing_on_path(Ref missing, Name path, std::uint32_t step) {
  const std::uint64_t where = missing.word & ~std::uint64_t{0xF'FFFFFFFF};
  return {where | std::uint64_t{std::min(step, missing_part::last_step)} << 32 | path, nullptr};
}

inline MissingPart what_is_missing(Ref missing) {
  MissingPart part;
  part.asked = static_cast<Name>(missing.word);
  part.step = static_cast<std::uint32_t>(missing.word >> 32 & 0xF);
  part.container = static_cast<Kind>(missing.word >> 36 & 0xF);
  if (part.container != Kind::object) return part;
  for (const Type* type : object_types()) {
    if (missing_part::bits_of(*type) == (missing.word >> 40 << 40)) part.object_type = type;
  }
  return part;
}

}  // namespace zz::core

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
