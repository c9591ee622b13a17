#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/input/yaml/map_reader.hpp"

/// Forms of input files: the tables that readers take their keys from, and that editors get as JSON Schema.
namespace zz::core::yaml {

/// Applies where a map has one of `keys`, with a value that matches `value`, a pattern; "": any value;
/// "true": the truth.
struct FormCondition {
  std::vector<std::string> keys;
  std::string value;
};
inline constexpr std::size_t endless = static_cast<std::size_t>(-1);

/// Values that a part of a file may have. A form says what can be said of the part alone; what depends on
/// other parts, such as names that stand elsewhere, is left to the readers.
struct Form {
  enum class Kind {
    any,
    none,  ///< no value: "key:", "null"
    truth,
    whole,
    number,
    text,
    list,
    map,
    either,  ///< one of the parts
    cases    ///< of a map: the part behind the first condition that applies, else the first part
  };
  Kind kind = Kind::any;
  std::optional<double> least = {}, most = {};  ///< of numbers
  bool above_least = false;                     ///< `least` itself is too small
  std::vector<std::string> words = {};          ///< of a text: those that there are; empty: all
  std::string pattern = {};             ///< of a text, or of keys that no table has; ECMA 262; "": all
  std::vector<Form> parts = {};         ///< list: of every item. Map without `keys`: of every value
  bool in_turn = false;                 ///< list: one part for each item
  bool distinct = false;                ///< list: no item stands twice
  std::size_t fewest = 0;               ///< items or entries
  std::size_t most_parts = most_items;  ///< endless: there is no limit
  const KeyTable* keys = nullptr;       ///< map
  std::vector<FormCondition> conditions = {};  ///< cases: number i is of part i + 1
};

/// A FormCondition with the form that it leads to.
struct FormCase {
  std::vector<std::string> keys;
  std::string value;
  Form form;
};

/// Need of a key.
enum class Need {
  required,
  given,  ///< required, and without a value it counts as missing
  optional,
  nullable,  ///< may be absent; without a value it counts as absent
  refused    ///< a reader tells why it must be absent
};

struct Key {
  std::string name;
  Need need = Need::optional;
  Form form;
  std::string doc;          ///< one sentence, with the unit
  std::string former = {};  ///< the name that it had, which is still read
};

/// Keys of a map; there are no others. Tables live as long as the program.
struct KeyTable {
  std::string name;  ///< of the map: "memory"
  std::vector<Key> keys;
  std::vector<std::pair<std::string, std::string>> apart = {};  ///< never both
  std::vector<std::pair<std::string, std::string>> with = {};   ///< the first one only with the second one

  /// nullptr: there is none.
  const Key* find(std::string_view key) const;
};

// Forms by name.

inline Form anything() { return {}; }
inline Form nothing() { return {.kind = Form::Kind::none}; }
inline Form truth() { return {.kind = Form::Kind::truth}; }
inline Form whole(std::optional<double> least = {}, std::optional<double> most = {}) {
  return {.kind = Form::Kind::whole, .least = least, .most = most};
}
inline Form number(std::optional<double> least = {}, std::optional<double> most = {}) {
  return {.kind = Form::Kind::number, .least = least, .most = most};
}
inline Form number_above(double least, std::optional<double> most = {}) {
  return {.kind = Form::Kind::number, .least = least, .most = most, .above_least = true};
}
inline Form text() { return {.kind = Form::Kind::text}; }
inline Form word_of(std::vector<std::string> words) {
  return {.kind = Form::Kind::text, .words = std::move(words)};
}
inline Form text_like(std::string pattern) {
  return {.kind = Form::Kind::text, .pattern = std::move(pattern)};
}
inline Form list_of(Form item, std::size_t fewest = 0) {
  return {.kind = Form::Kind::list, .parts = {std::move(item)}, .fewest = fewest};
}
inline Form set_of(Form item, std::size_t fewest = 0) {
  Form form = list_of(std::move(item), fewest);
  form.distinct = true;
  return form;
}
/// A list as the document of a file, which may be long.
inline Form document_of(Form item) {
  Form form = list_of(std::move(item), 1);
  form.most_parts = endless;
  return form;
}
/// A list with these items; those after the first `fewest` may be absent.
inline Form in_turn(std::vector<Form> items, std::size_t fewest) {
  const std::size_t most = items.size();
  return {.kind = Form::Kind::list,
          .parts = std::move(items),
          .in_turn = true,
          .fewest = fewest,
          .most_parts = most};
}
inline Form map_of(const KeyTable& keys) { return {.kind = Form::Kind::map, .keys = &keys}; }
/// A map whose keys match `pattern` and whose values have one form.
inline Form entries_of(std::string pattern, Form value, std::size_t fewest = 0) {
  return {.kind = Form::Kind::map,
          .pattern = std::move(pattern),
          .parts = {std::move(value)},
          .fewest = fewest};
}
inline Form either(std::vector<Form> forms) {
  return {.kind = Form::Kind::either, .parts = std::move(forms)};
}
inline Form case_of(std::vector<FormCase> cases, Form otherwise) {
  Form form{.kind = Form::Kind::cases, .parts = {std::move(otherwise)}};
  for (FormCase& one : cases) {
    form.conditions.push_back({std::move(one.keys), std::move(one.value)});
    form.parts.push_back(std::move(one.form));
  }
  return form;
}

/// True when a value of that kind can have the form.
bool may_be(const Form& form, Form::Kind kind);

}  // namespace zz::core::yaml
