#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/answers/answers.hpp"
#include "core/answers/cost_file.hpp"
#include "core/exploration/point_key.hpp"
#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Answers questions about single cores by a chain of stages: the setting `stages` of the stages that
/// need costs. What an earlier run found with the same stages is taken from a file, or from a store.
class CoreCostAnswers {
 public:
  using Answers = std::vector<std::shared_ptr<const core::Evaluation>>;

  /// Stage and chain must live as long. The path of the file, and the store, may be empty.
  CoreCostAnswers(const Stage& stage, const Chain& stages, Value ctx,
                  const std::optional<std::string>& path, const std::string& store);

  /// Null where there is no mapping; `reasons`, by question, says why. `show` shows the progress, and warns
  /// of nodes without a mapping; without it, settings that do not fit a node are no error, either.
  Answers to(const std::vector<core::CoreCostQuestion>& questions, std::vector<std::string>& reasons,
             bool show = true);

  /// True if the chain proves mappings best and nothing else changes or multiplies them, so that there are
  /// first answers.
  bool has_first() const { return has_first_; }
  /// First answers to the same questions; nothing where the chain gives none.
  std::vector<std::optional<core::FirstAnswer>> first_to(
      const std::vector<core::CoreCostQuestion>& questions);

  /// Writes all that was asked and answered to the file, if there is one and some answer is new.
  void write() const;

 private:
  /// Some of these, by their numbers.
  using Open = std::vector<std::size_t>;
  enum class Kind { whole, first };

  Open find_in_store(Kind kind, const std::vector<core::CoreCostQuestion>& questions, Answers& answers,
                     std::vector<std::string>& reasons, bool show);
  void find_missing(Kind kind, const std::vector<core::CoreCostQuestion>& questions, const Open& open,
                    Answers& answers, std::vector<std::string>& reasons, bool show);
  std::shared_ptr<const core::Layer> layer_of(const core::CoreCostQuestion& question) const;
  void keep_in_store(Kind kind, const core::CoreCostQuestion& question, const core::Evaluation* answer,
                     const std::string& reason);
  void tell_of_none(const core::CoreCostQuestion& question, const std::string& reason) const;
  core::ContentKey key(Kind kind, const core::CoreCostQuestion& question) const;
  core::CostModelTexts texts() const;

  const Stage& stage_;
  const Chain& stages_;
  Value ctx_;
  core::Answers* store_ = nullptr;
  core::ChainContent chain_;  // with a store only
  std::optional<core::CostFile> file_;
  core::CostModelTexts texts_;  // these three with a file only
  std::vector<core::CoreCostQuestion> asked_;
  Answers answered_;
  bool has_first_ = false, warned_ = false, some_new_ = false;
};

}  // namespace zz::plugins
