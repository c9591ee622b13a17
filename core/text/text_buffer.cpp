#include "core/text/text_buffer.hpp"

#include <new>

namespace zz::core {

void TextBuffer::grow(std::size_t bytes) {
  const std::size_t capacity = 2 * capacity_ + bytes + 64;
  auto* const moved = static_cast<char*>(std::realloc(bytes_.get(), capacity));
  if (moved == nullptr) throw std::bad_alloc();
  static_cast<void>(bytes_.release());
  bytes_.reset(moved);
  capacity_ = capacity;
}

}  // namespace zz::core
