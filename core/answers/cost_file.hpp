#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.hpp"
#include "core/multicore/schedule/core_costs.hpp"

namespace zz::core {

/// The stages that answer the questions of a CoreCostPlan: their list, and by name the settings that they
/// may read, all as texts.
using CostModelTexts = std::vector<std::pair<std::string, std::string>>;

/// Costs of nodes on cores that an earlier run found, in a file.
///
/// The file is an archive of evaluations (core/output/archive); the extra of each tells what it is the
/// answer to: digests of layer and accelerator, and the texts of the stages. An answer is used only where
/// all of it agrees: a file that is out of date costs time, never correctness.
class CostFile {
 public:
  /// Reads the file when there is one.
  explicit CostFile(std::string path, const Files& files = Files::on_disk());

  /// The answers that the file has, null for the others. `warnings` receives one sentence at most: that the
  /// file cannot be used, or how many of its answers are out of date, and what has changed.
  std::vector<std::shared_ptr<const Evaluation>> answers(const std::vector<CoreCostQuestion>& questions,
                                                         const CostModelTexts& stages,
                                                         std::vector<std::string>& warnings) const;

  /// Replaces the file by these answers; null ones are left out. A file that is no archive is not touched.
  /// Throws std::runtime_error when it cannot be written.
  void write(const std::vector<CoreCostQuestion>& questions, const CostModelTexts& stages,
             const std::vector<std::shared_ptr<const Evaluation>>& answers) const;

 private:
  struct Entry {
    std::string where, layer, accelerator;
    CostModelTexts stages;
    std::shared_ptr<const Evaluation> answer;
  };
  struct Digests;
  std::string change(const Entry& entry, const Digests& question, const CostModelTexts& stages) const;

  std::string path_;
  std::vector<Entry> entries_;
  std::string problem_;  ///< why the file cannot be read; empty: it can, or there is none
  bool foreign_ = false;
};

}  // namespace zz::core
