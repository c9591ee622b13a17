#include "plugins/save/save_stage.hpp"

#include <algorithm>
#include <filesystem>

#include "plugins/internal/objects.hpp"

namespace zz::plugins {

void SaveStage::prepare() {
  if (!dump_folder && !dump_filename_pattern)
    throw Error(ZZ_E_INVALID, "'dump_folder' is missing: it says where the result files go");
}

std::string SaveStage::path_for(const core::Evaluation& evaluation) const {
  std::string name = "overall";
  if (evaluation.layer)
    name = evaluation.layer->name;
  else if (evaluation.schedule)
    name = "schedule";
  std::replace(name.begin(), name.end(), '/', '_');
  name += std::string("_") + kind_;
  if (!dump_filename_pattern) return (std::filesystem::path(*dump_folder) / (name + ".json")).string();
  std::string path;
  for (const char c : *dump_filename_pattern) {
    if (c == '?')
      path += name;
    else
      path += c;
  }
  return path;
}

Value SaveStage::context_below(const Value& ctx) const {
  if (!dump_folder || ctx["dump_folder"_n].str("") == *dump_folder) return ctx;
  return with(ctx, {{"dump_folder"_n, *dump_folder}});
}

std::shared_ptr<const core::Evaluation> SaveStage::evaluation_of(const Result& result) {
  auto evaluation = object_or_null<core::Evaluation>(result.evaluation);
  if (!evaluation)
    throw Error(ZZ_E_TYPE, "only evaluations can be saved; the stage below yields something else");
  return evaluation;
}

}  // namespace zz::plugins
