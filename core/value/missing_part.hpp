#pragma once
#include <algorithm>
#include <cstdint>

#include "core/value/type.hpp"

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
