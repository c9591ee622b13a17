#include "core/store/content_key.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/sha256.hpp"

namespace zz::core {

ContentKey content_key(std::span<const std::string_view> parts) {
  std::string text = fmt::format("{}", figures_revision);
  for (const std::string_view part : parts) {
    text += fmt::format("\n{}:", part.size());
    text += part;
  }
  const std::string digits = sha256(text);
  const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  ContentKey key;
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<unsigned char>(value(digits[2 * i]) * 16 + value(digits[2 * i + 1]));
  return key;
}

ContentKey key_of_bytes(std::string_view bytes) {
  ContentKey key{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), key.size()), key.begin());
  return key;
}

std::string to_string(const ContentKey& key) {
  std::string text;
  for (const unsigned char byte : key) text += fmt::format("{:02x}", byte);
  return text;
}

std::string digest_of(std::string_view text) { return to_string(content_key(std::span(&text, 1))); }

}  // namespace zz::core
