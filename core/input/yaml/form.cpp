#include "core/input/yaml/form.hpp"

#include <algorithm>

namespace zz::core::yaml {

const Key* KeyTable::find(std::string_view key) const {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const Key& one) { return one.name == key; });
  return found == keys.end() ? nullptr : &*found;
}

bool may_be(const Form& form, Form::Kind kind) {
  if (form.kind == Form::Kind::any || form.kind == kind) return true;
  return form.kind == Form::Kind::either && std::any_of(form.parts.begin(), form.parts.end(),
                                                        [&](const Form& one) { return may_be(one, kind); });
}

}  // namespace zz::core::yaml
