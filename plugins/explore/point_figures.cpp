#include "plugins/explore/point_figures.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <utility>

#include "core/base/interruption.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/number_text.hpp"
#include "core/compat/rules.hpp"
#include "core/components/technology.hpp"
#include "core/cost/rates.hpp"
#include "core/hardware/open_costs.hpp"
#include "core/search/methods/objective.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/accelerator_with_costs.hpp"
#include "plugins/internal/network_room.hpp"
#include "plugins/internal/objects.hpp"
#include "zz/chain.hpp"

namespace zz::plugins {
namespace {

constexpr double unknown_figure = std::numeric_limits<double>::quiet_NaN();
/// A manner of core::point_key(): no single run of the chain has these figures.
constexpr const char* each_by_its_own = "each figure by its own best mappings";

/// An objective as it is written everywhere; other names as they are.
std::string word_of_choice(const std::string& name) {
  const auto objective = core::objective_of_word(name);
  return objective ? core::word_of(*objective) : name;
}

}  // namespace

FiguresChoice FiguresChoice::of(const std::string& written) {
  FiguresChoice choice{written, "", std::nullopt};
  if (written == "separate") return choice;
  constexpr std::string_view between = " within ";
  const std::size_t at = written.find(between);
  choice.objective = word_of_choice(written.substr(0, at));
  if (choice.objective.empty() || choice.objective.find(' ') != std::string::npos)
    throw Error(
        ZZ_E_INVALID,
        fmt::format("'figures' must be separate, latency, energy, edp, a metric, or one of them within a "
                    "share, as 'latency within 5%'; found '{}'",
                    written));
  if (at == std::string::npos) return choice;
  const std::string share = written.substr(at + between.size());
  const bool percent = share.ends_with('%');
  const double number =
      core::number_of(std::string_view(share).substr(0, share.size() - (percent ? 1 : 0))).value_or(-1);
  if (!(number >= 0))
    throw Error(ZZ_E_INVALID,
                fmt::format("'figures': '{}' is no share; write it as 'latency within 5%'", share));
  choice.within = percent ? number / 100 : number;
  return choice;
}

namespace {

/// Without what the stages read of the context: the space of a store counts that by itself.
void leave_out_objects(nlohmann::json& stages) {
  for (nlohmann::json& stage : stages) {
    stage.erase("objects");
    for (nlohmann::json& chain : stage["chains"]) leave_out_objects(chain);
  }
}

/// As pipelines name the stage of a description.
std::string short_name(const nlohmann::json& described) {
  const std::string id = described.value("stage", "a stage");
  return id.substr(id.rfind('.') + 1);
}

/// `filled`: what a stage says that it makes, see docs/abi.md.
core::components::CostChoices choices_of(const nlohmann::json& filled) {
  core::components::CostChoices choices;
  choices.node = filled.value("technology_node", choices.node);
  choices.transistors = core::components::transistors_of(filled.value("transistors", "high_performance"));
  choices.dram = filled.value("dram_interface", choices.dram);
  choices.type = filled.value("arithmetic", choices.type);
  return choices;
}

}  // namespace

ChainShape::ChainShape(const Stage& stage, const Value& ctx) {
  nlohmann::json counted = description_below(stage, ctx);
  leave_out_objects(counted);
  for (nlohmann::json& one : counted) {
    nlohmann::json& settings = one["settings"];
    for (const auto& [name, value] : settings.items())
      if (std::find(settings_.begin(), settings_.end(), name) == settings_.end()) settings_.push_back(name);
    settings.erase("dump_folder");
  }
  text_ = counted.dump();

  constexpr const char* same_data = "access_same_data_considered_as_no_access";
  const nlohmann::json told = nlohmann::json::parse(detail::what_is_made(stage.place(), ctx).json());
  nlohmann::json cost;
  std::vector<std::string> made;
  std::size_t place = 0;
  for (const nlohmann::json& one : told) {
    std::string what = one.is_object() ? one.value("makes", "") : "";
    if (what.empty() && why_not_.empty() && place < counted.size())
      why_not_ = fmt::format(" ({} makes something else)", short_name(counted[place]));
    ++place;
    if (what == "filled_costs") {
      // Costs that do not follow from closed forms are for the chain itself.
      if (one.value("cacti", "") != "") why_not_ = " (costs that CACTI answers for have no bounds)";
      const bool above_layers = made.empty() || made == std::vector<std::string>{"sum"};
      if (above_layers && !filled_costs_ && why_not_.empty()) {
        filled_costs_ = choices_of(one);
        continue;
      }
    }
    if (what == "optimum") optimum_ = one;
    // Memories that are taken for larger are for the chain itself.
    if (what == "layers" && one.value("ignore_capacity", false)) what.clear();
    if (what == "layers") compat_of_network_ = one.value("compat", "");
    if (what == "cost") cost = one;
    if (what == "least") kept_ = word_of_choice(one.value("by", ""));
    if (what != "least" || made != std::vector<std::string>{"sum", "layers"}) made.push_back(what);
  }
  sums_optima_ = made == std::vector<std::string>{"sum", "layers", "optimum", "cost"} &&
                 optimum_.value("compat", "") == cost.value("compat", "") &&
                 optimum_.value(same_data, false) == cost.value(same_data, false);
}

nlohmann::json description_below(const Stage& stage, const Value& ctx) {
  zz_value* const made = detail::runtime.nested->describe(stage.place(), ctx.handle(), detail::sink());
  if (made == nullptr) detail::throw_failed_call();
  return nlohmann::json::parse(Value::take(made).json());
}

std::string name_in_evaluation(const std::string& figure) {
  const auto objective = core::objective_of_word(figure);
  return objective ? core::figure_of(*objective) : figure;
}

void check_choice(const ChainShape& shape, const FiguresChoice& choice) {
  if (!shape.optimum().is_null()) return;
  if (choice.within)
    throw Error(ZZ_E_INVALID,
                fmt::format("figures: {} needs OptimalMappingStage in the chain below", choice.written));
  if (choice.separate() || shape.kept().empty() || shape.kept() == choice.objective) return;
  throw Error(ZZ_E_INVALID,
              fmt::format("figures: {}, but the chain below keeps mappings by {}; put the reducer "
                          "of {} there, or write figures: {}",
                          choice.written, shape.kept(), choice.objective, shape.kept()));
}

namespace {

class FiguresOfChain : public PointFigures {
 public:
  FiguresOfChain(const Stage& stage, const ChainShape& shape, const FiguresChoice& choice,
                 std::vector<std::string> names)
      : stage_(stage), proves_(!shape.optimum().is_null()), choice_(choice), names_(std::move(names)) {
    check_choice(shape, choice);
    for (const char* const name : {"energy", "latency"})
      if (!in_parts() && std::find(names_.begin(), names_.end(), name) == names_.end())
        others_.emplace_back(name);
    if (!proves_ && choice.separate() && !shape.kept().empty())
      stage.log(Level::warning,
                fmt::format("the chain below keeps mappings by {}, so that all figures are of these; "
                            "OptimalMappingStage finds the best mapping for each figure",
                            shape.kept()));
  }

