#pragma once
#include <span>
#include <vector>

#include "core/value/type.hpp"
#include "core/value/where.hpp"

namespace zz::core {

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
