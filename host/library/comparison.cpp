#include "host/library/comparison.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <unistd.h>

#include "core/base/nearest_name.hpp"
#include "core/compat/rules.hpp"
#include "core/cost/evaluation.hpp"
#include "core/input/yaml/document.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/schema/types.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/report/result_rows.hpp"

namespace zz::host {
namespace {

namespace fs = std::filesystem;
using core::yaml::Node;
using Json = nlohmann::ordered_json;
using Names = std::set<std::string, std::less<>>;

/// Settings that neither ZigZag nor Stream has.
struct OwnSetting {
  std::string_view name;
  bool left_out;  ///< of the other way; else it has a meaning once the rule that refuses it is dropped
  std::string_view why;
};
constexpr OwnSetting own_settings[] = {
    {"vector_unit", true, "ZigZag has no vector unit: operators on elements cost nothing"},
    {"dimensions", false, "lengths that the file leaves open have no value in ZigZag and Stream"},
    {"values", false,
     "inputs have no value in ZigZag and Stream, which take the branch with the most nodes"},
    {"search_order", true, "Stream does not search the order of nodes"},
    {"back_filling", true, "Stream fills no gaps that earlier nodes left"},
    {"layer_ranks", true, "Stream has no ranks of layers"},
};
constexpr std::string_view cut_search = "SearchHintLoopsStage", schedule_stage = "InterCoreMappingStage";
constexpr std::string_view why_no_cut_search =
    "Stream does not search how layers are cut: it gets the cuts that were found, as hint_loops";

// --------------------------------------------------------------------------------- changes to the pipeline

void erase_settings(PipelineFile& pipeline, const Names& names) {
  const auto erase = [&](std::vector<WrittenSetting>& settings) {
    std::erase_if(settings, [&](const WrittenSetting& setting) { return names.contains(setting.name); });
  };
  erase(pipeline.parameters);
  for (StageEntry& stage : pipeline.stages) erase(stage.settings);
}

bool has_setting(const PipelineFile& pipeline, std::string_view name) {
  const auto among = [&](const std::vector<WrittenSetting>& settings) {
    return std::any_of(settings.begin(), settings.end(),
                       [&](const WrittenSetting& setting) { return setting.name == name; });
  };
  return among(pipeline.parameters) ||
         std::any_of(pipeline.stages.begin(), pipeline.stages.end(),
                     [&](const auto& stage) { return among(stage.settings); });
}

WrittenSetting setting_of(const std::string& name, const Node& value) {
  return {name, {"compare: " + name, 0, 0}, value, Origin::parameters};
}

void set_parameter(PipelineFile& pipeline, const std::string& name, const Node& value) {
  erase_settings(pipeline, {name});
  pipeline.parameters.push_back(setting_of(name, value));
}

Node text_node(const std::string& text) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.quoted = true;
  node.text = text;
  return node;
}

/// A folder that ends with this object, whatever is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "zz-compare-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw core::InputError("cannot make a folder for results in " + fs::temp_directory_path().string());
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// ---------------------------------------------------------------------------------------- figures of a run

bool same_row(const ResultRow& a, const ResultRow& b) {
  const Figures &of_a = a, &of_b = b;
  return a.is_same_layer(b) && a.id == b.id && of_a == of_b && a.limited_by == b.limited_by;
}

bool same_results(const ResultRows& a, const ResultRows& b) {
  return a.settings == b.settings && a.total.has_value() == b.total.has_value() &&
         (!a.total || same_row(*a.total, *b.total)) &&
         std::equal(a.layers.begin(), a.layers.end(), b.layers.begin(), b.layers.end(), same_row);
}

/// The outcome of running the pipeline one way.
struct Outcome {
  std::string refused;  ///< why; "" where there are results
  std::vector<ResultRows> results;