  std::vector<core::StoredFigure> of(const DesignPoint&, const Value& ctx,
                                     const std::vector<bool>&) override {
    if (!in_parts()) {
      std::vector<core::StoredFigure> figures;
      for (Result& result : stage_.substage(as_chosen(ctx))) take(result, choice_.objective, figures);
      return found(std::move(figures));
    }
    // Each figure by its own best mapping; what is neither energy nor latency follows from the fastest
    // ones.
    std::vector<core::StoredFigure> figures = of_objective(ctx, "latency");
    const auto energy = std::find(names_.begin(), names_.end(), "energy");
    if (energy != names_.end()) {
      const auto index = static_cast<std::size_t>(energy - names_.begin());
      figures[index] = of_objective(ctx, "energy")[index];
    }
    return figures;
  }

  core::ChainContent chain(const Value& ctx) const override {
    return core::ChainContent(description_below(stage_, as_chosen(ctx)));
  }
  std::string manner() const override { return in_parts() ? each_by_its_own : ""; }
  std::vector<std::string> others() const override { return others_; }

 private:
  /// True when the chain is run for each figure by itself.
  bool in_parts() const { return proves_ && choice_.separate(); }

  /// The context with the mappings that are chosen.
  Value as_chosen(const Value& ctx) const {
    if (!proves_ || choice_.separate()) return ctx;
    const Value below = with(ctx, {{"objective"_n, choice_.objective}});
    return choice_.within ? with(below, {{"within"_n, *choice_.within}}) : below;
  }

