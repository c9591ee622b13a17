#include "host/report/why.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/quantities.hpp"
#include "core/search/helps/helps.hpp"
#include "core/search/optimal/joint_question.hpp"
#include "core/search/optimal/searched_space.hpp"
#include "host/boundary/parallel.hpp"

namespace zz::host {
namespace {

Why why_of_row(const ResultRow& row) {
  Why why;
  why.row = row;
  why.evaluation = row.evaluation();
  why.proven = is_proven_best(*why.evaluation);
  return why;
}

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
  throw core::InputError({core::Diagnostic{core::Severity::error, {}, message, hint}});
}

/// The reason that nobody asks about a port, which some machine has; "": none has it.
std::string why_not_asked(const std::string& name, std::span<const core::Evaluation* const> layers) {
  for (const core::Evaluation* const layer : layers) {
    const core::Evaluation& one = core::asked_of(*layer);
    if (one.accelerator == nullptr || one.layer == nullptr) continue;
    for (const core::Memory& memory : one.accelerator->memories)
      for (const core::Port& port : memory.ports) {
        if (memory.name + " " + port.name != name) continue;
        const bool serves = std::any_of(port.allocation.begin(), port.allocation.end(),
                                        [&](const core::PortAllocation& service) {
                                          return one.layer->operand_assigned_to(service.operand) >= 0;
                                        });
        return serves ? fmt::format(
                            "a wider '{}' changes nothing: it moves whole words to its unit, or all "
                            "that its memory holds, in a cycle",
                            name)
                      : fmt::format("no operand of the layer passes '{}'", name);
      }
  }
  return "";
}

/// The parts of all machines whose change bears on the objective.
std::vector<core::MachinePart> parts_of_all(std::span<const core::Evaluation* const> layers,
                                            core::Objective objective) {
  std::vector<core::MachinePart> all;
  for (const core::Evaluation* const layer : layers) {
    const core::Evaluation& one = core::asked_of(*layer);
    if (!core::why_not_repeatable(one).empty()) continue;
    for (const core::MachinePart& part : core::parts_of(*one.accelerator, *one.layer, objective))
      if (std::find(all.begin(), all.end(), part) == all.end()) all.push_back(part);
  }
  return all;
}

/// The parts with these names that bear on the objective. A name may be of the other one alone, where both
/// are asked about.
std::vector<core::MachinePart> parts_named(const WhyQuestion& question,
                                           std::span<const core::Evaluation* const> layers,
                                           core::Objective objective) {
  const std::vector<core::MachinePart> timed = parts_of_all(layers, core::Objective::latency);
  const std::vector<core::MachinePart> costly =
      question.energy ? parts_of_all(layers, core::Objective::energy) : std::vector<core::MachinePart>{};
  std::vector<std::string> known;
  for (const auto* const parts : {&timed, &costly})
    for (const core::MachinePart& part : *parts) known.push_back(core::name_of(part));
  std::vector<core::MachinePart> found;
  for (const std::string& name : question.changes) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string reason = why_not_asked(name, layers);
      if (reason.empty())
        refuse(fmt::format("there is no part '{}' whose change could help", name),
               core::suggestion(name, known));
      refuse(reason, known.empty() ? "" : fmt::format("ask about {}", fmt::join(known, ", ")));
    }
    for (const core::MachinePart& part : objective == core::Objective::latency ? timed : costly)
      if (core::name_of(part) == name) found.push_back(part);
  }
  return found;
}

/// The answers about one figure, for each row and for all.
class MachineAnswers {
 public:
  MachineAnswers(std::span<const core::Evaluation* const> layers, core::Objective objective,
                 const WhyQuestion& question, Run& run)
      : layers_(layers) {
    options_.objective = objective;
    options_.factor = question.factor;
    options_.least = question.least;
    options_.only = parts_named(question, layers, objective);
    if (options_.only.empty() && !question.changes.empty()) return;  // they bear on the other figure
    asked_ = true;
    options_.cancelled = [&run] { return run.cancelled.load(); };
    options_.parallel = [&run](std::uint32_t n, const std::function<void(std::uint32_t)>& body) {
      for_each_on_threads(run, n, body);
    };
    bool begun = false;
    options_.progress = [&](std::size_t done, std::size_t all) {
      if (done > 0) return run.progress.advance(&options_, 1);
      if (std::exchange(begun, true)) run.progress.end(&options_);
      run.progress.begin(&options_, "changes mapped anew", all);
    };
    changes_ = core::changes_of(layers, run.answers->in_use().optima, options_);
    options_.progress = {};
    if (begun) run.progress.end(&options_);
  }

