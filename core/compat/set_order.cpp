#include "core/compat/set_order.hpp"

#include <array>
#include <map>
#include <mutex>
#include <sha2.h>
#include <string_view>
#include <utility>

#include "core/compat/set_walk.hpp"

namespace zz::core {
namespace {

using Digest = std::array<unsigned char, SHA512_DIGEST_LENGTH>;

Digest sha512(const std::string& bytes) {
  Digest digest;
  SHA2_CTX context;
  SHA512Init(&context);
  SHA512Update(&context, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  SHA512Final(digest.data(), &context);
  return digest;
}

/// Python's serialisation format 4: header, length of the frame (little endian), frame.
std::string frame(const std::string& body) {
  std::string bytes = "\x80\x04\x95";
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(body.size() >> shift & 0xff);
  return bytes + body;
}

std::string short_text(std::string_view text) {
  return std::string("\x8c") + static_cast<char>(text.size()) + std::string(text) + "\x94";
}

std::string serialised_class(NameClass name_class) {
  const char* name = name_class == NameClass::layer_dimension ? "LayerDim" : "OADimension";
  return frame(short_text("zigzag.datatypes") + short_text(name) + "\x93\x94.");
}

std::vector<std::string> walked(const std::vector<std::string>& names, NameClass name_class) {
  std::vector<std::string> distinct;
  std::vector<std::uint64_t> hashes;
  for (const std::string& name : names) {
    bool repeated = false;
    for (const std::string& earlier : distinct) repeated = repeated || earlier == name;
    if (repeated) continue;
    hashes.push_back(identifier_hash(name, name_class));
    distinct.push_back(name);
  }
  std::vector<std::string> ordered;
  for (const std::size_t index : set_walk(hashes)) ordered.push_back(distinct[index]);
  return ordered;
}

}  // namespace

std::uint64_t identifier_hash(const std::string& name, NameClass name_class) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, NameClass>, std::uint64_t> known;
  const std::scoped_lock lock(mutex);
  auto [entry, is_new] = known.try_emplace({name, name_class}, 0);
  if (!is_new) return entry->second;

  const Digest of_name = sha512(frame(short_text(name) + "."));
  const Digest of_class = sha512(serialised_class(name_class));
  constexpr std::uint64_t modulus = (std::uint64_t{1} << 61) - 1;
  __extension__ unsigned __int128 remainder = 0;
  for (std::size_t i = 0; i < of_name.size(); ++i) {
    remainder = (remainder << 8 | static_cast<unsigned char>(of_name[i] ^ of_class[i])) % modulus;
  }
  return entry->second = static_cast<std::uint64_t>(remainder);
}

std::vector<std::string> set_order(const std::vector<std::string>& names, NameClass name_class) {
  if (names.size() < 2) return names;
  struct Known {
    std::vector<std::string> names, ordered;
    NameClass name_class = NameClass::layer_dimension;
  };
  thread_local std::array<Known, 4> known;  // the last ones, which are asked for again for each layer
  thread_local std::size_t oldest = 0;
  for (const Known& earlier : known) {
    if (earlier.name_class == name_class && earlier.names == names) return earlier.ordered;
  }
  known[oldest] = {names, walked(names, name_class), name_class};
  return known[std::exchange(oldest, (oldest + 1) % known.size())].ordered;
}

}  // namespace zz::core
