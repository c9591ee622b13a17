#pragma once
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/input/yaml/form.hpp"
#include "core/input/yaml/map_reader.hpp"

/// Maps of the YAML files that zz writes and reads again: each key stands once, in a table, and reader and
/// writer are made from it.
///
///   constexpr FileKey<GroupedLayer> keys[] = {
///       required_key<&GroupedLayer::name>("name", "name of the layer"),
///       optional_key<&GroupedLayer::with_next>("with_next", "loops shared with the next layer"), ...};
///
/// A member of a type of its own needs read(node, what, member, diagnostics), as those of yaml,
/// yaml_text(member) and form_of(&member), in the namespace of the type or before the table.
namespace zz::core {

/// The places of a map in its file, for what is found wrong with it later. Structs of such maps inherit it.
struct FileMap {
  SourceMark mark;
  std::vector<std::pair<std::string_view, SourceMark>> keys;  ///< those that are there

  /// The value of a key, or the map where it is not there.
  const SourceMark& mark_of(std::string_view key) const {
    for (const auto& [name, place] : keys)
      if (name == key) return place;
    return mark;
  }
};

inline std::string yaml_text(const std::string& text) { return json_string(text); }
inline std::string yaml_text(double number) { return fmt::format("{:#}", number); }
inline std::string yaml_text(std::int64_t number) { return std::to_string(number); }
inline std::string yaml_text(bool truth) { return truth ? "true" : "false"; }
inline std::string yaml_text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

// The forms of members: overloads by a pointer to their type.
inline yaml::Form form_of(const std::string*) { return yaml::text(); }
inline yaml::Form form_of(const double*) { return yaml::number(); }
inline yaml::Form form_of(const std::int64_t*) { return yaml::whole(); }
inline yaml::Form form_of(const bool*) { return yaml::truth(); }
inline yaml::Form form_of(const std::vector<std::int64_t>*) { return yaml::list_of(yaml::whole()); }

template <class T>
struct FileKey {
  const char* name;
  const char* former;  ///< the name that it had, which is still read; "": none
  bool required;       ///< else it is written where it differs from a fresh T
  bool (*read)(const yaml::Node& node, const std::string& what, T& object, Diagnostics& diagnostics);
  bool (*is_fresh)(const T& object);
  std::string (*text)(const T& object);  ///< in one line
  yaml::Form (*form)();
  const char* doc;  ///< in one sentence, with the unit
};

namespace detail {

template <class T, class Part>
T file_map_of(Part T::*);

template <auto member, bool required>
constexpr auto file_key(const char* name, const char* doc, const char* former) {
  using T = decltype(file_map_of(member));
  return FileKey<T>{
      name,
      former,
      required,
      [](const yaml::Node& node, const std::string& what, T& object, Diagnostics& diagnostics) {
        using yaml::read;
        return read(node, what, object.*member, diagnostics);
      },
      [](const T& object) {
        if constexpr (required)
          return false;
        else
          return object.*member == T{}.*member;
      },
      [](const T& object) { return yaml_text(object.*member); },
      [] {
        using Part = std::remove_reference_t<decltype(std::declval<T>().*member)>;
        return form_of(static_cast<const Part*>(nullptr));
      },
      doc};
}

}  // namespace detail

template <auto member>
constexpr auto required_key(const char* name, const char* doc, const char* former = "") {
  return detail::file_key<member, true>(name, doc, former);
}
template <auto member>
constexpr auto optional_key(const char* name, const char* doc, const char* former = "") {
  return detail::file_key<member, false>(name, doc, former);
}

/// The same table for editors.
template <class T>
yaml::KeyTable key_table(const char* name, std::span<const FileKey<T>> table) {
  yaml::KeyTable keys{name, {}};
  for (const FileKey<T>& key : table)
    keys.keys.push_back({key.name, key.required ? yaml::Need::required : yaml::Need::optional, key.form(),
                         key.doc, key.former});
  return keys;
}

/// "'cuts' is called 'level_ends' now", unless that is told already.
inline void warn_of_name(const char* former, const char* name, const SourceMark& mark,
                         Diagnostics& diagnostics) {
  const std::string message = fmt::format("'{}' is called '{}' now", former, name);
  for (const Diagnostic& told : diagnostics.all())
    if (told.message == message) return;
  diagnostics.warning(mark, message);
}

/// Reads a map. Tells keys that are unknown or missing, and warns once of each that has another name now.
template <class T>
void read_map(const yaml::Node& node, const std::string& what, std::span<const FileKey<T>> table, T& object,
              Diagnostics& diagnostics) {
  yaml::MapReader map(node, what, diagnostics);
  object.mark = node.mark;
  for (const FileKey<T>& key : table) {
    const bool former = *key.former != '\0' && node.is_map() && node.find(key.former) != nullptr;
    const char* const name = former ? key.former : key.name;
    const yaml::Node* const value = key.required ? map.required(name) : map.optional(name);
    if (value == nullptr) continue;
    object.keys.emplace_back(key.name, value->mark);
    if (former) warn_of_name(key.former, key.name, value->mark, diagnostics);
    key.read(*value, map.what(name), object, diagnostics);
  }
  map.finish();
}

/// The lines of a map, each after `indent`, the first one after `first`; the last one has no end. Text that
/// begins with a new line stands below its key.
template <class T>
std::string map_text(const T& object, std::span<const FileKey<T>> table, const std::string& first,
                     const std::string& indent) {
  std::string text;
  for (const FileKey<T>& key : table) {
    if (!key.required && key.is_fresh(object)) continue;
    const std::string value = key.text(object);
    text += fmt::format("{}{}:{}{}", text.empty() ? first : "\n" + indent, key.name,
                        value.starts_with('\n') ? "" : " ", value);
  }
  return text;
}

}  // namespace zz::core
