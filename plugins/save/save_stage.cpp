#include "plugins/save/save_stage.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "core/base/new_file.hpp"
#include "core/output/file_names.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

constexpr const char* sum_name = "overall";
constexpr const char* schedule_name = "schedule";
constexpr const char* the_sum = "the sum of all layers";
constexpr const char* the_schedule = "the schedule of the network";

}  // namespace

void SaveStage::prepare() {
  if (!dump_folder && !dump_filename_pattern)
    throw Error(ZZ_E_INVALID, "'dump_folder' is missing: it says where the result files go");
  claim_names_of_wholes(files_);
}

std::string SaveStage::path_for(const core::Evaluation& evaluation) {
  const bool scheduled = evaluation.schedule != nullptr;
  const std::string name = evaluation.layer ? evaluation.layer->name : scheduled ? schedule_name : sum_name;
  const std::string owner = evaluation.layer ? fmt::format("layer '{}'", name)
                            : scheduled      ? the_schedule
                                             : the_sum;
  return path_for(name, files_.next(path_for(name), owner));
}

std::string SaveStage::path_for(const std::string& result, int number) const {
  std::string name = core::as_file_name(result) + "_" + kind_;
  if (number > 1) name += fmt::format("_{}", number);
  if (!dump_filename_pattern)
    return core::fitting_path((std::filesystem::path(*dump_folder) / (name + ".json")).string());
  std::string path;
  for (const char c : *dump_filename_pattern) {
    if (c == '?')
      path += name;
    else
      path += c;
  }
  return core::fitting_path(path);
}

void SaveStage::claim_names_of_wholes(FileClaims& files) const {
  files.claim(path_for(sum_name), the_sum);
  files.claim(path_for(schedule_name), the_schedule);
}

Value SaveStage::prepare_below(const Value& ctx) {
  if (!begun_.exchange(true)) core::check_new_file(path_for(sum_name));
  // Of a network on several cores only the schedule is saved.
  const bool one_core = !ctx["accelerator"_n].is_null();
  const Ref part = ctx["workload"_n];
  const core::Workload* workload = part.is_null() ? nullptr : borrowed<core::Workload>(part);
  if (workload != nullptr && one_core && checked_.exchange(workload) != workload) {
    FileClaims of_network;
    claim_names_of_wholes(of_network);
    for (const auto& layer : workload->layers)
      of_network.claim(path_for(layer->name), fmt::format("layer {} '{}'", layer->id, layer->name));
  }
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
