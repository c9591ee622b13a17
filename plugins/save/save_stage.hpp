#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "core/cost/evaluation.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/file_claims.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// A stage that writes each result that passes to a file of its own: where these files go.
class SaveStage : public Stage {
 public:
  std::optional<std::string> dump_folder;
  std::optional<std::string> dump_filename_pattern;
  static constexpr auto params = zz::params(
      param<&SaveStage::dump_folder>("dump_folder", "the folder for the files; made when it is not there"),
      param<&SaveStage::dump_filename_pattern>(
          "dump_filename_pattern",
          "instead of dump_folder: a file name in which `?` becomes the name of the result")
          .deprecated());
  static constexpr Port consumes[] = {
      zz::port("workload", ZZ_NULL, "the network, of which no two layers may go to one file").optional(),
      zz::port("accelerator", ZZ_NULL, "there when results are those of single layers").optional()};
  static constexpr Port provides[] = {
      zz::port("dump_folder", ZZ_STR, "the folder that the files of this stage go to").optional()};

  /// Throws when there is neither folder nor pattern.
  void prepare();

 protected:
  /// Names of files end in `kind`, for example "_complete".
  explicit SaveStage(const char* kind) : kind_(kind) {}

  /// "<folder>/<layer>_complete.json", of several cores "<folder>/schedule_complete.json", for sums
  /// "<folder>/overall_complete.json"; further results of the same go to "<folder>/<layer>_complete_2.json"
  /// and so on. Slashes in the name of the layer become "_", long names are shortened. Throws when the file
  /// belongs to another layer.
  std::string path_for(const core::Evaluation& evaluation);
  /// The context for the chain below: the folder is known there too. Throws when no files can be written
  /// there, and when two layers of the network in the context would go to one file.
  Value prepare_below(const Value& ctx);
  /// The evaluation of a result. Throws when it is something else.
  static std::shared_ptr<const core::Evaluation> evaluation_of(const Result& result);

 private:
  std::string path_for(const std::string& result, int number = 1) const;
  void claim_names_of_wholes(FileClaims& files) const;

  const char* kind_;
  FileClaims files_;
  std::atomic<bool> begun_{false};
  std::atomic<const core::Workload*> checked_{nullptr};  ///< the network whose names were last compared
};

}  // namespace zz::plugins
