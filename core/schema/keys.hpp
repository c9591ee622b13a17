#pragma once
#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/value/object.hpp"
#include "core/workload/workload.hpp"

/// Enumerations and tables by direction in values: the words of the input and result files.
namespace zz::core {

template <>
struct EnumNames<Direction> {
  static constexpr auto names = direction_codes;
};

template <>
struct EnumNames<PortType> {
  static constexpr std::array names = {"read", "write", "read_write"};
};

template <>
struct EnumNames<FoldUnits> {
  static constexpr std::array names = {"none", "used", "whole"};
};

template <>
struct EnumNames<StoredFormat> {
  static constexpr auto names = stored_format_words;
};

template <>
struct EnumNames<OnZero> {
  static constexpr auto names = on_zero_words;
};

template <>
struct EnumNames<MappingType> {
  static constexpr std::array names = {"uneven", "even"};
};

template <>
struct EnumNames<ShapeChange::Kind> {
  static constexpr std::array names = {"none",   "reshape", "transpose", "flatten", "gather",
                                       "concat", "view",    "pad",       "rows",    "all"};
};

/// The setting `compat` that gives them.
template <>
struct Reflect<Rules> : ReflectScalar<Rules> {
  static Ref ref(const Rules& rules) {
    return {word_of(text_of(intern(compat_of(rules))).data()), &static_text_type};
  }
  static std::string words() { return "text"; }
  static void assign(EditSession&, Rules& target, const Value& value, const Where& where) {
    std::string_view text;
    if (!read_text(value.ref(), text)) fail_expected(where, "a text", value);
    try {
      target = rules_of(text);
    } catch (const InputError& problem) {
      fail(where, ValueError::Problem::invalid, problem.what());
    }
  }
};

template <>
struct ArrayKeys<direction_count> {
  static constexpr auto names = direction_names;
  static constexpr auto codes = direction_codes;
};

}  // namespace zz::core
