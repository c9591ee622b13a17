#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/value/type.hpp"

namespace zz::core {

/// Position of each field by its name's number. Constant-initialised, filled at the first look-up, because
/// names get their numbers while the program runs.
class FieldIndex {
 public:
  const Field* find(const Type& type, Name name) {
    const std::vector<std::uint8_t>* positions = positions_.load(std::memory_order_acquire);
    if (positions == nullptr) positions = fill(type);
    const std::uint8_t position = name < positions->size() ? (*positions)[name] : 0;
    return position ? &type.fields[position - 1] : nullptr;
  }

 private:
  const std::vector<std::uint8_t>* fill(const Type& type);
  std::atomic<const std::vector<std::uint8_t>*> positions_{nullptr};
};

}  // namespace zz::core
