#pragma once
#include "core/value/reflect.hpp"

/// Tables of fields:
///
///   constexpr Field fields[] = {
///       field<&Memory::size>("size", "bit", "Capacity of one instance."),
///       derived<Accelerator>("unit_count", "", "Number of units.", [](const Accelerator& a) { return ...;
///       })};
///   FieldIndex index;
///   constexpr Type type = object_type<Memory>("memory", "A memory of ...", fields, index, "name");
///   template <> const Type* type_of<Memory>() { return &type; }
///
/// A derived field follows from others and is not stored. Its function has no captures. It returns a
/// number, a truth value, or a reference that is valid as long as the object.
namespace zz::core {

namespace detail {
template <class T, class Part>
T owner_of(Part T::*);
}

template <auto member>
constexpr Field field(const char* name, const char* unit, const char* doc) {
  using T = decltype(detail::owner_of(member));
  return {name,
          unit,
          doc,
          [](const void* object) { return reflect(static_cast<const T*>(object)->*member); },
          [](EditSession& session, void* object, Steps steps, const Value* value, const Where& where) {
            edit_part(session, static_cast<T*>(object)->*member, steps, value, where);
          },
          [] { return Reflect<std::remove_cvref_t<decltype(std::declval<T>().*member)>>::words(); }};
}

/// A field without which no object can be made.
template <auto member>
constexpr Field required_field(const char* name, const char* unit, const char* doc) {
  Field made = field<member>(name, unit, doc);
  made.required = true;
  return made;
}

/// A number, list or object that came later than stores and files that know the object: while it, or the
/// first number of the object, is 0 or empty no text has it.
template <auto member>
constexpr Field sparse_field(const char* name, const char* unit, const char* doc) {
  Field made = field<member>(name, unit, doc);
  made.sparse = true;
  return made;
}

/// A field that had another name, as files of before have it.
constexpr Field formerly(const char* name, Field field) {
  field.former = name;
  return field;
}

/// nullptr for functions that return a reference: the type is then unknown.
template <class Result>
constexpr auto words_of_result() -> std::string (*)() {
  if constexpr (std::is_same_v<Result, Ref>)
    return nullptr;
  else
    return [] { return Reflect<std::remove_cvref_t<Result>>::words(); };
}

template <class T, class Function>
constexpr Field derived(const char* name, const char* unit, const char* doc, Function) {
  return {name,
          unit,
          doc,
          [](const void* object) -> Ref {
            using Result = std::invoke_result_t<Function, const T&>;
            if constexpr (std::is_same_v<Result, Ref>)
              return Function{}(*static_cast<const T*>(object));
            else
              return reflect<std::remove_cvref_t<Result>>(Function{}(*static_cast<const T*>(object)));
          },
          nullptr,
          words_of_result<std::invoke_result_t<Function, const T&>>()};
}

/// Edits a field of an object by its table.
void edit_object(const Type& type, EditSession& session, void* object, Steps steps, const Value* value,
                 const Where& where);

template <class T>
constexpr Type object_type(const char* name, const char* doc, std::span<const Field> fields,
                           FieldIndex& index, const char* label = "",
                           void (*validate)(const void*) = nullptr) {
  return {
      .kind = Kind::object,
      .name = name,
      .doc = doc,
      .fields = fields,
      .label = label,
      .create = []() -> std::shared_ptr<void> { return std::make_shared<T>(); },
      .clone = clone_object<T>,
      .edit = [](EditSession& session, void* object, Steps steps, const Value* value,
                 const Where& where) { edit_object(*type_of<T>(), session, object, steps, value, where); },
      .validate = validate,
      .index = &index};
}

}  // namespace zz::core
