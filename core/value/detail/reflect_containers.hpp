#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/value/reflect.hpp"

/// Lists, maps, optional and shared parts, readable and editable.
namespace zz::core {

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
