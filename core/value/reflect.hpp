#pragma once
#include <array>
#include <bit>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
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
/// Structs need only a table of fields (object.hpp); scalars and containers follow below. A list whose
/// elements are made when they are read has a Type of kind list with its own `count` and `at`, and a
/// specialisation of type_of.
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

// Truth values, numbers, texts and enumerations. Specialisations must be known wherever the primary
// template is.

/// A type without parts that cannot be removed.
template <class T>
struct ReflectScalar {
  static void edit(EditSession&, void* object, Steps steps, const Value*, const Where& where) {
    fail_no_such_part(where, reflect(*static_cast<const T*>(object)), steps.front());
  }
  static void remove(T&, const Where& where) {
    fail(where, ValueError::Problem::invalid, "cannot be removed");
  }
};

template <>
struct Reflect<bool> : ReflectScalar<bool> {
  static Ref ref(bool value) { return {value, &boolean_type}; }
  static std::string words() { return "true or false"; }
  static void assign(EditSession&, bool& target, const Value& value, const Where& where) {
    if (kind_of(value.ref()) != Kind::boolean) fail_expected(where, "true or false", value);
    target = value.ref().word != 0;
  }
};

template <std::integral T>
requires(std::is_signed_v<T> || sizeof(T) < sizeof(std::int64_t)) struct Reflect<T> : ReflectScalar<T> {
  static Ref ref(T value) {
    return {static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), &integer_type};
  }
  static std::string words() { return "integer"; }
  static void assign(EditSession&, T& target, const Value& value, const Where& where) {
    std::int64_t number = 0;
    if (kind_of(value.ref()) == Kind::boolean || !read_i64(value.ref(), number) ||
        !std::in_range<T>(number))
      fail_expected(where, "an integer", value);
    target = static_cast<T>(number);
  }
};

template <>
struct Reflect<double> : ReflectScalar<double> {
  static Ref ref(double value) { return {std::bit_cast<std::uint64_t>(value), &number_type}; }
  static std::string words() { return "number"; }
  static void assign(EditSession&, double& target, const Value& value, const Where& where) {
    if (!read_f64(value.ref(), target)) fail_expected(where, "a number", value);
  }
};

template <>
struct Reflect<std::string> : ReflectScalar<std::string> {
  static Ref ref(const std::string& value) { return {word_of(&value), &string_type}; }
  static std::string words() { return "text"; }
  static void assign(EditSession&, std::string& target, const Value& value, const Where& where) {
    std::string_view text;
    if (!read_text(value.ref(), text)) fail_expected(where, "a text", value);
    target = text;
  }
};

/// The names of the values of an enumeration, in order from 0. Specialised in core/schema.
template <class Enum>
struct EnumNames;

template <class T>
requires std::is_enum_v<T>
struct Reflect<T> : ReflectScalar<T> {
  static Ref ref(T value) {
    return {word_of(EnumNames<T>::names[static_cast<std::size_t>(value)]), &static_text_type};
  }
  static std::string words() {
    std::string text;
    for (const char* name : EnumNames<T>::names)
      text += (text.empty() ? "'" : ", '") + std::string(name) + "'";
    return text;
  }
  static void assign(EditSession&, T& target, const Value& value, const Where& where) {
    std::string_view text;
    std::string expected = "one of";
    const bool is_text = read_text(value.ref(), text);
    for (std::size_t i = 0; i < EnumNames<T>::names.size(); ++i) {
      if (is_text && text == EnumNames<T>::names[i]) {
        target = static_cast<T>(i);
        return;
      }
      expected += std::string(i ? ", '" : " '") + EnumNames<T>::names[i] + "'";
    }
    fail_expected(where, expected, value);
  }
};

// Lists, maps, optional and shared parts.

template <class T>
struct Reflect<std::vector<T>> {
  using List = std::vector<T>;
  static Ref ref(const List& list) { return {word_of(&list), &type}; }
  static std::string words() { return "list of " + Reflect<T>::words(); }