  bool operator==(const Outcome& other) const {
    return refused.empty() == other.refused.empty() &&
           std::equal(results.begin(), results.end(), other.results.begin(), other.results.end(),
                      same_results);
  }
};

/// Layers that lost their names get those of `ours`, by their ids.
void name_layers(Outcome& outcome, const Outcome& ours) {
  const auto find = [](std::vector<ResultRow>& rows, const auto& is_wanted) {
    return std::find_if(rows.begin(), rows.end(), is_wanted);
  };
  for (std::size_t i = 0; i < outcome.results.size(); ++i) {
    std::vector<ResultRow>& rows = outcome.results[i].layers;
    for (ResultRow& row : rows) {
      if (i >= ours.results.size() || row.id < 0) break;
      std::vector<ResultRow> known = ours.results[i].layers;
      if (find(known, [&](const ResultRow& one) { return one.layer == row.layer; }) != known.end())
        continue;
      const auto same = find(known, [&](const ResultRow& one) { return one.id == row.id; });
      if (same != known.end()) row.layer = same->layer;
    }
    number_layers(rows);
  }
}

std::string reason_of(const Failure& failure) {
  const Failure& root = root_cause(failure);
  if (root.problems.empty()) return root.message;
  const core::Diagnostic& first = root.problems.front();
  return first.hint.empty() ? first.message : first.message + "; " + first.hint;
}

std::string reason_of(const core::Diagnostics& diagnostics) {
  for (const core::Diagnostic& problem : diagnostics.all())
    if (problem.severity == core::Severity::error) return problem.message;
  return "the pipeline is wrong";
}

// -------------------------------------------------------------------------------------------- both ways

/// The rules of an original, as they are dropped: those of schedules together.
std::vector<std::string> steps_of(std::string_view original) {
  const core::Rules rules = core::rules_of(original);
  std::vector<std::string> steps;
  for (const core::RuleRow& row : core::rule_rows()) {
    if (!(rules.*row.rule)) continue;
    const std::string step(row.of == core::RuleOf::stream_schedules ? rules_of_schedules : row.name);
    if (steps.empty() || steps.back() != step) steps.push_back(step);
  }
  return steps;
}

/// One of the rules behind a step: an exception from one of schedules is one from all.
std::string_view rule_in(const std::string& step) {
  return step == rules_of_schedules ? core::rule_row(&core::Rules::starts_before_arrival).name : step;
}

class BothWays {
 public:
  BothWays(const PipelineRequest& request, const OpenPipeline& open, std::string original, Run& run)
      : request_(request), run_(run), original_(std::move(original)), steps_(steps_of(original_)) {
    for (const ResolvedStage& stage : open.chain.stages)
      searches_cuts_ = searches_cuts_ || stage.stage->name == cut_search;
    if (searches_cuts_) left_out_.emplace_back(cut_search, why_no_cut_search);
    for (const OwnSetting& setting : own_settings)
      if (setting.left_out && has_setting(open.pipeline, setting.name))
        left_out_.emplace_back(setting.name, setting.why);
  }

  Comparison compare(bool by_rule) {
    ours_ = ran([](PipelineFile&, const PluginRegistry&) {}, true);
    name_layers(ours_, ours_);
    const int first = first_that_runs();
    const bool compares = first < static_cast<int>(steps_.size());
    Comparison comparison{
        request_.path, compares ? compat_after(first) : original_, left_out_, state(0).refused, {}, {}, 0};
    comparison.results =
        pair_up(ours_.results, compares ? state(first).results : std::vector<ResultRows>{});
    if (by_rule && compares) explain(comparison, first);
    comparison.runs = runs_;
    return comparison;
  }

 private:
  std::string compat_without(const std::vector<std::string>& steps) const {
    if (steps.empty()) return original_;
    if (steps.size() == steps_.size()) return "";
    std::vector<std::string_view> names;
    for (const std::string& step : steps) names.push_back(rule_in(step));
    return fmt::format("{} but {}", original_, fmt::join(names, ", "));
  }

  /// `compat` once so many rules have been dropped.
  std::string compat_after(int dropped) const {
    return compat_without({steps_.begin(), steps_.begin() + dropped});
  }

  const Outcome& state(int dropped) {
    const auto known = states_.find(dropped);
    return known != states_.end()
               ? known->second
               : states_.emplace(dropped, other_way(compat_after(dropped))).first->second;
  }

  Outcome other_way(const std::string& compat) {
    Outcome outcome = ran(
        [&](PipelineFile& pipeline, const PluginRegistry& registry) {
          std::erase_if(pipeline.stages, [&](const StageEntry& entry) {
            return canonical_name(entry, registry) == cut_search;
          });
          for (const OwnSetting& setting : own_settings)
            if (setting.left_out) erase_settings(pipeline, {std::string(setting.name)});
          for (const auto& [name, value] : found_cuts_) set_parameter(pipeline, name, value);
          if (!compat.empty()) set_parameter(pipeline, "compat", text_node(compat));
        },
        false);
    name_layers(outcome, ours_);
    return outcome;
  }

