#include "core/value/reflect.hpp"

#include <algorithm>

namespace zz::core {

std::size_t element_of_list(Ref list, Name step, const Where& where) {
  const std::uint32_t count = count_of(list);
  const std::int64_t index = index_of_step(step);
  if (index >= 0 && index < count) return static_cast<std::size_t>(index);
  if (index < 0) {
    const Ref wanted = part(list, step);
    for (std::uint32_t i = 0; wanted.type && i < count; ++i) {
      const Ref element = part_at(list, i);
      if (element.word == wanted.word && element.type == wanted.type) return i;
    }
  }
  fail_no_such_part(where, list, step);
}

void require_parts(const Type& type, std::span<const Name> given, const Where& where) {
  for (const Field& field : type.fields) {
    if (!field.required || std::find(given.begin(), given.end(), intern(field.name)) != given.end())
      continue;
    fail(Where{&where, field.name}, ValueError::Problem::missing,
         std::string("is required (") + (field.words != nullptr ? field.words() : "a part") +
             "), but was not given");
  }
}

}  // namespace zz::core
