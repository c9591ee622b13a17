#include "core/base/nearest_name.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/base/text.hpp"

namespace zz::core {
namespace {

constexpr std::size_t most_names_listed = 8;
// Names of files may be as long and as many as files are. docs/limits.md names these limits.
constexpr std::size_t longest_name_compared = 64;
constexpr std::size_t most_names_compared = 1000;

/// Insertions, deletions, replacements and swaps of neighbours that turn one name into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool equal = a[i - 1] == b[j - 1];
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (equal ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

/// In the order of the alphabet, which disks do not keep.
std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, problem);
  for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  if (name.size() > longest_name_compared) return "";
  const std::string letters = lower_case(name);
  const std::string* nearest = nullptr;
  std::size_t smallest = 0;
  for (const std::string& candidate : candidates.first(std::min(candidates.size(), most_names_compared))) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t most = longer / 3;
    if (longer > longest_name_compared || longer - std::min(name.size(), candidate.size()) > most) continue;
    const std::size_t distance = edit_distance(letters, lower_case(candidate));
    if (distance > most) continue;
    if (nearest == nullptr || distance < smallest) {
      nearest = &candidate;
      smallest = distance;
    }
  }
  return nearest == nullptr ? "" : *nearest;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const std::string nearest = nearest_name(name, candidates);
  if (!nearest.empty()) return "did you mean '" + nearest + "'?";
  if (candidates.empty()) return "";
  std::string text = "known: ";
  for (std::size_t i = 0; i < candidates.size() && i < most_names_listed; ++i) {
    if (i > 0) text += ", ";
    text += utf8_prefix(candidates[i], longest_name_compared);
    if (candidates[i].size() > longest_name_compared) text += "...";
  }
  if (candidates.size() > most_names_listed) text += ", ...";
  return text;
}

std::string suggestion_of_path(const std::string& path) {
  std::filesystem::path nearest;
  for (const std::filesystem::path& part : std::filesystem::path(path)) {
    std::error_code problem;
    if (std::filesystem::exists(nearest / part, problem)) {
      nearest /= part;
      continue;
    }
    const std::vector<std::string> there = names_in(nearest);
    std::string name = nearest_name(part.string(), there);
    // The ending may be missing, which is more letters than a slip.
    const auto same = std::find_if(there.begin(), there.end(), [&](const std::string& one) {
      return std::filesystem::path(one).stem() == part;
    });
    if (name.empty() && same != there.end()) name = *same;
    if (name.empty()) return "";
    nearest /= name;
  }
  return nearest.empty() || nearest == path ? "" : "did you mean '" + nearest.string() + "'?";
}

}  // namespace zz::core
