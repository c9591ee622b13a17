#include "core/value/read.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/json_text.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/value/type.hpp"

namespace zz::core {
namespace {

const Field* label_field(const Type& type) {
  if (*type.label == 0) return nullptr;
  for (const Field& field : type.fields)  // most often the first one
    if (std::string_view(field.name) == type.label) return &field;
  return nullptr;
}

/// The element of a list that carries the text as its label, or is the text.
Ref labelled_element(Ref list, std::string_view label, Name name) {
  const std::uint32_t count = list.type->count(list.word);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string_view key;
    const Ref element = list.type->at(list.word, i, key);
    Ref named = look_through(element);
    if (const Field* field = named.type ? label_field(*named.type) : nullptr)
      named = field->get(object_in<void>(named));
    if (read_text(named, key) && key == label) return element;
  }
  return missing_in(*list.type, name);
}

Ref one_step(Ref ref, Name name) {
  ref = look_through(ref);
  if (ref.type == nullptr) return ref;
  const Type& type = *ref.type;
  if (type.kind == Kind::object) {
    if (const Field* field = find_field(type, name)) return field->get(object_in<void>(ref));
    const Ref found = type.get ? type.get(ref.word, name) : missing(name);
    return found.type ? found : missing_in(type, name);
  }
  Ref found = missing_in(type, name);
  if (type.kind == Kind::map) {
    found = type.get(ref.word, name);
    if (found.type) return found;
  } else if (type.kind != Kind::list) {
    return found;
  }
  const std::int64_t index = index_of_step(name);
  if (index >= 0)
    return index < type.count(ref.word) ? part_at(ref, static_cast<std::uint32_t>(index)) : found;
  return type.kind == Kind::list ? labelled_element(ref, text_of(name), name) : found;
}

Ref walk(Ref ref, Name path) {
  const Ref start = look_through(ref);
  if (start.type && start.type->kind == Kind::map) {  // a key may look like a path: "org.example.budget"
    const Ref whole = start.type->get(start.word, path);
    if (whole.type) return whole;
  }
  std::uint32_t number = 0;
  for (const Name step : steps_of(path)) {
    // A part of a missing part reports the first one that was missing.
    if (ref.type == nullptr) return ref;
    ref = one_step(ref, step);
    if (ref.type == nullptr) return missing_on_path(ref, path, number);
    ++number;
  }
  return ref;
}

const char* expected_words(Kind wanted) {
  switch (wanted) {
    case Kind::null:
      return "nothing (null)";
    case Kind::boolean:
      return "true or false";
    case Kind::i64:
      return "an integer";
    case Kind::f64:
      return "a number";
    case Kind::str:
      return "a text";
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a map";
    case Kind::object:
      return "an object";
    default:
      return "a value";
  }
}

/// The beginning of a text that may be long.
std::string shortened(std::string_view text) {
  constexpr std::size_t longest = 60;
  const std::string_view beginning = utf8_prefix(text, longest);
  return printable_line(std::string(beginning)) + (beginning.size() == text.size() ? "" : "...");
}

/// "there is no 'accelerator.memorys': an object of type 'accelerator' has no 'memorys' (did you mean
/// 'memories'?)".
std::string missing_words(const MissingPart& part) {
  if (part.asked == 0) return "there is no such part";
  const std::span<const Name> steps = steps_of(part.asked);
  const bool is_path = steps.size() > 1 && part.step < steps.size() && part.step < missing_part::last_step;
  const std::string asked(text_of(part.asked)), step(text_of(is_path ? steps[part.step] : part.asked));
  std::string container, near;
  if (part.object_type != nullptr) {
    container = "an object of type '" + std::string(part.object_type->name) + "'";
    std::vector<std::string> fields;
    for (const Field& field : part.object_type->fields) fields.emplace_back(field.name);
    near = nearest_name(step, fields);
  } else if (part.container != Kind::none) {
    container = part.container == Kind::map    ? "a map"
                : part.container == Kind::list ? "the list"
                : part.container == Kind::null ? "what is null"
                                               : "what is no map";
  }
  std::string text = "there is no '" + asked + "'";
  if (is_path) {
    text += ": " + (container.empty() ? "" : container + " has ") + "no '" + step + "'";
  } else if (!container.empty()) {
    text += " in " + container;
  }
  return near.empty() ? text : text + " (did you mean '" + near + "'?)";
}

}  // namespace

Kind kind_of(Ref ref) {
  ref = look_through(ref);
  return ref.type ? ref.type->kind : Kind::none;
}

std::string_view type_name_of(Ref ref) {
  ref = look_through(ref);
  return ref.type && ref.type->kind == Kind::object ? ref.type->name : std::string_view();
}

bool read_i64(Ref ref, std::int64_t& out) {
  ref = look_through(ref);
  if (ref.type == &integer_type || ref.type == &boolean_type) {
    out = static_cast<std::int64_t>(ref.word);
    return true;
  }
  if (ref.type != &number_type) return false;
  const double number = std::bit_cast<double>(ref.word);
  if (!(number >= -0x1p63 && number < 0x1p63) || number != std::trunc(number)) return false;
  out = static_cast<std::int64_t>(number);
  return true;
}

