#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/answers/layer_answers.hpp"
#include "core/components/filled_costs.hpp"
#include "core/exploration/point_key.hpp"
#include "core/store/result_store.hpp"
#include "plugins/explore/design_points.hpp"
#include "plugins/internal/placed_layers.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// By which mappings a point has its figures: the setting `figures`.
struct FiguresChoice {
  std::string written;
  std::string objective;  ///< "energy", "latency", "EDP", a metric; "": each figure by its own best mapping
  std::optional<double> within;  ///< "latency within 5%"

  bool separate() const { return objective.empty(); }
  /// Throws Error(ZZ_E_INVALID) for what is none.
  static FiguresChoice of(const std::string& written);
};

/// The chain below a stage: its description, and what its stages say that they make (zz_stage_makes).
class ChainShape {
 public:
  ChainShape() = default;
  /// Over no context: as it is written.
  ChainShape(const Stage& stage, const Value& ctx);

  /// Settings of all stages below, once each.
  const std::vector<std::string>& settings() const { return settings_; }
  /// The description without what makes no difference to figures.
  const std::string& text() const { return text_; }
  /// The words of the stage that makes the best mapping of a layer by an objective; null: there is none.
  const nlohmann::json& optimum() const { return optimum_; }
  /// The figure by which results are kept: "latency", "energy", "edp", a name, or "" when none is.
  const std::string& kept() const { return kept_; }
  /// Its figures are sums of best mappings over the layers, costed as they are searched: these can be found
  /// without opening it.
  bool sums_optima() const { return sums_optima_; }
  /// Why it is not so, as far as stages say it: " ('LeakageStage' ...)"; "": they do not.
  const std::string& why_not() const { return why_not_; }
  /// By what its stages fill costs that the accelerator leaves open; nothing: none does.
  const std::optional<core::components::CostChoices>& filled_costs() const { return filled_costs_; }
  /// The setting `compat` of the stage that opens it for each layer.
  const std::string& compat_of_network() const { return compat_of_network_; }

 private:
  std::vector<std::string> settings_;
  std::string text_, kept_, compat_of_network_, why_not_;
  nlohmann::json optimum_;
  std::optional<core::components::CostChoices> filled_costs_;
  bool sums_optima_ = false;
};

/// The chain below, as Chain::describe tells one of a setting; over no context, as it is written.
nlohmann::json description_below(const Stage& stage, const Value& ctx);

/// A figure's name among the fields and metrics of an evaluation.
std::string name_in_evaluation(const std::string& figure);

/// Throws Error where the chain below cannot give figures by that choice.
void check_choice(const ChainShape& shape, const FiguresChoice& choice);

/// The figures of points.
class PointFigures {
 public:
  virtual ~PointFigures() = default;
  /// Everything that the figures over a context follow from, its objects apart.
  virtual core::ChainContent chain(const Value& ctx) const = 0;
  /// Whose the figures are, as core::point_key() wants to know.
  virtual std::string manner() const = 0;
  /// Further figures that it finds beside those of SpaceForms::figures, for whoever asks for the point
  /// next.
  virtual std::vector<std::string> others() const { return {}; }
  /// The figures of a point in the order of SpaceForms::figures and others(), as far as they are wanted.
  /// Throws Error; one of ZZ_E_NO_RESULT or ZZ_E_INVALID concerns this point only. [any]
  virtual std::vector<core::StoredFigure> of(const DesignPoint& point, const Value& ctx,
                                             const std::vector<bool>& wanted) = 0;
};

/// By opening the chain below. Warns where that keeps mappings by one figure and each is wanted by its own.
std::unique_ptr<PointFigures> figures_of_chain(const Stage& stage, const ChainShape& shape,
                                               const FiguresChoice& choice,
                                               const std::vector<std::string>& names);