  std::vector<core::StoredFigure> of_objective(const Value& ctx, const char* objective) {
    std::vector<core::StoredFigure> figures;
    for (Result& result : stage_.substage(with(ctx, {{"objective"_n, objective}, {"within"_n, 0.0}})))
      take(result, objective, figures);
    return found(std::move(figures));
  }

  static std::vector<core::StoredFigure> found(std::vector<core::StoredFigure> figures) {
    if (figures.empty()) throw Error(ZZ_E_NO_RESULT, "the chain below gave no result");
    return figures;
  }

  /// Takes of several results the one that is best by the objective; or of each figure the least.
  void take(const Result& result, const std::string& objective,
            std::vector<core::StoredFigure>& best) const {
    std::vector<core::StoredFigure> own;
    const Ref bound = result.evaluation["optimum_lower_bound"_n];
    for (const std::string& name : names_) {
      const Ref figure = result.evaluation[name_in_evaluation(name)];
      if (!figure.exists()) throw no_figure(name, result.evaluation);
      const bool bounded = !bound.is_null() && name == objective;
      own.push_back({figure.num(), bounded ? bound.num() : unknown_figure});
    }
    for (const std::string& name : others_) {
      const Ref figure = result.evaluation[name_in_evaluation(name)];
      own.push_back({figure.is_null() ? unknown_figure : figure.num(), unknown_figure});
    }
    if (best.empty()) {
      best = std::move(own);
      return;
    }
    const auto by = std::find_if(names_.begin(), names_.end(),
                                 [&](const std::string& name) { return name == objective; });
    if (by == names_.end()) {
      for (std::size_t i = 0; i < best.size(); ++i)
        if (own[i].value < best[i].value) best[i] = own[i];
    } else {
      const auto index = static_cast<std::size_t>(by - names_.begin());
      if (own[index].value < best[index].value) best = std::move(own);
    }
  }

  static Error no_figure(const std::string& name, const Value& evaluation) {
    // A name that no result has is a mistake in the pipeline and not a property of the point.
    const auto result = object_or_null<core::Evaluation>(evaluation);
    if (const core::RateRow* rate = core::rate_row(name); rate != nullptr && result != nullptr)
      return {ZZ_E_MISSING, core::why_no_rate(*result, *rate)};
    return {ZZ_E_MISSING, fmt::format("the results of the chain below have no figure '{}'; {}", name,
                                      core::suggestion(name, core::objective_words()))};
  }

