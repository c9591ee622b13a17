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
    const std::string name(text_of(static_cast<Name>(ref.word)));
    const std::string missing = name.empty() ? "there is no such part" : "there is no '" + name + "'";
    return wanted == Kind::none || wanted == Kind::null
               ? missing
               : std::string("expected ") + expected_words(wanted) + ", but " + missing;
  }
  return std::string("expected ") + expected_words(wanted) + ", found " + describe(ref);
}

}  // namespace zz::core
