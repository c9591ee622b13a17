#include "core/compat/python_set_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <sha2.h>
#include <string_view>

namespace zz::core {
namespace {

constexpr std::size_t none = ~std::size_t{0};
constexpr std::size_t linear_probes = 9;

void insert(std::vector<std::size_t>& slots, std::uint64_t hash, std::size_t element) {
  const std::size_t mask = slots.size() - 1;
  std::size_t start = hash & mask;
  for (std::uint64_t perturbation = hash;;) {
    const std::size_t last = start + linear_probes <= mask ? start + linear_probes : start;
    for (std::size_t slot = start; slot <= last; ++slot) {
      if (slots[slot] != none) continue;
      slots[slot] = element;
      return;
    }
    perturbation >>= 5;
    start = (start * 5 + 1 + perturbation) & mask;
  }
}

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

std::uint64_t integer_hash(std::int64_t number) {
  return static_cast<std::uint64_t>(number == -1 ? -2 : number);
}

std::uint64_t pair_hash(std::uint64_t first, std::uint64_t second) {
  constexpr std::uint64_t prime1 = 11400714785074694791U, prime2 = 14029467366897019727U,
                          prime5 = 2870177450012600261U, salt = 3527539U;
  std::uint64_t sum = prime5;
  for (const std::uint64_t part : {first, second}) sum = std::rotl(sum + part * prime2, 31) * prime1;
  sum += 2 ^ (prime5 ^ salt);
  return sum == ~std::uint64_t{0} ? 1546275796U : sum;
}

std::uint64_t node_hash(const NodeIdentity& node) {
  return pair_hash(integer_hash(node.layer_id), integer_hash(node.sub_id));
}

}  // namespace

std::vector<std::size_t> python_set_order(std::span<const std::uint64_t> hashes) {
  std::vector<std::size_t> slots(8, none);
  for (std::size_t element = 0; element < hashes.size(); ++element) {
    insert(slots, hashes[element], element);
    const std::size_t count = element + 1;
    if (5 * count < 3 * (slots.size() - 1)) continue;
    std::size_t size = 8;
    while (size <= count * (count > 50000 ? 2 : 4)) size *= 2;
    std::vector<std::size_t> old(size, none);
    old.swap(slots);
    for (const std::size_t earlier : old)
      if (earlier != none) insert(slots, hashes[earlier], earlier);
  }
  std::vector<std::size_t> order;
  order.reserve(hashes.size());
  for (const std::size_t element : slots)
    if (element != none) order.push_back(element);
  return order;
}

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

std::vector<std::string> python_set_order(const std::vector<std::string>& names, NameClass name_class) {
  std::vector<std::string> distinct;
  std::vector<std::uint64_t> hashes;
  for (const std::string& name : names) {
    if (std::find(distinct.begin(), distinct.end(), name) != distinct.end()) continue;
    hashes.push_back(identifier_hash(name, name_class));
    distinct.push_back(name);
  }
  std::vector<std::string> ordered;
  for (const std::size_t index : python_set_order(hashes)) ordered.push_back(distinct[index]);
  return ordered;
}

std::vector<std::size_t> python_set_order(const std::vector<std::pair<NodeIdentity, NodeIdentity>>& pairs) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(pairs.size());
  for (const auto& [producer, consumer] : pairs)
    hashes.push_back(pair_hash(node_hash(producer), node_hash(consumer)));
  return python_set_order(hashes);
}

}  // namespace zz::core
