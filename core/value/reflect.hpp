#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/value/edit_session.hpp"
#include "core/value/read.hpp"
#include "core/value/type.hpp"

/// Makes C++ types readable and editable. Reflect<T> has for a T:
///
///   static Ref ref(const T&);        reads it
///   static std::string words();      names its type in documentation
///   static void edit(EditSession&, void* object, Steps, const Value*, const Where&);
///                                    sets a part of it, or removes the part when the value is nullptr
///   static void assign(EditSession&, T&, const Value&, const Where&);   sets it
///   static void remove(T&, const Where&);                               removes it, or fails
///
/// All but the first two throw ValueError with the position in the value (`where`) when they cannot.
/// This header has structs, which need only a table of fields (object.hpp), and includes scalars and
/// containers. A list whose elements are made when they are read has a Type of kind list with its own
/// `count` and `at`, and a specialisation of type_of.
namespace zz::core {

using Steps = std::span<const Name>;

/// Primary: a struct with a table, known by type_of<T>().
template <class T>
struct Reflect;

template <class T>
Ref reflect(const T& object) {
  return Reflect<T>::ref(object);
}

/// Sets or removes `part`, or a part of it when there are steps.
template <class T>
void edit_part(EditSession& session, T& part, Steps steps, const Value* value, const Where& where) {
  if (!steps.empty())
    Reflect<T>::edit(session, &part, steps, value, where);
  else if (value)
    Reflect<T>::assign(session, part, *value, where);
  else
    Reflect<T>::remove(part, where);
}

/// Index of the element of a list that a step means: its position or its label. Throws ValueError when
/// there is none.
std::size_t element_of_list(Ref list, Name step, const Where& where);

/// Throws ValueError naming the first required part of the type that is not among the names given.
void require_parts(const Type& type, std::span<const Name> given, const Where& where);

template <class T>
std::shared_ptr<void> clone_object(std::uint64_t word) {
  return std::make_shared<T>(object_at<T>(word));
}

/// A struct. Its table of fields, found by type_of, knows its parts.
template <class T>
struct Reflect {
  static Ref ref(const T& object) { return {word_of(&object), type_of<T>()}; }
  static std::string words() { return "`" + std::string(type_of<T>()->name) + "`"; }
  static void edit(EditSession& session, void* object, Steps steps, const Value* value,
                   const Where& where) {
    const Type& type = *type_of<T>();
    type.edit(session, object, steps, value, where);
  }
  static void assign(EditSession& session, T& target, const Value& value, const Where& where) {
    const Type& type = *type_of<T>();
    const Ref from = value.ref();
    if (from.type == &type) {
      target = *object_in<T>(from);
      return;
    }
    if (from.type->kind != Kind::map) {
      fail_expected(where, "an object of type '" + std::string(type.name) + "' or a map with its parts",
                    value);
    }
    T built{};
    std::vector<Name> given;
    for (std::uint32_t i = 0; i < count_of(from); ++i) {
      std::string_view key;
      const Value part = held_part(value, part_at(from, i, &key));
      const Name step = intern(key);
      type.edit(session, &built, Steps(&step, 1), &part, where);
      given.push_back(step);
    }
    require_parts(type, given, where);
    target = std::move(built);
  }
  static void remove(T&, const Where& where) {
    fail(where, ValueError::Problem::invalid, "cannot be removed");
  }
};

}  // namespace zz::core

// Specialisations must be known wherever the primary template is.
#include "core/value/detail/reflect_containers.hpp"
#include "core/value/detail/reflect_scalars.hpp"
