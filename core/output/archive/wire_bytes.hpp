#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/text/text_buffer.hpp"

namespace zz::core {

/// Messages in the encoding of protocol buffers, written front to back without an object for each. Fields
/// are to be written in the order of their numbers, which is what protobuf itself does.
class WireBytes {
 public:
  void varint(std::uint32_t field, std::uint64_t number) {
    char* end = bytes_.room(2 * longest_varint);
    end = put_varint(end, tag(field, 0));
    bytes_.end_at(put_varint(end, number));
  }
  /// The bits of a double.
  void number(std::uint32_t field, std::uint64_t bits) {
    char* end = bytes_.room(longest_varint + sizeof bits);
    end = put_varint(end, tag(field, 1));
    bytes_.end_at(put_fixed(end, bits));
  }
  void text(std::uint32_t field, std::string_view text) {
    char* end = bytes_.room(2 * longest_varint + text.size());
    end = put_varint(end, tag(field, 2));
    end = put_varint(end, text.size());
    bytes_.end_at(TextBuffer::put(end, text));
  }
  /// What `write` writes, as the content of a message or of a packed list.
  template <class Write>
  void nested(std::uint32_t field, Write write) {
    char* end = bytes_.room(longest_varint + 1);
    end = put_varint(end, tag(field, 2));
    *end++ = '\0';  // room for the length, which mostly takes a byte
    bytes_.end_at(end);
    const std::size_t begin = bytes_.size() - 1;
    write();
    const std::uint64_t length = bytes_.size() - begin - 1;
    if (length < 0x80) {
      bytes_[begin] = static_cast<char>(length);
      return;
    }
    char prefix[longest_varint];
    const char* const prefix_end = put_varint(prefix, length);
    bytes_[begin] = prefix[0];
    bytes_.insert(begin + 1, {prefix + 1, static_cast<std::size_t>(prefix_end - prefix - 1)});
  }

  // The same for a message of one field, of which the length is known before.

  void nested_number(std::uint32_t field, std::uint32_t inner, std::uint64_t bits) {
    char* end = bytes_.room(2 * longest_varint + 1 + sizeof bits);
    end = put_varint(end, tag(field, 2));
    char* const length = end++;
    end = put_varint(end, tag(inner, 1));
    end_nested(length, put_fixed(end, bits));
  }
  void nested_varint(std::uint32_t field, std::uint32_t inner, std::uint64_t number) {
    char* end = bytes_.room(3 * longest_varint + 1);
    end = put_varint(end, tag(field, 2));
    char* const length = end++;
    end = put_varint(end, tag(inner, 0));
    end_nested(length, put_varint(end, number));
  }
  /// Of at most that many bytes.
  static constexpr std::size_t short_text = 100;
  void nested_text(std::uint32_t field, std::uint32_t inner, std::string_view text) {
    char* end = bytes_.room(3 * longest_varint + 1 + short_text);
    end = put_varint(end, tag(field, 2));
    char* const length = end++;
    end = put_varint(end, tag(inner, 2));
    end = put_varint(end, text.size());
    end_nested(length, TextBuffer::put(end, text));
  }
  void nested_nothing(std::uint32_t field) {
    char* const end = put_varint(bytes_.room(longest_varint + 1), tag(field, 2));
    *end = '\0';
    bytes_.end_at(end + 1);
  }

  void raw_varint(std::uint64_t number) { bytes_.end_at(put_varint(bytes_.room(longest_varint), number)); }
  void raw_double(std::uint64_t bits) { bytes_.end_at(put_fixed(bytes_.room(sizeof bits), bits)); }
  /// Small magnitudes of either sign in few bytes (sint64).
  static std::uint64_t zigzag(std::int64_t number) {
    return static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
  }

  /// Bytes that are a message, or the beginning of a file.
  void append(std::string_view bytes) { bytes_.append(bytes); }
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
  /// The length is below 0x80.
  void end_nested(char* length, const char* end) {
    *length = static_cast<char>(end - length - 1);
    bytes_.end_at(end);
  }
  static char* put_fixed(char* place, std::uint64_t bits) {
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(place, &bits, sizeof bits);
      return place + sizeof bits;
    }
    for (std::size_t byte = 0; byte < sizeof bits; ++byte, bits >>= 8) *place++ = static_cast<char>(bits);
    return place;
  }
  static std::uint64_t tag(std::uint32_t field, std::uint32_t kind) { return field << 3 | kind; }

  TextBuffer bytes_;
};

}  // namespace zz::core
