#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "core/cost/evaluation.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/file_claims.hpp"
#include "plugins/internal/file_pattern.hpp"
#include "plugins/save/json_list_files.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// A stage that writes each result that passes to a JSON file of its own, or all of them to one list.
class SaveStage : public Stage {
 public:
  std::optional<std::string> dump_folder;
  std::optional<std::string> dump_filename_pattern;
  static constexpr auto params = zz::params(
      param<&SaveStage::dump_folder>("dump_folder", "the folder for the files; made when it is not there"),
      param<&SaveStage::dump_filename_pattern>("dump_filename_pattern",
                                               "instead of dump_folder: a file name in which `?` becomes "
                                               "the name of the result, `{datetime}` the "
                                               "start of the run, and `{key}` what the context has under "
                                               "this key; without `?` the file is a list "
                                               "of all results")
          .alias("filename_pattern")
          .deprecated());
  static constexpr Port consumes[] = {
      zz::port("workload", ZZ_NULL, "the network, of which no two layers may go to one file").optional(),
      zz::port("accelerator", ZZ_NULL, "there when results are those of single layers").optional(),
      zz::object("layer", "layer", "for the order of a list").optional(), datetime_port,
      zz::port("*", ZZ_NULL, "what dump_filename_pattern names").optional()};
  static constexpr Port provides[] = {
      zz::port("dump_folder", ZZ_STR, "the folder that the files of this stage go to").optional()};

  /// Throws when there is neither folder nor pattern, and when another stage writes the same list.
  void prepare();
  /// Throws when no files can be written there.
  void check(const Value& ctx) const;

 protected:
  /// Names of files end in `kind`, for example "_complete"; `json_of` gives what is in them.
  SaveStage(const char* kind, std::string (*json_of)(const core::Evaluation&))
      : kind_(kind), json_of_(json_of) {}
  ~SaveStage() { lists_.close(*this); }

  /// One iteration: each result from below is written and passed on. Throws when no files can be written
  /// there, when two layers of the network would go to one file, and when a result is no evaluation.
  Results save(Value ctx);

 private:
  /// The pattern with the values of this context; "" without a pattern.
  std::string pattern_over(const Value& ctx) const;
  bool is_list(const std::string& pattern) const {
    return !pattern.empty() && pattern.find('?') == std::string::npos;
  }
  /// "<folder>/<layer>_complete.json", of several cores "<folder>/schedule_complete.json", for sums
  /// "<folder>/overall_complete.json"; further results of the same go to "<folder>/<layer>_complete_2.json"
  /// and so on. Slashes in the name of the layer become "_", long names are shortened. Throws when the file
  /// belongs to another layer.
  std::string next_path(const std::string& pattern, const core::Evaluation& evaluation);
  std::string path_for(const std::string& pattern, const std::string& result, int number = 1) const;
  void check_files(const std::string& pattern, const Value& ctx);
  void claim_names_of_wholes(const std::string& pattern, FileClaims& files) const;

  const char* kind_;
  std::string (*json_of_)(const core::Evaluation&);
  FileClaims files_;
  JsonListFiles lists_;
  std::atomic<bool> begun_{false};
  std::atomic<const core::Workload*> checked_{nullptr};  ///< the network whose names were last compared
};

}  // namespace zz::plugins
