#include "core/value/name.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace zz::core {
namespace {

struct Entry {
  std::string text;
  std::vector<Name> steps;
  std::int64_t index = -1;
};

constexpr std::uint32_t chunk_bits = 8;
constexpr std::uint32_t chunk_size = 1u << chunk_bits;
constexpr std::uint32_t chunk_count = 1u << 16;

/// Names in chunks of fixed size, published one by one. Entries never move, so that readers need no lock.
/// Most of the pointers are never used and take no memory.
constinit std::array<std::atomic<Entry*>, chunk_count> chunks{};

struct Table {
  std::shared_mutex mutex;
  std::unordered_map<std::string_view, Name> names;
  std::uint32_t used = 1;  // 0 is no name

  Entry* entry(Name name) {
    const std::uint32_t number = name & ~path_bit;
    Entry* chunk = number < chunk_count * chunk_size
                       ? chunks[number >> chunk_bits].load(std::memory_order_acquire)
                       : nullptr;
    return chunk ? &chunk[number & (chunk_size - 1)] : nullptr;
  }
};

/// Never destroyed: values may be released while the process ends.
Table& table() {
  static Table* const instance = new Table;
  return *instance;
}

bool is_path(std::string_view text) {
  return text.find('.') != text.npos || (text.find('[') != text.npos && text.find(']') != text.npos);
}

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> steps;
  while (!path.empty()) {
    std::size_t end = 0;
    if (path.front() == '[' && (end = path.find(']')) != path.npos) {
      steps.push_back(path.substr(1, end - 1));
      path.remove_prefix(end + 1);
      if (!path.empty() && path.front() == '.') path.remove_prefix(1);
      continue;
    }
    end = std::min(path.find_first_of(".[", 1), path.size());
    steps.push_back(path.substr(0, end));
    path.remove_prefix(end);
    if (!path.empty() && path.front() == '.') path.remove_prefix(1);
  }
  return steps;
}

std::int64_t index_from(std::string_view text) {
  std::int64_t index = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  return error == std::errc() && end == text.data() + text.size() && index >= 0 ? index : -1;
}

Name find(std::string_view text) {
  std::shared_lock lock(table().mutex);
  const auto found = table().names.find(text);
  return found == table().names.end() ? 0 : found->second;
}

Name add(std::string_view text, std::vector<Name> steps) {
  std::unique_lock lock(table().mutex);
  const auto found = table().names.find(text);
  if (found != table().names.end()) return found->second;
  Table& names = table();
  const std::uint32_t number = names.used;
  if (number >= chunk_count * chunk_size) throw std::length_error("too many different names");
  std::atomic<Entry*>& chunk = chunks[number >> chunk_bits];
  if (chunk.load(std::memory_order_relaxed) == nullptr)
    chunk.store(new Entry[chunk_size], std::memory_order_release);
  const Name name = steps.empty() ? number : number | path_bit;
  Entry& entry = *names.entry(name);
  entry.text = text;
  entry.index = index_from(text);
  entry.steps = steps.empty() ? std::vector<Name>{name} : std::move(steps);
  names.names.emplace(entry.text, name);
  ++names.used;
  return name;
}

}  // namespace

Name intern(std::string_view text) {
  if (const Name known = find(text)) return known;
  std::vector<Name> steps;
  if (is_path(text)) {
    for (const std::string_view step : split(text)) {
      if (step == text) return add(text, {});
      steps.push_back(intern(step));
    }
  }
  return add(text, std::move(steps));
}

std::string_view text_of(Name name) {
  const Entry* entry = table().entry(name);
  return entry ? std::string_view(entry->text) : std::string_view();
}

std::span<const Name> steps_of(Name name) {
  const Entry* entry = table().entry(name);
  return entry ? std::span<const Name>(entry->steps) : std::span<const Name>();
}

std::int64_t index_of_step(Name step) {
  const Entry* entry = table().entry(step);
  return entry ? entry->index : -1;
}

}  // namespace zz::core
