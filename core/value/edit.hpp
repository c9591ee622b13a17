#pragma once
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/value/name.hpp"
#include "core/value/value.hpp"

/// Changed copies and new objects. A value never changes: an edit copies the parts along its path and
/// shares everything else. Objects are checked after all edits of one call, like user input.
namespace zz::core {

/// Why a value cannot be read, made or changed.
class ValueError : public std::runtime_error {
 public:
  enum class Problem { missing, wrong_type, invalid };
  ValueError(Problem problem, const std::string& message)
      : std::runtime_error(message), problem_(problem) {}
  Problem problem() const { return problem_; }

 private:
  Problem problem_;
};

/// Sets the part at a name or path. Without a value it removes the part: a key of a map, a metric, an
/// element of a list, or a part that may be null.
struct Edit {
  Name at = 0;
  std::optional<Value> value;
};

/// A copy of `base` with the edits, made one after the other. Throws ValueError
/// ("accelerator.memories[l1].siz: no such part 'siz' (did you mean 'size'?)"), or InputError from the
/// check of an object.
Value with(const Value& base, std::span<const Edit> edits);

/// The same for one part. `root_name` names `base` in messages.
Value with_part(const Value& base, std::string_view root_name, std::span<const Name> steps,
                const std::optional<Value>& value);

/// A new object of the named type: default values, with the given parts set. Throws like with(), and
/// ValueError for an unknown type.
Value make_object(std::string_view type_name, std::span<const Edit> parts);

/// A value that owns a borrowed part: it shares what has a reference count and copies the rest. Throws
/// ValueError for a part that does not exist.
Value value_of_part(Ref part);

}  // namespace zz::core
