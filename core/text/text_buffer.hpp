#pragma once
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace zz::core {

/// A text that grows at its end by many short pieces: what is to be appended is written in place, after one
/// look at the room that is left, where `std::string` looks for each piece.
class TextBuffer {
 public:
  TextBuffer() = default;
  explicit TextBuffer(std::size_t usual_size) : bytes_(usual_size, '\0') {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {bytes_.data(), size_}; }
  char& operator[](std::size_t place) { return bytes_[place]; }

  /// Where the text ends, with room for so many bytes. What is written there counts from end_at() on.
  char* room(std::size_t bytes) {
    if (bytes_.size() - size_ < bytes) [[unlikely]]
      grow(bytes);
    return bytes_.data() + size_;
  }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.data()); }

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
    std::memmove(&bytes_[place] + piece.size(), &bytes_[place], size_ - place);
    put(&bytes_[place], piece);
    size_ += piece.size();
  }
  void clear() { size_ = 0; }

  std::string text() && {
    bytes_.resize(std::exchange(size_, 0));
    return std::move(bytes_);
  }

  /// Copies the piece and returns where it ends.
  static char* put(char* place, std::string_view piece) { return place + piece.copy(place, piece.size()); }

 private:
  void grow(std::size_t bytes) { bytes_.resize(2 * bytes_.size() + bytes + 64); }

  std::string bytes_;  ///< the text and the room behind it
  std::size_t size_ = 0;
};

}  // namespace zz::core