bool read_f64(Ref ref, double& out) {
  ref = look_through(ref);
  if (ref.type == &number_type) {
    out = std::bit_cast<double>(ref.word);
    return true;
  }
  if (ref.type != &integer_type) return false;
  out = static_cast<double>(static_cast<std::int64_t>(ref.word));
  return true;
}

bool read_text(Ref ref, std::string_view& out) {
  ref = look_through(ref);
  if (ref.type == nullptr || ref.type->text == nullptr) return false;
  out = ref.type->text(ref.word);
  return true;
}

std::uint32_t count_of(Ref ref) {
  ref = look_through(ref);
  if (ref.type == nullptr) return 0;
  if (ref.type->kind == Kind::object) return static_cast<std::uint32_t>(ref.type->fields.size());
  return ref.type->count ? ref.type->count(ref.word) : 0;
}

Ref part_at(Ref ref, std::uint32_t index, std::string_view* key) {
  ref = look_through(ref);
  std::string_view unused;
  std::string_view& found = key ? *key : unused;
  found = {};
  if (ref.type == nullptr || index >= count_of(ref)) return missing(0);
  if (ref.type->kind == Kind::object) {
    const Field& field = ref.type->fields[index];
    found = field.name;
    return field.get(object_in<void>(ref));
  }
  return ref.type->at(ref.word, index, found);
}

Ref part(Ref ref, Name name) {
  if (ref.type == nullptr) return ref;
  return name & path_bit ? walk(ref, name) : one_step(ref, name);
}

Value held_part(const Value& root, Ref part) {
  if (part.type && part.type->share) return part.type->share(part.word);
  const bool scalar =
      part.type && (part.type == &null_type || part.type == &boolean_type || part.type == &integer_type ||
                    part.type == &number_type || part.type == &static_text_type);
  return scalar ? Value(nullptr, part) : Value(root.owner(), part);
}

std::string describe(Ref ref) {
  std::string_view text;
  switch (kind_of(ref)) {
    case Kind::none:
      return "nothing";
    case Kind::null:
      return "null";
    case Kind::boolean:
      return to_json(ref);
    case Kind::i64:
    case Kind::f64:
      return "the number " + to_json(ref);
    case Kind::str:
      read_text(ref, text);
      return "the text '" + shortened(text) + "'";
    case Kind::list:
      return "a list of " + std::to_string(count_of(ref));
    case Kind::map:
      return "a map";
    case Kind::object:
      return "an object of type '" + std::string(type_name_of(ref)) + "'";
  }
  return "nothing";
}

std::string explain(Ref ref, Kind wanted) {
  if (ref.type == nullptr) {
    const std::string missing = missing_words(what_is_missing(ref));
    return wanted == Kind::none || wanted == Kind::null
               ? missing
               : std::string("expected ") + expected_words(wanted) + ", but " + missing;
  }
  return std::string("expected ") + expected_words(wanted) + ", found " + describe(ref);
}

namespace {

using Json = nlohmann::ordered_json;

/// Field::sparse.
bool is_nothing(Ref part) {
  if (kind_of(part) == Kind::list) return count_of(part) == 0;
  if (kind_of(part) == Kind::object) return is_nothing(part_at(part, 0));
  std::int64_t whole = 0;
  if (read_i64(part, whole)) return whole == 0;
  double number = 0;
  return read_f64(part, number) && number == 0;
}

bool is_left_out(Ref ref, std::uint32_t index, Ref part) {
  const Ref object = look_through(ref);
  return kind_of(object) == Kind::object && object.type->fields[index].sparse && is_nothing(part);
}

Json json_tree(Ref ref) {
  std::int64_t integer = 0;
  double number = 0;
  std::string_view text;
  switch (kind_of(ref)) {
    case Kind::none:
    case Kind::null:
      return nullptr;
    case Kind::boolean:
      read_i64(ref, integer);
      return integer != 0;
    case Kind::i64:
      read_i64(ref, integer);
      return integer;
    case Kind::f64:
      read_f64(ref, number);
      return number;
    case Kind::str:
      read_text(ref, text);
      return text;
    case Kind::list: {
      Json list = Json::array();
      for (std::uint32_t i = 0; i < count_of(ref); ++i) list.push_back(json_tree(part_at(ref, i)));
      return list;
    }
    case Kind::map:
    case Kind::object: {
      Json map = Json::object();
      for (std::uint32_t i = 0; i < count_of(ref); ++i) {
        std::string_view key;
        const Ref part = part_at(ref, i, &key);
        if (is_left_out(ref, i, part)) continue;
        map.emplace(key, json_tree(part));
      }
      return map;
    }
  }
  return nullptr;
}

}  // namespace

std::string to_json(Ref ref) { return json_text(json_tree(ref), one_line); }

}  // namespace zz::core
