#include "core/exploration/point_key.hpp"

#include <fmt/format.h>
#include <string_view>

#include "core/search/methods/objective.hpp"

namespace zz::core {
namespace {

/// An input file, or each of a list, becomes the digest of its contents.
void leave_contents(nlohmann::json& value) {
  if (value.is_array()) {
    for (nlohmann::json& one : value) leave_contents(one);
  } else if (value.is_object() && value.size() == 2 && value.contains("file") && value.contains("sha256")) {
    value = nlohmann::json(value["sha256"]);
  }
}

void write_objective(nlohmann::json& settings) {
  const auto written = settings.find("objective");
  if (written == settings.end() || !written->is_string()) return;
  if (const auto objective = objective_of_word(written->get<std::string>())) *written = word_of(*objective);
}

}  // namespace

void ChainContent::leave_what_counts(nlohmann::json& stages) {
  for (nlohmann::json& stage : stages) {
    const nlohmann::json& objects = stage["objects"];
    reads_all_ = reads_all_ || !objects.is_array();
    if (objects.is_array()) objects_.insert(objects.begin(), objects.end());
    stage.erase("objects");
    for (const char* const part : {"settings", "reads"}) {
      nlohmann::json& settings = stage[part];
      if (!settings.is_object()) continue;
      settings.erase("dump_folder");
      settings.erase("store");
      write_objective(settings);
      for (nlohmann::json& value : settings) leave_contents(value);
    }
    for (nlohmann::json& chain : stage["chains"]) leave_what_counts(chain);
  }
}

ChainContent::ChainContent(nlohmann::json description) {
  leave_what_counts(description);
  text_ = description.dump();
}

ContentKey point_key(const ChainContent& chain, const std::map<std::string, std::string>& objects,
                     const std::string& manner) {
  std::string read;
  for (const auto& [name, digest] : objects)
    if (chain.reads(name)) read += fmt::format("{}: {}\n", name, digest);
  const std::string_view parts[] = {"point of any pipeline", chain.text(), read, manner};
  return content_key(parts);
}

}  // namespace zz::core
