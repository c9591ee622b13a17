#include "plugins/explore/exploration.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

namespace {

/// The manner of core::point_key() for points whose figures are of no run of zz.
constexpr const char* told = "told from elsewhere";
constexpr core::StoredFigure unknown_yet{std::numeric_limits<double>::quiet_NaN(),
                                         std::numeric_limits<double>::quiet_NaN()};

}  // namespace

Exploration::Exploration(const PointRunner& runner, core::ResultStore& store, PointFigures& figures,
                         std::vector<std::string> objectives, bool shared)
    : runner_(runner),
      points_(runner.points()),
      chain_(figures.chain(runner.above())),
      manner_(figures.manner()),
      store_(store),
      figures_(figures),
      objectives_(std::move(objectives)),
      kept_(points_.forms().figures),
      shared_(shared) {
  for (std::string& name : figures_.others()) kept_.push_back(std::move(name));
  asks_store_ = shared_ || store_.has_results();
  load_front();
}

void Exploration::load_front() {
  const core::StoredTable front = store_.front();
  std::vector<core::DesignFront::Member> members;
  for (const auto& row : front.rows) {
    core::DesignFront::Member& member = members.emplace_back();
    member.point = row.front().get<std::uint64_t>();
    for (const std::string& objective : objectives_) {
      const auto column = std::find(front.columns.begin(), front.columns.end(), objective);
      const nlohmann::json& cell = row[static_cast<std::size_t>(column - front.columns.begin())];
      member.figures.push_back(cell.is_number() ? cell.get<double>()
                                                : std::numeric_limits<double>::quiet_NaN());
    }
  }
  front_ = core::DesignFront(std::move(members));
}

bool Exploration::learn_of_others() {
  constexpr std::chrono::seconds between{1};
  if (!shared_ || std::chrono::steady_clock::now() - learned_ < between) return false;
  store_.write();
  load_front();
  learned_ = std::chrono::steady_clock::now();
  return true;
}

void Exploration::count_all() {
  beyond_ = store_.count(core::PointState::beyond);
  infeasible_ = store_.count(core::PointState::infeasible);
}

void Exploration::work_out(std::uint64_t number, PointOutcome& outcome) const {
  if (std::optional<core::StoredPoint> known = asks_store_ ? store_.point(number) : std::nullopt) {
    outcome.row = std::move(*known);
    outcome.stored = true;
    return;
  }
  outcome.row.number = number;
  finish(outcome, asks_store_,
         [&](const Value& below) { return figures_.of(outcome.design, below, outcome.new_figures); });
}

void Exploration::work_out(std::uint64_t number, const std::vector<core::StoredFigure>& figures,
                           PointOutcome& outcome) const {
  outcome.row.number = number;
  finish(outcome, false, [&](const Value&) { return figures; });
}

void Exploration::take_given(std::uint64_t number, const std::vector<core::StoredFigure>& figures,
                             PointOutcome& outcome) const {
  outcome.row.number = number;
  finish(
      outcome, false, [&](const Value&) { return figures; }, true);
}

bool Exploration::find_figures(PointOutcome& outcome, const core::ContentKey& key) const {
  outcome.row.key = key;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const auto figure = store_.figure(key, kept_[i]);
    outcome.figures[i] = figure.value_or(unknown_yet);
    outcome.new_figures[i] = !figure;
  }
  const auto needed = static_cast<std::ptrdiff_t>(points_.forms().figures.size());
  return std::none_of(outcome.new_figures.begin(), outcome.new_figures.begin() + needed,
                      [](bool is_new) { return is_new; });
}

void Exploration::finish(PointOutcome& outcome, bool known,
                         const std::function<std::vector<core::StoredFigure>(const Value&)>& figures,
                         bool given) const {
  DesignPoint& design = outcome.design;
  core::StoredPoint& row = outcome.row;
  const auto failure = runner_.run(row.number, design, [&](const Value& below) {
    row.key = key_of(design, below, given ? told : manner_);
    outcome.broken = points_.broken(design.numbers);
    if (outcome.broken) return;
    if (asks_store_)
      if (const std::optional<std::string> failed = store_.failure(row.key)) {
        outcome.found = true;
        throw Error(ZZ_E_NO_RESULT, *failed);
      }
    outcome.figures.assign(kept_.size(), unknown_yet);
    outcome.new_figures.assign(kept_.size(), true);
    if (known) {
      const core::ContentKey own = row.key;
      outcome.found = find_figures(outcome, own) || find_figures(outcome, key_of(design, below, told));
      if (!outcome.found) find_figures(outcome, own);
    }
    if (!outcome.found) {
      outcome.new_failure = true;
      const std::vector<core::StoredFigure> found = figures(below);
      for (std::size_t i = 0; i < found.size(); ++i)
        if (outcome.new_figures[i]) outcome.figures[i] = found[i];
      outcome.new_failure = false;
    }
    std::vector<double> values;
    for (const core::StoredFigure& figure : outcome.figures) values.push_back(figure.value);
    points_.set_figures(design.numbers, values);
    outcome.broken = points_.broken(design.numbers);
  });
  if (failure) {
    row.state = core::PointState::infeasible;
    row.reason = failure->reason;
    outcome.proven_failure = failure->proven;
    outcome.figures.clear();
  } else if (outcome.broken) {
    row.state = core::PointState::beyond;
    row.reason =
        fmt::format("breaks {} by {:.3g} %", points_.forms().constraints[outcome.broken->constraint].text(),
                    100 * outcome.broken->excess);
  }
  row.axes = design.axes;
  for (const core::ClosedForm& metric : points_.forms().metrics)
    row.metrics.push_back(points_.number_of(design.numbers, metric.name));
}