  static void edit(EditSession& session, void* object, Steps steps, const Value* value,
                   const Where& where) {
    List& list = *static_cast<List*>(object);
    const std::size_t index = element_of_list(ref(list), steps.front(), where);
    if (steps.size() == 1 && value == nullptr)
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
    else
      edit_part(session, list[index], steps.subspan(1), value,
                Where{&where, text_of(steps.front()), -1, true});
  }
  static void assign(EditSession& session, List& target, const Value& value, const Where& where) {
    const Ref from = value.ref();
    if (from.type == &type) {
      target = *object_in<List>(from);
      return;
    }
    if (from.type->kind != Kind::list) fail_expected(where, "a list", value);
    List list(count_of(from));
    for (std::size_t i = 0; i < list.size(); ++i)
      Reflect<T>::assign(session, list[i], held_part(value, part_at(from, static_cast<std::uint32_t>(i))),
                         Where{&where, {}, static_cast<std::int64_t>(i), true});
    target = std::move(list);
  }
  static void remove(List& list, const Where&) { list.clear(); }

  static constexpr Type type{
      .kind = Kind::list,
      .count = [](std::uint64_t word) { return static_cast<std::uint32_t>(object_at<List>(word).size()); },
      .at = [](std::uint64_t word, std::uint32_t index,
               std::string_view&) { return reflect(object_at<List>(word)[index]); },
      .clone = clone_object<List>,
      .edit = edit};
};

/// Figures by name: a map to numbers with any keys.
template <>
struct Reflect<std::vector<std::pair<std::string, double>>> {
  using Figures = std::vector<std::pair<std::string, double>>;
  static Ref ref(const Figures& figures) { return {word_of(&figures), &type}; }
  static std::string words() { return "map to number"; }
  static const double* find(const Figures& figures, std::string_view name);
  static void edit(EditSession& session, void* object, Steps steps, const Value* value, const Where& where);
  static void assign(EditSession& session, Figures& target, const Value& value, const Where& where);
  static void remove(Figures& figures, const Where&) { figures.clear(); }
  static const Type type;
};

/// A pair is a list of two, as (producer, consumer).
template <class A, class B>
struct Reflect<std::pair<A, B>> {
  using Pair = std::pair<A, B>;
  static Ref ref(const Pair& pair) { return {word_of(&pair), &type}; }
  static std::string words() { return "pair of " + Reflect<A>::words() + " and " + Reflect<B>::words(); }
  static void edit(EditSession& session, void* object, Steps steps, const Value* value,
                   const Where& where) {
    Pair& pair = *static_cast<Pair*>(object);
    const std::size_t index = element_of_list(ref(pair), steps.front(), where);
    const Where here{&where, {}, static_cast<std::int64_t>(index), true};
    if (index == 0)
      edit_part(session, pair.first, steps.subspan(1), value, here);
    else
      edit_part(session, pair.second, steps.subspan(1), value, here);
  }
  static void assign(EditSession& session, Pair& target, const Value& value, const Where& where) {
    if (kind_of(value.ref()) != Kind::list || count_of(value.ref()) != 2)
      fail_expected(where, "a list of two", value);
    Reflect<A>::assign(session, target.first, held_part(value, part_at(value.ref(), 0)),
                       Where{&where, {}, 0, true});
    Reflect<B>::assign(session, target.second, held_part(value, part_at(value.ref(), 1)),
                       Where{&where, {}, 1, true});
  }
  static void remove(Pair&, const Where& where) {
    fail(where, ValueError::Problem::invalid, "cannot be removed");
  }
  static constexpr Type type{.kind = Kind::list,
                             .count = [](std::uint64_t) { return std::uint32_t{2}; },
                             .at =
                                 [](std::uint64_t word, std::uint32_t index, std::string_view&) {
                                   const Pair& pair = object_at<Pair>(word);
                                   return index ? reflect(pair.second) : reflect(pair.first);
                                 },
                             .clone = clone_object<Pair>,
                             .edit = edit};
};

/// The keys of an array of this length, which is a map. Readers are shown `names`; editors may also use
/// `codes`. Specialised in core/schema.
template <std::size_t size>
struct ArrayKeys;

