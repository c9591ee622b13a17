#include "plugins/save/json_list_files.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/json_text.hpp"
#include "core/base/new_file.hpp"
#include "core/workload/layer.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

/// Writing a long list again after each of its openings would cost more than finding the results.
constexpr std::chrono::seconds between_lists{5};

/// The object with its name as the first part.
std::string with_name(const std::string& name, const std::string& json) {
  const std::size_t begin = json.find('{') + 1;
  const std::size_t first = json.find_first_not_of(" \n", begin);
  const std::string blanks = json.substr(begin, first - begin);
  std::string text = json.substr(0, begin) + blanks + "\"name\": " + core::json_string(name);
  if (json[first] != '}') text += "," + (blanks.empty() ? " " : blanks);
  text += json.substr(first);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

void JsonListFiles::add(const std::string& path, const Value& context, const std::string& name,
                        std::string json) {
  const Ref part = context["layer"_n];
  const core::Layer* layer = part.is_null() ? nullptr : borrowed<core::Layer>(part);
  Entry entry{layer == nullptr ? -1 : layer->id, with_name(name, json)};
  const std::lock_guard lock(mutex_);
  List& list = lists_[path];
  list.entries.push_back(std::move(entry));
  list.changed = true;
}

void JsonListFiles::end_opening(const Stage& stage) {
  const auto now = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (now < next_write_) return;
    next_write_ = now + between_lists;
  }
  write(stage);
}

void JsonListFiles::close(const Stage& stage) noexcept {
  try {
    write(stage);
  } catch (const std::exception& problem) {
    stage.log(Level::error, problem.what());
  }
}

void JsonListFiles::write(const Stage& stage) {
  const std::lock_guard one_at_a_time(writing_);
  std::map<std::string, std::vector<Entry>> changed;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [path, list] : lists_)
      if (std::exchange(list.changed, false)) changed[path] = list.entries;
  }
  for (auto& [path, entries] : changed) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.layer < b.layer; });
    std::string text = "[\n";
    for (const Entry& entry : entries) text += entry.json + (&entry == &entries.back() ? "\n" : ",\n");
    text += "]\n";
    // The host knows what other stages of the run wrote.
    if (written_.insert(path).second)
      stage.output(path, text);
    else
      core::NewFile::write_whole(path, text);
  }
}

}  // namespace zz::plugins
