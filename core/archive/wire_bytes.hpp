#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

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
    bytes_ += text;
  }
  /// What `write` writes, as the content of a message or of a packed list.
  template <class Write>
  void nested(std::uint32_t field, Write write) {
    raw_varint(tag(field, 2));
    const std::size_t begin = bytes_.size();
    bytes_ += '\0';  // room for the length, which mostly takes a byte
    write();
    const std::uint64_t length = bytes_.size() - begin - 1;
    if (length < 0x80) {
      bytes_[begin] = static_cast<char>(length);
      return;
    }
    WireBytes prefix;
    prefix.raw_varint(length);
    bytes_.replace(begin, 1, prefix.bytes_);
  }

  void raw_varint(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }
  void raw_double(double number) {
    auto bits = std::bit_cast<std::uint64_t>(number);
    char little_endian[sizeof bits];
    for (char& byte : little_endian) {
      byte = static_cast<char>(bits);
      bits >>= 8;
    }
    bytes_.append(little_endian, sizeof little_endian);
  }
  /// Small magnitudes of either sign in few bytes (sint64).
  static std::uint64_t zigzag(std::int64_t number) {
    return static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
  }

  std::size_t size() const { return bytes_.size(); }
  void insert(std::size_t place, const WireBytes& other) { bytes_.insert(place, other.bytes_); }
  void clear() { bytes_.clear(); }
  std::string_view view() const { return bytes_; }

 private:
  static std::uint64_t tag(std::uint32_t field, std::uint32_t kind) { return field << 3 | kind; }

  std::string bytes_;
};

}  // namespace zz::core
