#pragma once
#include <bit>
#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include "core/value/reflect.hpp"

/// Truth values, numbers, texts and enumerations, readable and editable.
namespace zz::core {

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

}  // namespace zz::core
