#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/multicore/schedule/core_costs.hpp"
#include "core/output/cost_file.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Answers questions about single cores by a chain of stages: the setting `stages` of the stages that
/// need costs. With a file, answers that an earlier run found with the same stages are taken from there.
class CoreCostAnswers {
 public:
  using Answers = std::vector<std::shared_ptr<const core::Evaluation>>;

  /// Stage and chain must live as long; the path may be empty.
  CoreCostAnswers(const Stage& stage, const Chain& stages, Value ctx,
                  const std::optional<std::string>& path);

  /// Null where there is no mapping; `reasons`, by question, says why. `show` shows the progress, and warns
  /// of nodes without a mapping; without it, settings that do not fit a node are no error, either.
  Answers to(const std::vector<core::CoreCostQuestion>& questions, std::vector<std::string>& reasons,
             bool show = true);

  /// Writes all that was asked and answered to the file, if there is one and some answer is new.
  void write() const;

 private:
  void find_missing(const std::vector<core::CoreCostQuestion>& questions, Answers& answers,
                    std::vector<std::string>& reasons, bool show);
  core::CostModelTexts texts() const;

  const Stage& stage_;
  const Chain& stages_;
  Value ctx_;
  std::optional<core::CostFile> file_;
  core::CostModelTexts texts_;  // these three with a file only
  std::vector<core::CoreCostQuestion> asked_;
  Answers answered_;
  bool warned_ = false, some_new_ = false;
};

}  // namespace zz::plugins
