#include "core/value/where.hpp"

#include <vector>

#include "core/diagnostics/nearest_name.hpp"
#include "core/value/read.hpp"
#include "core/value/type.hpp"

namespace zz::core {

std::string Where::text() const {
  std::string above = parent ? parent->text() : "";
  if (element) return above + "[" + (index >= 0 ? std::to_string(index) : std::string(step)) + "]";
  if (step.empty()) return above;
  return above.empty() ? std::string(step) : above + "." + std::string(step);
}

void fail(const Where& where, ValueError::Problem problem, const std::string& message) {
  const std::string place = where.text();
  throw ValueError(problem, place.empty() ? message : place + ": " + message);
}

void fail_expected(const Where& where, std::string_view expected, const Value& found) {
  fail(where, ValueError::Problem::wrong_type,
       "expected " + std::string(expected) + ", found " + describe(found.ref()));
}

void fail_no_such_part(const Where& container_place, Ref container, Name step) {
  container = look_through(container);
  const Kind kind = kind_of(container);
  const std::string_view name = text_of(step);
  const Where here{&container_place, name, -1, kind == Kind::list};
  if (kind != Kind::list && kind != Kind::map && kind != Kind::object)
    fail(container_place, ValueError::Problem::wrong_type,
         describe(container) + " has no part '" + std::string(name) + "'");
  if (kind == Kind::list && index_of_step(step) >= 0)
    fail(here, ValueError::Problem::missing,
         "there are only " + std::to_string(count_of(container)) + " elements, counted from 0");
  std::vector<std::string> known;
  for (std::uint32_t i = 0; i < count_of(container); ++i) {
    std::string_view key;
    Ref element = look_through(part_at(container, i, &key));
    if (kind == Kind::list) {
      const Type* type = element.type;
      if (type && *type->label) element = part(element, intern(type->label));
      if (!read_text(element, key)) continue;
    }
    known.emplace_back(key);
  }
  const std::string hint = suggestion(name, known);
  fail(here, ValueError::Problem::missing,
       "no such part '" + std::string(name) + "'" +
           (known.empty() || hint.empty() ? "" : " (" + hint + ")"));
}

}  // namespace zz::core
