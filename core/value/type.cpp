#include "core/value/type.hpp"

#include <algorithm>

namespace zz::core {

const std::vector<std::uint8_t>* FieldIndex::fill(const Type& type) {
  auto filled = std::make_unique<std::vector<std::uint8_t>>();
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    for (const char* const text : {type.fields[i].name, type.fields[i].former}) {
      if (text == nullptr) continue;
      const Name name = intern(text);
      filled->resize(std::max<std::size_t>(filled->size(), name + 1));
      (*filled)[name] = static_cast<std::uint8_t>(i + 1);
    }
  }
  const std::vector<std::uint8_t>* expected = nullptr;
  if (positions_.compare_exchange_strong(expected, filled.get(), std::memory_order_acq_rel))
    return filled.release();  // kept for the process, like the type itself
  return expected;
}

const Field* find_field(const Type& type, Name name) {
  return type.index ? type.index->find(type, name) : nullptr;
}

}  // namespace zz::core
