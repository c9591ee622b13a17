#pragma once
#include <bit>
#include <cstdint>
#include <string_view>

#include "core/text/text_buffer.hpp"

namespace zz::core {

/// Messages in the encoding of protocol buffers, written front to back without an object for each. Fields
/// are to be written in the order of their numbers, which is what protobuf itself does.
class WireBytes {
 public:
  void varint(std::uint32_t field, std::uint64_t number) {
    raw_varint(tag(field, 0));
    raw_varint(number);
  }
  void number(std::uint32_t field, double number) {
    raw_varint(tag(field, 1));
    raw_double(number);
  }
  void text(std::uint32_t field, std::string_view text) {
    raw_varint(tag(field, 2));
    raw_varint(text.size());
    bytes_.append(text);
  }
  /// What `write` writes, as the content of a message or of a packed list.
  template <class Write>
  void nested(std::uint32_t field, Write write) {
    raw_varint(tag(field, 2));
    const std::size_t begin = bytes_.size();
    bytes_.append('\0');  // room for the length, which mostly takes a byte
    write();
    const std::uint64_t length = bytes_.size() - begin - 1;
    if (length < 0x80) {
      bytes_[begin] = static_cast<char>(length);
      return;
    }
    char prefix[longest_varint];
    const char* const end = put_varint(prefix, length);
    bytes_[begin] = prefix[0];
    bytes_.insert(begin + 1, {prefix + 1, static_cast<std::size_t>(end - prefix - 1)});
  }

  void raw_varint(std::uint64_t number) { bytes_.end_at(put_varint(bytes_.room(longest_varint), number)); }
  void raw_double(double number) {
    auto bits = std::bit_cast<std::uint64_t>(number);
    char little_endian[sizeof bits];
    for (char& byte : little_endian) {
      byte = static_cast<char>(bits);
      bits >>= 8;
    }
    bytes_.append({little_endian, sizeof little_endian});
  }
  /// Small magnitudes of either sign in few bytes (sint64).
  static std::uint64_t zigzag(std::int64_t number) {
    return static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
  }

  std::size_t size() const { return bytes_.size(); }
  void insert(std::size_t place, const WireBytes& other) { bytes_.insert(place, other.view()); }
  void clear() { bytes_.clear(); }
  std::string_view view() const { return bytes_.view(); }

 private:
  static constexpr std::size_t longest_varint = 10;
  static char* put_varint(char* place, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) *place++ = static_cast<char>(number | 0x80);
    *place++ = static_cast<char>(number);
    return place;
  }
  static std::uint64_t tag(std::uint32_t field, std::uint32_t kind) { return field << 3 | kind; }

  TextBuffer bytes_;
};

}  // namespace zz::core