void Exploration::fail(std::uint64_t number, const std::string& reason, PointOutcome& outcome) const {
  outcome.row.number = number;
  finish(outcome, false,
         [&](const Value&) -> std::vector<core::StoredFigure> { throw Error(ZZ_E_NO_RESULT, reason); });
}

void Exploration::complete(
    std::uint64_t number, PointOutcome& outcome,
    const std::function<std::vector<core::StoredFigure>(const std::vector<bool>&)>& figures) const {
  outcome.row.number = number;
  finish(outcome, true, [&](const Value&) { return figures(outcome.new_figures); });
}

void Exploration::keep_layers_of_front(FiguresOfLayers& figures) {
  for (const auto& row : store_.front().rows) {
    DesignPoint design;
    points_.make(row.front().get<std::uint64_t>(), design);
    const auto accelerator = figures.with_costs(object_or_null<core::Accelerator>(design.accelerator));
    if (accelerator == nullptr) continue;
    const auto answers_of = [&](core::Objective objective) {
      const std::string text = core::question_text(*accelerator, objective);
      std::vector<core::StoredAnswer> answers;
      for (std::size_t i = 0; i < figures.questions().size(); ++i) {
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        const auto known = figures.answers().find(figures.key(i, text, objective), core::infinite);
        answers.push_back(known.value_or(core::StoredAnswer{unknown, unknown, 0, ""}));
      }
      return answers;
    };
    const auto energies = answers_of(core::Objective::energy),
               latencies = answers_of(core::Objective::latency);
    std::vector<core::StoredLayer> layers;
    for (std::size_t i = 0; i < figures.question_of_layer().size(); ++i) {
      const std::size_t question = figures.question_of_layer()[i];
      layers.push_back({figures.placed().layers[i]->name, energies[question].value,
                        latencies[question].value, latencies[question].mapping});
    }
    store_.add_layers(design.number, layers);
  }
}

core::ContentKey Exploration::key_of(const DesignPoint& design, const Value& below,
                                     const std::string& manner) const {
  return runner_.key(points_.varies_settings() ? figures_.chain(below) : chain_, design, manner);
}

std::vector<double> Exploration::objectives_of(const PointOutcome& outcome) const {
  std::vector<double> figures;
  for (const std::string& objective : objectives_)
    figures.push_back(points_.number_of(outcome.design.numbers, objective));
  return figures;
}

void Exploration::take(PointOutcome& outcome) {
  const core::StoredPoint& row = outcome.row;
  if (outcome.stored) {
    ++known_;
    if (row.state == core::PointState::beyond) outcome.broken = broken_again(row);
  } else {
    for (std::size_t i = 0; i < outcome.figures.size(); ++i)
      if (outcome.new_figures[i] && !std::isnan(outcome.figures[i].value))
        store_.add_figure(row.key, kept_[i], outcome.figures[i]);
    if (outcome.found) ++found_;
    if (row.state == core::PointState::infeasible && outcome.new_failure) {
      store_.add_failure(row.key, row.reason);
      if (manner_.empty() && outcome.proven_failure)
        store_.add_outcome(row.key, core::outcome_without_figures(row.reason, *outcome.proven_failure));
    }
    store_.add_point(row);
    std::vector<std::uint64_t> beaten;
    if (row.state == core::PointState::done && front_.add(row.number, objectives_of(outcome), beaten)) {
      store_.add_candidate(row.number);
      for (const std::uint64_t number : beaten) store_.remove_candidate(number);
    }
  }
  if (row.state == core::PointState::infeasible) {
    const std::string reason = fmt::format("point {}: {}", row.number, row.reason);
    stage().log(Level::debug, "infeasible: " + reason);
    if (++infeasible_ == 1) first_reason_ = reason;
  }
  if (row.state == core::PointState::beyond) {
    ++beyond_;
    if (outcome.broken)
      offer_nearest(fmt::format("point {}, which {}", row.number, row.reason), outcome.broken->excess);
  }
  store_.write_if_due();
}

/// By how much a stored point breaks the constraints.
std::optional<DesignPoints::Broken> Exploration::broken_again(const core::StoredPoint& row) const {
  try {
    DesignPoint design;
    points_.make(row.number, design);
    std::vector<double> values;
    for (const std::string& name : points_.forms().figures) {
      const std::optional<core::StoredFigure> figure = store_.figure(row.key, name);
      values.push_back(figure ? figure->value : std::numeric_limits<double>::quiet_NaN());
    }
    points_.set_figures(design.numbers, values);
    return points_.broken(design.numbers);
  } catch (const Error&) {
    return std::nullopt;  // without a value of a closed form it was told as infeasible
  }
}

void Exploration::offer_nearest(const std::string& words, double excess) {
  if (nearest_ && excess >= nearest_excess_) return;
  nearest_ = words;
  nearest_excess_ = excess;
}

std::string Exploration::infeasible_words() const {
  if (infeasible_ == 0) return "";
  return fmt::format("{} {} infeasible{}", infeasible_, infeasible_ == 1 ? "point is" : "points are",
                     first_reason_.empty() ? "" : ", the first is " + first_reason_);
}

std::string Exploration::why_none(std::uint64_t looked_at) const {
  std::string text = fmt::format("none of the {} points that were looked at", looked_at);
  if (beyond_ > 0 || nearest_) {
    text += " keeps the constraints";
    if (beyond_ > 0) text += fmt::format(": {} break them", beyond_);
    if (nearest_) text += fmt::format("; the nearest is {}", *nearest_);
  } else {
    text += " is feasible";
  }
  return infeasible_ > 0 ? text + "; " + infeasible_words() : text;
}

}  // namespace zz::plugins