/// Each figure as the sum over layers of the least there is, without opening the chain.
class FiguresOfLayers : public PointFigures {
 public:
  /// Such sums give this figure.
  static bool sums(std::string_view figure) {
    return figure == "energy" || figure == "latency" || figure == "edp";
  }
  /// It is such a sum, or follows from the accelerator alone: the area, where open ones are filled below.
  static bool has(std::string_view figure, const ChainShape& shape) {
    return sums(figure) || follows_from_latency(figure) || (figure == "area" && shape.filled_costs());
  }
  /// Rates that the clock and the latency decide.
  static bool follows_from_latency(std::string_view figure) {
    return figure == "latency_ms" || figure == "frames_per_second" || figure == "tokens_per_second";
  }
  /// `names`: figures that it has(). The context has the network and an accelerator, which leaves costs
  /// open where the area is a figure; `tolerance` is a gap that searches may
  /// leave besides their own. All references must outlive it.
  FiguresOfLayers(const Stage& stage, const ChainShape& shape, const Value& ctx, core::Answers& answers,
                  const std::vector<std::string>& names, double tolerance);
  std::vector<core::StoredFigure> of(const DesignPoint& point, const Value& ctx,
                                     const std::vector<bool>& wanted) override;
  core::ChainContent chain(const Value& ctx) const override;
  std::string manner() const override;

  /// A layer of the network that asks a question of its own, and the layers that ask the same.
  struct Question {
    std::shared_ptr<const core::Layer> layer;
    std::string text;
    bool on_unit = false;
    std::size_t layers = 0;
  };
  const std::vector<Question>& questions() const { return questions_; }
  /// The layers of the network, in its order.
  const PlacedLayers& placed() const { return placed_; }
  /// The question of each layer, in the order of the network.
  const std::vector<std::size_t>& question_of_layer() const { return question_of_; }
  /// Throws Error or what core throws where layers cannot run on it whatever is searched.
  void check(const core::Accelerator& accelerator) const;
  /// The machine of the layer of a question: the accelerator or the vector unit.
  const std::shared_ptr<const core::Accelerator>& accelerator_of(
      std::size_t question, const std::shared_ptr<const core::Accelerator>& accelerator) const {
    return questions_[question].on_unit ? unit_ : accelerator;
  }
  /// By what open costs are filled; null: no stage below does.
  const core::components::CostChoices* filled_costs() const {
    return filled_costs_ ? &*filled_costs_ : nullptr;
  }
  /// The accelerator as the chain below hands it to the search: the same, or with filled costs. Throws
  /// InputError for a part that has no answer.
  std::shared_ptr<const core::Accelerator> with_costs(
      const std::shared_ptr<const core::Accelerator>& accelerator) const;
  const std::shared_ptr<const core::Accelerator>& unit() const { return unit_; }
  /// `text`: core::question_text() of the accelerator with costs.
  core::ContentKey key(std::size_t question, const std::string& text, core::Objective objective) const;
  /// The energy or the latency is one of the figures that are wanted, or one of these follows from it.
  bool is_wanted(std::string_view figure, const std::vector<bool>& wanted) const;
  /// Both figures, what follows from them, and the area of the accelerator with costs, in the order of
  /// SpaceForms::figures.
  std::vector<core::StoredFigure> named(const core::StoredFigure& energy, const core::StoredFigure& latency,
                                        const core::Accelerator& accelerator) const;
  /// One that follows_from_latency(), of a latency in cycles. Throws Error where clock or network do not
  /// say it.
  double rate(std::string_view figure, double latency, double clock_period) const;
  core::LayerAnswers& answers() { return *answers_; }

 private:
  const Stage& stage_;
  std::shared_ptr<const core::Workload> workload_;
  std::shared_ptr<const core::Accelerator> unit_;
  std::vector<std::string> names_;
  std::string compat_;
  std::optional<core::components::CostChoices> filled_costs_;
  std::shared_ptr<const core::Accelerator> placed_on_;  ///< whose units decide the layers
  PlacedLayers placed_;
  std::vector<Question> questions_;
  std::vector<std::size_t> question_of_;  ///< by layer
  std::unique_ptr<core::LayerAnswers> answers_;
};

}  // namespace zz::plugins
