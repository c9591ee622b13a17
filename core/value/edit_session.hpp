#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/value/edit.hpp"
#include "core/value/type.hpp"

namespace zz::core {

/// The position of an edit within a value: a chain of steps on the stack. It becomes text only when
/// something fails.
struct Where {
  const Where* parent = nullptr;
  std::string_view step;    ///< field, key or label
  std::int64_t index = -1;  ///< of an element of a list, when it has no label
  bool element = false;     ///< written in brackets

  std::string text() const;
};

[[noreturn]] void fail(const Where& where, ValueError::Problem problem, const std::string& message);
/// "accelerator.memories[l1].size: expected a number, found text 'abc'"
[[noreturn]] void fail_expected(const Where& where, std::string_view expected, const Value& found);
/// "<above>.siz: no such part 'siz' (did you mean 'size'?)"; `container` gives the known names.
[[noreturn]] void fail_no_such_part(const Where& above, Ref container, Name step);

/// The edits of one call. It remembers the objects that it copied, so that several edits of one object copy
/// it once. When all edits are made, it checks these objects.
class EditSession {
 public:
  /// The object behind `value`, for changes. `value` becomes a copy unless this session made it. Throws
  /// ValueError when objects of its type cannot change.
  void* writable(Value& value, const Where& where);
  /// Remembers an object that was built for this session.
  void made(const Value& value) { fresh_.push_back(value); }
  /// Edits the part of `value` at `steps`, or all of it when there are none. A null `replacement` removes.
  void edit(Value& value, std::span<const Name> steps, const Value* replacement, const Where& where);
  /// Checks every object that was made or changed. Throws ValueError or InputError, in one line.
  void validate() const;

 private:
  std::vector<Value> fresh_;
};

}  // namespace zz::core
