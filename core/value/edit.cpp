#include "core/value/edit.hpp"

#include "core/base/nearest_name.hpp"
#include "core/value/edit_session.hpp"
#include "core/value/read.hpp"
#include "core/value/reflect.hpp"
#include "core/value/tree.hpp"

namespace zz::core {

namespace {

const Value* pointer_to(const std::optional<Value>& value) { return value ? &*value : nullptr; }

/// Messages about an object begin with its type; those about plain trees with the key.
Where root_of(const Value& base) { return {nullptr, type_name_of(base.ref()), -1, false}; }

void apply(EditSession& session, Value& base, std::span<const Edit> edits) {
  const Where root = root_of(base);
  const Kind kind = kind_of(base.ref());
  for (const Edit& edit : edits) {
    std::span<const Name> steps = steps_of(edit.at);
    const Edit* const whole = &edit;
    // An existing key of a map may look like a path.
    if (kind == Kind::map && base.ref().type->get(base.ref().word, edit.at).type) steps = {&whole->at, 1};
    session.edit(base, steps, pointer_to(edit.value), root);
  }
}

}  // namespace

Value with(const Value& base, std::span<const Edit> edits) {
  EditSession session;
  Value changed = base;
  apply(session, changed, edits);
  session.validate();
  return changed;
}

Value with_part(const Value& base, std::string_view root_name, std::span<const Name> steps,
                const std::optional<Value>& value) {
  EditSession session;
  Value changed = base;
  session.edit(changed, steps, pointer_to(value), Where{nullptr, root_name, -1, false});
  session.validate();
  return changed;
}

Value make_object(std::string_view type_name, std::span<const Edit> parts) {
  const Type* type = find_object_type(type_name);
  if (type == nullptr || type->create == nullptr) {
    std::vector<std::string> known;
    for (const Type* one : object_types())
      if (one->create) known.emplace_back(one->name);
    throw ValueError(ValueError::Problem::invalid,
                     "there is no type '" + std::string(type_name) + "'; " + suggestion(type_name, known));
  }
  std::shared_ptr<void> object = type->create();
  const Ref ref{word_of(object.get()), type};
  Value made(std::move(object), ref);
  EditSession session;
  session.made(made);
  apply(session, made, parts);
  std::vector<Name> given;
  for (const Edit& edit : parts) given.push_back(steps_of(edit.at).front());
  require_parts(*type, given, root_of(made));
  session.validate();
  return made;
}

Value value_of_part(Ref part) {
  if (part.type && part.type->share) return part.type->share(part.word);
  if (part.type == nullptr) throw ValueError(ValueError::Problem::missing, explain(part, Kind::none));
  if (part.type->clone == nullptr) return held_part(Value(), part);
  std::shared_ptr<void> copy = part.type->clone(part.word);
  const Ref ref{word_of(copy.get()), part.type};
  return Value(std::move(copy), ref);
}

}  // namespace zz::core
