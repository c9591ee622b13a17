#pragma once
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/value/name.hpp"
#include "core/value/value.hpp"

/// Changed copies and new objects. A value is never changed in place: along the path of an edit parts are
/// copied, everything else is shared. Objects are checked after all edits of one call, as user input would
/// be.
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

/// Sets the part at a name or path; without a value the part goes away (keys of maps, metrics, elements of
/// lists, and parts that may be null).
struct Edit {
  Name at = 0;
  std::optional<Value> value;
};

/// A copy of `base` with the edits made in turn. Throws ValueError ("accelerator.memories[l1].siz: no such
/// part 'siz' (did you mean 'size'?)") or InputError (what an object's own check says).
Value with(const Value& base, std::span<const Edit> edits);

/// The same for one part below `root_name`, which only appears in messages. Used by contexts.
Value with_part(const Value& base, std::string_view root_name, std::span<const Name> steps,
                const std::optional<Value>& value);

/// A new object of a type by its name, from default values and the given parts. Throws as `with`, and
/// ValueError for an unknown type.
Value make_object(std::string_view type_name, std::span<const Edit> parts);

/// A value of its own for a part that is only borrowed: shares what is held by a count of its own, copies
/// the rest. Throws ValueError for a part that does not exist.
Value value_of_part(Ref part);

}  // namespace zz::core
