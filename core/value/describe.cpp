#include <string>
#include <vector>

#include "core/diagnostics/nearest_name.hpp"
#include "core/value/missing_part.hpp"
#include "core/value/read.hpp"

namespace zz::core {
namespace {

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
  return text.size() <= longest ? std::string(text) : std::string(text.substr(0, longest)) + "...";
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

}  // namespace zz::core