  /// Runs the pipeline with changes. A failure is thrown where the way `is_ours`, and else an outcome.
  Outcome ran(const PipelineEdit& edit, bool is_ours) {
    ++runs_;
    const TemporaryFolder folder;
    const auto prepare = [&](PipelineFile& pipeline, const PluginRegistry& registry) {
      erase_settings(pipeline, {"compat"});
      for (StageEntry& stage : pipeline.stages)
        if (canonical_name(stage, registry) == cut_search)
          stage.settings.push_back(setting_of("dump_folder", text_node(folder.path().string())));
      edit(pipeline, registry);
    };
    const WorkingFor working(run_);
    const OpenPipeline open = open_pipeline(without_files(request_, prepare));
    if (open.code != ExitCode::done) {
      if (is_ours) open.diagnostics.throw_if_errors();
      return {reason_of(open.diagnostics), {}};
    }
    Outcome outcome;
    try {
      outcome.results = run_figures(open, run_);
    } catch (const ChainFailure& failure) {
      if (is_ours || failure.failure()->code == ZZ_E_CANCELLED) throw;
      return {reason_of(*failure.failure()), {}};
    }
    if (outcome.results.empty()) outcome.refused = "the pipeline gave no result";
    if (is_ours && searches_cuts_) read_found_cuts(folder.path() / "hint_loops.yaml");
    return outcome;
  }

  void read_found_cuts(const fs::path& file) {
    core::Diagnostics ignored;
    const Node root = core::yaml::load_file(file.string(), ignored);
    const Node* const parameters = root.find("parameters");
    for (const char* name : {"hint_loops", "cn_define_mode"})
      if (const Node* value = parameters != nullptr ? parameters->find(name) : nullptr)
        found_cuts_.emplace_back(name, *value);
  }

  /// Number of rules that must be dropped until the original does not refuse; all where it does to the
  /// last. They come first in `steps_` from then on. Where a single one will do, it is that one; else none
  /// of them can be spared.
  int first_that_runs() {
    if (state(0).refused.empty()) return 0;
    for (const std::string& step : steps_)
      if (runs_without({step})) return drop_first({step});
    const int all = static_cast<int>(steps_.size());
    int dropped = 2;
    while (dropped < all && !state(dropped).refused.empty()) ++dropped;
    if (dropped >= all) return all;
    std::vector<std::string> needed(steps_.begin(), steps_.begin() + dropped);
    for (int i = dropped - 1; i >= 0; --i) {
      std::vector<std::string> fewer = needed;
      fewer.erase(fewer.begin() + i);
      if (runs_without(fewer)) needed = std::move(fewer);
    }
    return drop_first(needed);
  }

  bool runs_without(const std::vector<std::string>& steps) {
    return other_way(compat_without(steps)).refused.empty();
  }

  int drop_first(const std::vector<std::string>& steps) {
    const auto is_dropped = [&](const std::string& step) {
      return std::find(steps.begin(), steps.end(), step) != steps.end();
    };
    std::stable_partition(steps_.begin(), steps_.end(), is_dropped);
    states_.erase(std::next(states_.begin()), states_.end());
    return static_cast<int>(steps.size());
  }

  /// Adds the positions between which all that moves figures lies, a rule each.
  void narrow(int low, int high, std::vector<int>& turns) {
    if (state(low) == state(high)) return;
    if (high - low == 1) return turns.push_back(high);
    const int middle = low + (high - low) / 2;
    narrow(low, middle, turns);
    narrow(middle, high, turns);
  }

  void explain(Comparison& comparison, int first) {
    const int all = static_cast<int>(steps_.size());
    std::vector<int> turns;
    narrow(first, all, turns);
    const Outcome* before = &state(first);
    std::string refused_until;
    for (const int turn : turns) {
      const Outcome& after = state(turn);
      // Where it is refused in between, the rules count together.
      refused_until += (refused_until.empty() ? "" : ", ") + steps_[turn - 1];
      if (!after.refused.empty()) continue;
      add_share(comparison, std::exchange(refused_until, ""), *before, after);
      before = &after;
    }
    if (before != &ours_ && !(*before == ours_)) add_share(comparison, what_is_left_out, *before, ours_);
  }

