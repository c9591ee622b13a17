// zz/parameters.hpp - the settings of a stage: member variables, bound to names in one constexpr table.
//
//   int64_t keep = 1;
//   static constexpr auto params = zz::params(
//       zz::param<&KeepBest::keep>("keep", "how many results to pass on, best first").allowed("[1, inf]"));
//
// The initialiser of a member is the default. Types: bool, int64_t, double, std::string; std::optional and
// std::vector of these; zz::Value for anything (its default is set with `standard`); zz::Chain for a list
// of stages.
#pragma once

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "zz/chain.hpp"
#include "zz/error.hpp"
#include "zz/make.hpp"

#pragma GCC visibility push(hidden)
namespace zz {

template <auto member>
struct Param {
  zz_param raw;
  constexpr Param unit(const char* text) const { return change(&zz_param::unit, text); }
  // "energy|latency|EDP", "[1, 64]", "[1, inf]", "(0, 1]": checked by the host.
  constexpr Param allowed(const char* text) const { return change(&zz_param::allowed, text); }
  constexpr Param alias(const char* names) const { return change(&zz_param::aliases, names); }
  // The default as YAML text, when the initialiser of the member cannot give it.
  constexpr Param standard(const char* yaml) const { return change(&zz_param::def, yaml); }
  constexpr Param required() const { return flag(ZZ_REQUIRED); }
  constexpr Param input_path() const { return flag(ZZ_INPUT_PATH); }
  constexpr Param deprecated() const { return flag(ZZ_DEPRECATED); }

 private:
  constexpr Param change(const char* zz_param::*part, const char* text) const {
    Param changed = *this;
    changed.raw.*part = text;
    return changed;
  }
  constexpr Param flag(uint32_t bit) const {
    Param changed = *this;
    changed.raw.flags |= bit;
    return changed;
  }
};

namespace detail {

template <class Owner, class T>
T member_type(T Owner::*);

// For a type of settings: its kind for the host, how to read it, and how to write its default.
template <class T>
struct Setting;

template <>
struct Setting<bool> {
  static constexpr int32_t kind = ZZ_BOOL;
  static bool read(Ref from) { return from.boolean(); }
  static std::string text(bool value) { return value ? "true" : "false"; }
};
template <>
struct Setting<int64_t> {
  static constexpr int32_t kind = ZZ_I64;
  static int64_t read(Ref from) { return from.i64(); }
  static std::string text(int64_t value) { return std::to_string(value); }
};
template <>
struct Setting<double> {
  static constexpr int32_t kind = ZZ_F64;
  static double read(Ref from) { return from.num(); }
  static std::string text(double value) {
    if (std::isnan(value)) return ".nan";
    if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
    char buffer[32];
    char* const end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    std::string text(buffer, end);
    // YAML wants a point: "1.0e+09".
    const std::size_t e = text.find('e');
    if (e != std::string::npos && text.find('.') == std::string::npos) text.insert(e, ".0");
    return text;
  }
};
template <>
struct Setting<std::string> {
  static constexpr int32_t kind = ZZ_STR;
  static std::string read(Ref from) { return std::string(from.str()); }
  static std::string text(const std::string& value) {
    if (is_plain(value)) return value;
    std::string quoted = "\"";
    for (const char c : value) {
      if (c == '"' || c == '\\') quoted += '\\';
      if (c == '\n')
        quoted += "\\n";
      else
        quoted += c;
    }
    return quoted + '"';
  }

 private:
  // True if YAML reads the bare text as this very string.
  static bool is_plain(std::string_view text) {
    for (const char* word : {"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
      if (text == word) return false;
    for (const char c : text)
      if (!(c >= 'a' && c <= 'z') && c != '_') return false;
    return !text.empty();
  }
};
template <>
struct Setting<Value> {
  static constexpr int32_t kind = ZZ_NULL;
  static std::optional<std::string> text(const Value&) { return std::nullopt; }
};
template <>
struct Setting<Chain> {
  static constexpr int32_t kind = ZZ_LIST;
  static std::optional<std::string> text(const Chain& value) { return value.standard(); }
};
template <class T>
struct Setting<std::optional<T>> {
  static constexpr int32_t kind = Setting<T>::kind;
  static std::optional<T> read(Ref from) { return Setting<T>::read(from); }
  static std::optional<std::string> text(const std::optional<T>& value) {
    if (!value) return std::nullopt;
    return Setting<T>::text(*value);
  }
};
template <class T>
struct Setting<std::vector<T>> {
  static constexpr int32_t kind = ZZ_LIST;
  static std::vector<T> read(Ref from) {
    std::vector<T> items;
    for (Ref item : from) items.push_back(Setting<T>::read(item));
    return items;
  }
  static std::string text(const std::vector<T>& value) {
    std::string text = "[";
    for (const T& item : value) text += (text.size() > 1 ? ", " : "") + Setting<T>::text(item);
    return text + "]";
  }
};

// Writes the default of a setting into the table for the host. The text lives as long as the process.
template <auto member, class Stage>
void fill_default(const Param<member>&, zz_param& out, const Stage& fresh) {
  using T = decltype(member_type(member));
  if (out.def || (out.flags & ZZ_REQUIRED)) return;
  const std::optional<std::string> text = Setting<T>::text(fresh.*member);
  if (text) out.def = ::strdup(text->c_str());
}

// `settings` is complete and checked. A null keeps the initial value of the member.
template <auto member, class Stage>
void assign(const Param<member>& param, Stage& stage, Ref settings) {
  using T = decltype(member_type(member));
  if constexpr (std::is_same_v<T, Chain>) {
    (stage.*member).bind(stage.place(), param.raw.name);
    return;
  }
  const Ref given = settings[param.raw.name];
  if (given.is_null()) return;
  if constexpr (std::is_same_v<T, Value>) {
    const Value kept = make(nullptr, {{"setting", given}});  // `settings` is borrowed for the call only
    stage.*member = kept.hold(kept["setting"]);
  } else if constexpr (!std::is_same_v<T, Chain>) {
    // The host has checked the kind. Only the member knows the type of the items of a list.
    try {
      stage.*member = Setting<T>::read(given);
    } catch (const Error& wrong) {
      throw Error(ZZ_E_INVALID, std::string("'") + param.raw.name + "': " + wrong.what());
    }
  }
}

}  // namespace detail

template <auto member>
constexpr Param<member> param(const char* name, const char* doc) {
  using T = decltype(detail::member_type(member));
  constexpr uint32_t flags = std::is_same_v<T, Chain> ? ZZ_STAGES : 0;
  return {
      zz_param{name, detail::Setting<T>::kind, flags, nullptr, nullptr, nullptr, doc, nullptr, nullptr}};
}

template <auto... members>
constexpr auto params(Param<members>... table) {
  return std::tuple(table...);
}

}  // namespace zz
#pragma GCC visibility pop