  const Stage& stage_;
  bool proves_;
  FiguresChoice choice_;
  std::vector<std::string> names_;
  std::vector<std::string> others_;  ///< energy and latency, where the space does not ask for them
};

/// `optimum`: what a stage says that it makes, see docs/abi.md.
core::JointOptions options_of(const nlohmann::json& optimum) {
  core::JointOptions options;
  options.mixed = optimum.value("enable_mix_spatial_mapping_generation", true);
  options.model = {.same_data_free = optimum.value("access_same_data_considered_as_no_access", false),
                   .rules = core::rules_of(optimum.value("compat", ""))};
  // Bounds of boxes of designs are those of tiles that divide; all strategies have the same figures.
  if (optimum.value("tiles", "dividing") == "chains")
    throw Error(ZZ_E_INVALID,
                "designs are compared with tiles that divide their loop, and OptimalMappingStage has "
                "`tiles: chains`; "
                "write `tiles: dividing`");
  options.factors = core::usual_factors(options.model.rules);
  if (optimum.contains("unrolling"))
    options.factors =
        optimum["unrolling"] == "any" ? core::UnrollingFactors::any : core::UnrollingFactors::even;
  // An infinite limit is null in JSON.
  if (optimum.contains("time_limit") && optimum["time_limit"].is_number())
    options.limits.seconds = optimum["time_limit"];
  options.limits.gap = optimum.value("gap", 0.0);
  if (optimum.contains("memory_limit"))
    options.limits.bytes = optimum["memory_limit"].get<std::size_t>() << 20;
  options.limits.cancelled = [] { return core::interruption_requested(); };
  return options;
}

}  // namespace

std::unique_ptr<PointFigures> figures_of_chain(const Stage& stage, const ChainShape& shape,
                                               const FiguresChoice& choice,
                                               const std::vector<std::string>& names) {
  return std::make_unique<FiguresOfChain>(stage, shape, choice, names);
}

FiguresOfLayers::FiguresOfLayers(const Stage& stage, const ChainShape& shape, const Value& ctx,
                                 core::Answers& answers, const std::vector<std::string>& names,
                                 double tolerance)
    : stage_(stage),
      workload_(object<core::Workload>(ctx, "workload"_n, "workload")),
      names_(names),
      compat_(shape.compat_of_network()),
      filled_costs_(shape.filled_costs()),
      placed_on_(object<core::Accelerator>(ctx, "accelerator"_n, "accelerator")) {
  if (!ctx["vector_unit"_n].is_null())
    unit_ = with_costs(object_or_null<core::Accelerator>(ctx.hold(ctx["vector_unit"_n])));
  if (filled_costs_ && !core::open_costs(*placed_on_).empty())
    if (const std::string warning = core::components::warning_of_node(filled_costs_->node);
        !warning.empty())
      stage.log(Level::warning, warning);
  placed_ = place_layers(*workload_, *placed_on_, unit_.get(), no_scales_with(compat_));
  report_placed(stage, *workload_, *placed_on_, unit_.get(), placed_);
  for (std::size_t i = 0; i < placed_.layers.size(); ++i) {
    const std::string text = core::question_text(*placed_.layers[i]);
    const auto known = std::find_if(questions_.begin(), questions_.end(), [&](const Question& question) {
      return question.text == text && question.on_unit == placed_.on_unit[i];
    });
    question_of_.push_back(static_cast<std::size_t>(known - questions_.begin()));
    if (known == questions_.end()) questions_.push_back({placed_.layers[i], text, placed_.on_unit[i], 0});
    ++questions_[question_of_.back()].layers;
  }
  core::JointOptions options = options_of(shape.optimum());
  // A tolerance is spent on the sum of the network: layers that are searched leave most of it to others.
  constexpr double share_of_tolerance = 1.0 / 8;
  options.limits.gap = std::max(options.limits.gap, share_of_tolerance * tolerance);
  answers_ = std::make_unique<core::LayerAnswers>(std::move(options), answers);
}

core::ChainContent FiguresOfLayers::chain(const Value& ctx) const {
  return core::ChainContent(description_below(stage_, ctx));
}

std::string FiguresOfLayers::manner() const { return each_by_its_own; }

void FiguresOfLayers::check(const core::Accelerator& accelerator) const {
  core::check_costs_are_told(accelerator);
  check_placed(placed_, accelerator, unit_.get());
  const std::shared_ptr<const core::Accelerator> borrowed(std::shared_ptr<void>(), &accelerator);
  check_room(stage_, *workload_, placed_.layers, borrowed, core::rules_of(compat_),
             compat_.empty() ? Capacity::refuse : Capacity::warn, true);
}

core::ContentKey FiguresOfLayers::key(std::size_t question, const std::string& text,
                                      core::Objective objective) const {
  const Question& asked = questions_[question];
  return answers_->key(asked.text, asked.on_unit ? core::question_text(*unit_, objective) : text,
                       objective);
}

std::vector<core::StoredFigure> FiguresOfLayers::of(const DesignPoint&, const Value& ctx,
                                                    const std::vector<bool>& wanted) {
  const auto accelerator = with_costs(object<core::Accelerator>(ctx, "accelerator"_n, "accelerator"));
  check(*accelerator);
  const auto sum = [&](core::Objective objective) {
    const std::string text = core::question_text(*accelerator, objective);
    std::vector<core::StoredAnswer> answers;
    for (std::size_t i = 0; i < questions_.size(); ++i)
      answers.push_back(answers_->answer(key(i, text, objective), *questions_[i].layer,
                                         accelerator_of(i, accelerator), objective));
    // In the order of the layers, as SumStage adds.
    core::StoredFigure total;
    for (const std::size_t question : question_of_) {
      total.value += answers[question].value;
      total.bound += answers[question].bound;
    }
    return total;
  };
  core::StoredFigure energy, latency;
  if (is_wanted("energy", wanted)) energy = sum(core::Objective::energy);
  if (is_wanted("latency", wanted)) latency = sum(core::Objective::latency);
  return named(energy, latency, *accelerator);
}

std::shared_ptr<const core::Accelerator> FiguresOfLayers::with_costs(
    const std::shared_ptr<const core::Accelerator>& accelerator) const {
  if (!filled_costs_ || accelerator == nullptr || core::open_costs(*accelerator).empty())
    return accelerator;
  return std::make_shared<const core::Accelerator>(
      core::components::fill_open_costs(*accelerator, *filled_costs_).accelerator);
}

bool FiguresOfLayers::is_wanted(std::string_view figure, const std::vector<bool>& wanted) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (wanted[i] && (names_[i] == figure || names_[i] == "edp" ||
                      (figure == "latency" && follows_from_latency(names_[i]))))
      return true;
  return false;
}

