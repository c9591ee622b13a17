#include "plugins/save/save_stage.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "core/base/new_file.hpp"
#include "core/output/file_names.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

constexpr const char* setting = "dump_filename_pattern";
constexpr const char* sum_name = "overall";
constexpr const char* schedule_name = "schedule";
constexpr const char* the_sum = "the sum of all layers";
constexpr const char* the_schedule = "the schedule of the network";

std::string name_of(const core::Evaluation& evaluation) {
  if (evaluation.layer) return evaluation.layer->name;
  return evaluation.schedule ? schedule_name : sum_name;
}

}  // namespace

void SaveStage::prepare() {
  if (!dump_filename_pattern && !dump_folder)
    throw Error(ZZ_E_INVALID, "'dump_folder' is missing: it says where the result files go");
  if (!dump_filename_pattern) return;
  check_pattern(setting, *dump_filename_pattern);
  if (is_list(*dump_filename_pattern)) claim_file(*this, *dump_filename_pattern);
}

std::string SaveStage::pattern_over(const Value& ctx) const {
  return dump_filename_pattern ? path_of_pattern(setting, *dump_filename_pattern, ctx).path : "";
}

std::string SaveStage::next_path(const std::string& pattern, const core::Evaluation& evaluation) {
  const std::string name = name_of(evaluation);
  const std::string owner = evaluation.layer      ? fmt::format("layer '{}'", name)
                            : evaluation.schedule ? the_schedule
                                                  : the_sum;
  return path_for(pattern, name, files_.next(path_for(pattern, name), owner));
}

std::string SaveStage::path_for(const std::string& pattern, const std::string& result, int number) const {
  std::string name = core::as_file_name(result) + "_" + kind_;
  if (number > 1) name += fmt::format("_{}", number);
  if (pattern.empty())
    return core::fitting_path((std::filesystem::path(*dump_folder) / (name + ".json")).string());
  std::string path;
  for (const char c : pattern) {
    if (c == '?')
      path += name;
    else
      path += c;
  }
  return core::fitting_path(path);
}

void SaveStage::claim_names_of_wholes(const std::string& pattern, FileClaims& files) const {
  files.claim(path_for(pattern, sum_name), the_sum);
  files.claim(path_for(pattern, schedule_name), the_schedule);
}

void SaveStage::check_files(const std::string& pattern, const Value& ctx) {
  if (!begun_.exchange(true)) core::check_new_file(path_for(pattern, sum_name));
  if (is_list(pattern)) return claim_file(*this, pattern);
  claim_names_of_wholes(pattern, files_);
  // Only the schedule of a network on several cores is saved.
  const bool one_core = !ctx["accelerator"_n].is_null();
  const Ref part = ctx["workload"_n];
  const core::Workload* workload = part.is_null() ? nullptr : borrowed<core::Workload>(part);
  if (workload == nullptr || !one_core || checked_.exchange(workload) == workload) return;
  FileClaims of_network;
  claim_names_of_wholes(pattern, of_network);
  for (const auto& layer : workload->layers)
    of_network.claim(path_for(pattern, layer->name), fmt::format("layer {} '{}'", layer->id, layer->name));
}

void SaveStage::check(const Value& ctx) const {
  const std::string pattern = pattern_over(ctx);
  check_place_of_file(path_for(pattern, sum_name));
  if (is_list(pattern)) claim_file(*this, pattern);
}

Results SaveStage::save(Value ctx) {
  const std::string pattern = pattern_over(ctx);
  check_files(pattern, ctx);
  // The folder is known below, too.
  const bool same = !dump_folder || ctx["dump_folder"_n].str("") == *dump_folder;
  for (Result& result : substage(same ? ctx : with(ctx, {{"dump_folder"_n, *dump_folder}}))) {
    const auto evaluation = object_or_null<core::Evaluation>(result.evaluation);
    if (!evaluation)
      throw Error(ZZ_E_TYPE, "only evaluations can be saved; the stage below yields something else");
    if (is_list(pattern))
      lists_.add(pattern, ctx, name_of(*evaluation), json_of_(*evaluation));
    else
      output(next_path(pattern, *evaluation), json_of_(*evaluation));
    co_yield std::move(result);
  }
  if (is_list(pattern)) lists_.end_opening(*this);
}

}  // namespace zz::plugins
