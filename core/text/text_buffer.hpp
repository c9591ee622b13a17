#pragma once
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace zz::core {

/// A text that grows at its end by many short pieces: what is to be appended is written in place, after one
/// look at the room that is left, where `std::string` looks for each piece. Room is not filled with zeros,
/// and clear() keeps it, so that one buffer may serve for many texts.
class TextBuffer {
 public:
  TextBuffer() = default;
  explicit TextBuffer(std::size_t usual_size) { grow(usual_size); }
  TextBuffer(TextBuffer&& other) noexcept
      : bytes_(std::move(other.bytes_)),
        capacity_(std::exchange(other.capacity_, 0)),
        size_(std::exchange(other.size_, 0)) {}
  TextBuffer& operator=(TextBuffer&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    capacity_ = std::exchange(other.capacity_, 0);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {bytes_.get(), size_}; }
  char& operator[](std::size_t place) { return bytes_.get()[place]; }

  /// Where the text ends, with room for so many bytes. What is written there counts from end_at() on.
  char* room(std::size_t bytes) {
    if (capacity_ - size_ < bytes) [[unlikely]]
      grow(bytes);
    return bytes_.get() + size_;
  }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }

  void append(std::string_view piece) { end_at(put(room(piece.size()), piece)); }
  void append(char letter) {
    *room(1) = letter;
    ++size_;
  }
  void append(std::size_t count, char letter) {
    std::memset(room(count), letter, count);
    size_ += count;
  }
  void insert(std::size_t place, std::string_view piece) {
    room(piece.size());
    std::memmove(&(*this)[place] + piece.size(), &(*this)[place], size_ - place);
    put(&(*this)[place], piece);
    size_ += piece.size();
  }
  void clear() { size_ = 0; }

  std::string text() const { return std::string(view()); }

  /// Copies the piece and returns where it ends.
  static char* put(char* place, std::string_view piece) { return place + piece.copy(place, piece.size()); }

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };

  void grow(std::size_t bytes);

  std::unique_ptr<char, Free> bytes_;  ///< the text and the room behind it
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace zz::core
