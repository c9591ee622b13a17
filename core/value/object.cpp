#include "core/value/object.hpp"

namespace zz::core {

void edit_object(const Type& type, EditSession& session, void* object, Steps steps, const Value* value,
                 const Where& where) {
  const Field* field = find_field(type, steps.front());
  if (field == nullptr) fail_no_such_part(where, {word_of(object), &type}, steps.front());
  const Where here{&where, field->name, -1, false};
  if (field->edit == nullptr) fail(here, ValueError::Problem::invalid, "is computed, cannot be set");
  field->edit(session, object, steps.subspan(1), value, here);
}

}  // namespace zz::core
