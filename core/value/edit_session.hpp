#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/value/edit.hpp"
#include "core/value/type.hpp"

namespace zz::core {

/// Where an edit has got to: a chain on the stack, turned into text only when something fails.
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
[[noreturn]] void fail_no_such_part(const Where& container_place, Ref container, Name step);

/// The edits of one call. Remembers which objects were copied for it, so that several edits of the same
/// object copy it once, and checks those objects when all edits are in.
class EditSession {
 public:
  /// The object behind `value`, ready to be changed: `value` is replaced by a copy unless this session made
  /// it. Fails when its type cannot be changed.
  void* writable(Value& value, const Where& where);
  /// Remembers an object that this session has built and handed out as `value`.
  void made(const Value& value) { fresh_.push_back(value); }
  /// Edits `value`: the whole of it when no steps are left.
  void edit(Value& value, std::span<const Name> steps, const Value* replacement, const Where& where);
  /// Lets every object that was made or changed check itself.
  void validate() const;

 private:
  std::vector<Value> fresh_;
};

}  // namespace zz::core
