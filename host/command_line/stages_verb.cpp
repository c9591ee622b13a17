#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/stage_description.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/plugins/stage_table.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

void print_table(const std::vector<StageSource>& stages) {
  TextTable table({{"stage"}, {"plugin"}, {"what it does"}});
  for (const StageSource& source : stages) {
    table.add_row({source.stage->name, source.plugin->file_name(), text_or_empty(source.stage->summary)});
  }
  fmt::print("{}", table.text());
}

}  // namespace

int stages_verb(const Options& options) {
  PluginRegistry registry;
  const ExitCode code = load_plugins(options, registry);
  registry.add_search_path(options.plugin_paths);
  const auto stages = registry.stages();
  if (options.format == "names") {
    for (const StageSource& source : stages) fmt::print("{}\n", source.stage->name);
  } else if (options.format == "json") {
    auto all = nlohmann::ordered_json::array();
    for (const StageSource& source : stages) all.push_back(description_of(source));
    fmt::print("{}\n", all.dump(2));
  } else {
    print_table(stages);
  }
  return static_cast<int>(code);
}

}  // namespace zz::host