double FiguresOfLayers::rate(std::string_view figure, double latency, double clock_period) const {
  core::Evaluation result;
  result.latency_total2 = latency;
  result.clock_period = clock_period;
  result.frames = workload_->frames;
  result.tokens = workload_->tokens;
  const core::RateRow& row = *core::rate_row(figure);
  const std::optional<double> rate = core::rates_of(result).*row.member;
  // An unknown latency has an unknown rate.
  if (!rate && latency > 0) throw Error(ZZ_E_MISSING, core::why_no_rate(result, row));
  return rate.value_or(unknown_figure);
}

std::vector<core::StoredFigure> FiguresOfLayers::named(const core::StoredFigure& energy,
                                                       const core::StoredFigure& latency,
                                                       const core::Accelerator& accelerator) const {
  const auto area = [&] {
    // As ComponentCostStage adds.
    double sum = 0.0 + core::components::area_of(accelerator);
    if (unit_ != nullptr) sum += core::components::area_of(*unit_, &accelerator);
    return core::StoredFigure{sum, sum};
  };
  std::vector<core::StoredFigure> figures;
  for (const std::string& name : names_) {
    if (name == "energy")
      figures.push_back(energy);
    else if (name == "latency")
      figures.push_back(latency);
    else if (name == "edp")
      figures.push_back({energy.value * latency.value, energy.bound * latency.bound});
    else if (follows_from_latency(name))
      figures.push_back({rate(name, latency.value, accelerator.clock_period),
                         rate(name, latency.bound, accelerator.clock_period)});
    else
      figures.push_back(area());
  }
  return figures;
}

}  // namespace zz::plugins
