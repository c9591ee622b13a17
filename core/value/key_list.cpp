#include "core/value/key_list.hpp"

namespace zz::core {
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t'\"");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t'\"") - first + 1));
}

}  // namespace

std::vector<std::string> names_in_key(std::string_view key) {
  if (key.size() >= 2 && key.front() == '(' && key.back() == ')') key = key.substr(1, key.size() - 2);
  std::vector<std::string> names;
  std::size_t begin = 0;
  int brackets = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (key[i] == '[') ++brackets;
    if (key[i] == ']') --brackets;
    if (key[i] != ',' || brackets > 0) continue;
    names.push_back(trimmed(key.substr(begin, i - begin)));
    begin = i + 1;
  }
  // A comma at the end, as Python writes a tuple of one, adds no name.
  if (std::string last = trimmed(key.substr(begin)); !last.empty() || names.empty())
    names.push_back(std::move(last));
  return names;
}

std::string key_of_names(const std::vector<std::string>& names) {
  std::string key;
  for (const std::string& name : names) key += (key.empty() ? "" : ", ") + name;
  return key;
}

}  // namespace zz::core