  MachineAnswer of(std::span<const std::size_t> rows) const {
    MachineAnswer answer;
    if (!asked_) return answer;
    double bound = 0;
    std::map<std::string, int> stay;
    for (const std::size_t row : rows) {
      answer.kept += value_of(options_.objective, layers_[row]->energy_total, layers_[row]->latency_total2);
      answer.now += changes_.now[row].value;
      bound += changes_.now[row].bound;
      if (!changes_.not_known[row].empty()) ++stay[changes_.not_known[row]];
    }
    answer.among = among(rows);
    answer.proven = stay.empty() && core::gap_above(bound, answer.now) == 0;
    for (const auto& [reason, count] : stay) {
      answer.known += count;
      answer.not_known.push_back(rows.size() == 1 ? reason
                                                  : fmt::format("{} of {} layers stay as they are: {}",
                                                                count, rows.size(), reason));
    }
    answer.known = rows.size() - answer.known;
    answer.not_known.insert(answer.not_known.end(), changes_.not_costed.begin(), changes_.not_costed.end());
    answer.savings = core::savings_of(changes_, rows, options_);
    answer.open = core::open_changes(changes_, rows, options_);
    if (answer.open > 0)
      answer.not_known.push_back(
          fmt::format("{} of {} changes may save more than was found: time ended their "
                      "searches",
                      answer.open, changes_.changes.size()));
    return answer;
  }

 private:
  /// In words, of all rows together.
  std::string among(std::span<const std::size_t> rows) const {
    std::optional<double> all;
    for (const std::size_t row : rows) {
      const core::Evaluation& evaluation = core::asked_of(*layers_[row]);
      if (!core::why_not_repeatable(evaluation).empty()) continue;
      core::JointQuestion question = core::question_of(evaluation);
      question.options.objective = options_.objective;
      const double space =
          core::figure_of(core::space_of(question.options, question.layer, *evaluation.accelerator));
      all = all ? core::figure_of_both(*all, space) : space;
    }
    return all ? core::words_of(core::space_of_figure(*all)) : "";
  }

  std::span<const core::Evaluation* const> layers_;
  core::ChangeOptions options_;
  core::Changes changes_;
  bool asked_ = false;
};

core::ScheduleHelpOptions schedule_options(const WhyQuestion& question, const Run& run) {
  return {.factor = question.factor, .least = question.least, .cancelled = [&run] {
            return run.cancelled.load();
          }};
}

}  // namespace

std::string mapping_words(const core::Saving& saving) {
  const double gap = core::gap_above(saving.bound, saving.value);
  if (gap == 0) return "anew, proven best";
  return saving.bound > 0 ? fmt::format("anew, at most {} above the best", core::percent_text(gap))
                          : "anew, nothing proven";
}

std::vector<ResultRow> WhyOfResult::rows() const {
  std::vector<ResultRow> all;
  for (const Why& layer : layers) all.push_back(layer.row);
  return all;
}

WhyOfResult why_of(const ResultRows& result, const WhyQuestion& question, Run& run) {
  WhyOfResult found;
  found.settings = result.settings;
  std::vector<std::string> names;
  std::vector<const core::Evaluation*> all;
  const bool whole = question.layer.empty() && result.total;
  for (const ResultRow& row : result.layers) {
    names.push_back(row.layer);
    auto schedule = why_of_schedule(row, question.layer, schedule_options(question, run));
    if (!schedule && !question.layer.empty() && row.layer != question.layer) continue;
    Why why = why_of_row(row);
    if (why.schedule = std::move(schedule); why.schedule) {
      found.layers.push_back(std::move(why));
      continue;
    }
    why.count = why.evaluation->times;
    all.push_back(why.evaluation);
    found.layers.push_back(std::move(why));
  }
  if (found.layers.empty() && !question.layer.empty())
    refuse(fmt::format("there is no layer '{}'", question.layer), core::suggestion(question.layer, names));
  if (whole) {
    found.total = why_of_row(*result.total);
    found.total->proven =
        std::all_of(found.layers.begin(), found.layers.end(), [](const Why& why) { return why.proven; });
  }
  if (question.mapping) {
    const core::HelpOptions options{
        .factor = question.factor, .search = question.search, .least = question.least, .cancelled = [&run] {
          return run.cancelled.load();
        }};
    for (Why& why : found.layers)
      if (!why.schedule) why.helps = core::helps_for(std::vector{why.evaluation}, options);
    if (whole) found.total->helps = core::helps_for(all, options);
    return found;
  }
  if (all.empty()) return found;
  std::vector<Why*> asked;
  for (Why& why : found.layers)
    if (!why.schedule) asked.push_back(&why);
  std::vector<std::size_t> rows(all.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto ask = [&](core::Objective objective, MachineAnswer Why::*answer) {
    const MachineAnswers answers(all, objective, question, run);
    for (const std::size_t row : rows) asked[row]->*answer = answers.of({&row, 1});
    if (whole) (*found.total).*answer = answers.of(rows);
  };
  ask(core::Objective::latency, &Why::latency);
  if (question.energy) ask(core::Objective::energy, &Why::energy);
  return found;
}

}  // namespace zz::host