  static void add_share(Comparison& comparison, const std::string& rule, const Outcome& before,
                        const Outcome& after) {
    comparison.rules.push_back(rule);
    const auto add = [&](ComparedRow& row, const Figures* from, const Figures* to) {
      if (!row.ours || !row.theirs || from == nullptr || to == nullptr || *from == *to) return;
      row.by_rule.emplace_back(rule, Figures{to->energy - from->energy, to->latency - from->latency});
    };
    for (std::size_t i = 0; i < comparison.results.size(); ++i) {
      if (i >= before.results.size() || i >= after.results.size()) break;
      const ResultRows &from = before.results[i], &to = after.results[i];
      std::map<std::string, int> count;
      for (ComparedRow& row : comparison.results[i].layers) {
        ResultRow wanted;
        wanted.layer = row.layer;
        wanted.nth = count[row.layer]++;
        add(row, from.find(wanted), to.find(wanted));
      }
      if (comparison.results[i].total && from.total && to.total)
        add(*comparison.results[i].total, &*from.total, &*to.total);
    }
  }

  const PipelineRequest& request_;
  Run& run_;
  const std::string original_;
  std::vector<std::string> steps_;
  bool searches_cuts_ = false;
  std::vector<std::pair<std::string, std::string>> left_out_;
  std::vector<std::pair<std::string, Node>> found_cuts_;
  Outcome ours_;
  std::map<int, Outcome> states_;  ///< by the number of rules that were dropped
  int runs_ = 0;
};

bool has_stage(const ResolvedPipeline& chain, std::string_view name) {
  return std::any_of(chain.stages.begin(), chain.stages.end(),
                     [&](const ResolvedStage& stage) { return stage.stage->name == name; });
}

// --------------------------------------------------------------------------------------------------- JSON

Json row_json(const ComparedRow& row) {
  Json json{{"layer", row.layer}, {"zz", figures_json(row.ours)}, {"original", figures_json(row.theirs)}};
  if (row.ours && row.theirs)
    json["difference"] = figures_json(
        Figures{row.ours->energy - row.theirs->energy, row.ours->latency - row.theirs->latency});
  else
    json["difference"] = nullptr;
  json["by_rule"] = Json::object();
  for (const auto& [rule, share] : row.by_rule) json["by_rule"][rule] = figures_json(share);
  return json;
}

}  // namespace

const std::vector<std::string>& comparable_originals() {
  static const std::vector<std::string> names = {"zigzag-3.8.5", "zigzag-3.9", "stream-0.0.8"};
  return names;
}

std::string text_of_rule(const std::string& rule) {
  if (rule == rules_of_schedules)
    return "nodes wait for their data, memory is free once its content has been used and written back, and "
           "each "
           "transfer and stream takes its time on the links; Stream's schedules do without";
  if (rule == what_is_left_out) return "what the original lacks, as listed above";
  for (const core::RuleRow& row : core::rule_rows())
    if (row.name == rule) return std::string(row.what);
  return "together: they are refused one without the other";
}

Comparison compare(const PipelineRequest& request, const OpenPipeline& open,
                   const ComparisonOptions& options, Run& run) {
  std::string original = options.with;
  const std::vector<std::string>& known = comparable_originals();
  if (!original.empty() && std::find(known.begin(), known.end(), original) == known.end())
    throw core::InputError(fmt::format("compare: '{}' is none of {}; {}", original, fmt::join(known, ", "),
                                       core::suggestion(original, known)));
  if (original.empty()) original = has_stage(open.chain, schedule_stage) ? "stream-0.0.8" : "zigzag-3.9";
  return BothWays(request, open, std::move(original), run).compare(options.by_rule);
}

Json comparison_json(const Comparison& comparison) {
  Json json{{"pipeline", comparison.pipeline}, {"with", comparison.compat}};
  json["refused"] = comparison.refused.empty() ? Json() : Json(comparison.refused);
  json["left_out"] = Json::array();
  for (const auto& [what, why] : comparison.left_out)
    json["left_out"].push_back({{"what", what}, {"why", why}});
  json["rules"] = Json::array();
  for (const std::string& rule : comparison.rules)
    json["rules"].push_back({{"rule", rule}, {"what", text_of_rule(rule)}});
  json["results"] = Json::array();
  for (const ComparedResult& result : comparison.results) {
    Json one = Json::object();
    add_settings(one, result.settings);
    one["total"] = result.total ? row_json(*result.total) : Json();
    one["layers"] = Json::array();
    for (const ComparedRow& row : result.layers) one["layers"].push_back(row_json(row));
    json["results"].push_back(std::move(one));
  }
  json["runs"] = comparison.runs;
  return json;
}

}  // namespace zz::host