template <class T, std::size_t size>
struct Reflect<std::array<T, size>> {
  using Table = std::array<T, size>;
  static Ref ref(const Table& table) { return {word_of(&table), &type}; }
  static std::string words() {
    std::string text;
    for (const char* name : ArrayKeys<size>::names)
      text += (text.empty() ? "'" : ", '") + std::string(name) + "'";
    return "map of " + text + " to " + Reflect<T>::words();
  }
  static std::size_t position(Name key) {
    const std::string_view text = text_of(key);
    for (std::size_t i = 0; i < size; ++i)
      if (text == ArrayKeys<size>::names[i] || text == ArrayKeys<size>::codes[i]) return i;
    const std::int64_t index = index_of_step(key);
    return index >= 0 && index < static_cast<std::int64_t>(size) ? static_cast<std::size_t>(index) : size;
  }
  static void edit(EditSession& session, void* object, Steps steps, const Value* value,
                   const Where& where) {
    Table& table = *static_cast<Table*>(object);
    const std::size_t at = position(steps.front());
    if (at == size) fail_no_such_part(where, ref(table), steps.front());
    edit_part(session, table[at], steps.subspan(1), value,
              Where{&where, ArrayKeys<size>::names[at], -1, false});
  }
  static void assign(EditSession& session, Table& target, const Value& value, const Where& where) {
    const Ref from = value.ref();
    const bool is_list = from.type->kind == Kind::list && count_of(from) == size;
    if (!is_list && from.type->kind != Kind::map) {
      fail_expected(where, "a map or a list of " + std::to_string(size), value);
    }
    Table table{};
    for (std::uint32_t i = 0; i < count_of(from); ++i) {
      std::string_view key;
      const Value part = held_part(value, part_at(from, i, &key));
      const Name step = is_list ? intern(ArrayKeys<size>::names[i]) : intern(key);
      edit(session, &table, Steps(&step, 1), &part, where);
    }
    target = table;
  }
  static void remove(Table& table, const Where&) { table = {}; }

  static constexpr Type type{.kind = Kind::map,
                             .count = [](std::uint64_t) { return static_cast<std::uint32_t>(size); },
                             .at =
                                 [](std::uint64_t word, std::uint32_t index, std::string_view& key) {
                                   key = ArrayKeys<size>::names[index];
                                   return reflect(object_at<Table>(word)[index]);
                                 },
                             .get =
                                 [](std::uint64_t word, Name key) {
                                   const std::size_t at = position(key);
                                   const auto& table = object_at<Table>(word);
                                   return at == size ? missing(key) : reflect(table[at]);
                                 },
                             .clone = clone_object<Table>,
                             .edit = edit};
};

template <class T>
struct Reflect<std::optional<T>> {
  using Optional = std::optional<T>;
  static Ref ref(const Optional& optional) { return optional ? reflect(*optional) : null_ref(); }
  static std::string words() { return Reflect<T>::words() + " or null"; }
  static void edit(EditSession& session, void* object, Steps steps, const Value* value,
                   const Where& where) {
    Optional& optional = *static_cast<Optional*>(object);
    if (!optional) fail_no_such_part(where, null_ref(), steps.front());
    edit_part(session, *optional, steps, value, where);
  }
  static void assign(EditSession& session, Optional& target, const Value& value, const Where& where) {
    if (kind_of(value.ref()) == Kind::null) {
      target.reset();
      return;
    }
    T part{};
    Reflect<T>::assign(session, part, value, where);
    target = std::move(part);
  }
  static void remove(Optional& target, const Where&) { target.reset(); }
};

/// A shared object. Readers may keep it; an edit changes a copy.
template <class T>
struct Reflect<std::shared_ptr<const T>> {
  using Pointer = std::shared_ptr<const T>;
  static Ref ref(const Pointer& pointer) { return pointer ? Ref{word_of(&pointer), &type} : null_ref(); }
  static std::string words() { return Reflect<T>::words(); }
  static void edit(EditSession& session, void* object, Steps steps, const Value* value,
                   const Where& where) {
    Pointer& pointer = *static_cast<Pointer*>(object);
    if (!pointer) fail_no_such_part(where, null_ref(), steps.front());
    Value part = Value::object(pointer);
    session.edit(part, steps, value, where);
    pointer = part.template as<T>();
  }
  static void assign(EditSession& session, Pointer& target, const Value& value, const Where& where) {
    if (kind_of(value.ref()) == Kind::null) {
      target.reset();
    } else if (auto same = value.template as<T>()) {
      target = std::move(same);
    } else {
      auto built = std::make_shared<T>();
      Reflect<T>::assign(session, *built, value, where);
      target = std::move(built);
      session.made(Value::object(target));
    }
  }
  static void remove(Pointer& target, const Where&) { target.reset(); }

  static constexpr Type type{
      .look =
          [](std::uint64_t word) {
            const auto* object = object_at<Pointer>(word).get();
            return Ref{word_of(object), type_of<T>()};
          },
      .share = [](std::uint64_t word) { return Value::object(object_at<Pointer>(word)); }};
};

}  // namespace zz::core
