#include "core/multicore/search/detail/gene_walks.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/search/methods/annealing.hpp"

namespace zz::core {
namespace {

constexpr int attempts_at_a_new_choice = 20;

double figure_of(const ScheduleFigures& figures, Objective objective) {
  return value_of(objective, figures.energy, figures.latency);
}

/// The schedules that climbs for one figure begin at: the best that were made, the best first.
class Archive {
 public:
  explicit Archive(Objective objective) : objective_(objective) {}

  Objective objective() const { return objective_; }
  bool empty() const { return entries_.empty(); }
  /// The first of schedules with equal figures stays.
  void add(const ScheduleChoice& choice, const ScheduleFigures& figures) {
    if (!figures.feasible) return;
    const auto same = [&](const Entry& entry) {
      return entry.figures.latency == figures.latency && entry.figures.energy == figures.energy;
    };
    if (std::any_of(entries_.begin(), entries_.end(), same)) return;
    const auto better = [&](const ScheduleFigures& a, const Entry& b) {
      return figure_of(a, objective_) < figure_of(b.figures, objective_);
    };
    entries_.insert(std::upper_bound(entries_.begin(), entries_.end(), figures, better), {choice, figures});
    if (entries_.size() > most) entries_.pop_back();
  }
  std::size_t size() const { return entries_.size(); }
  const ScheduleChoice& operator[](std::size_t i) const { return entries_[i].choice; }
  const ScheduleChoice& any(RandomNumbers& random) const {
    return entries_[random.below(static_cast<int>(entries_.size()))].choice;
  }

 private:
  static constexpr std::size_t most = 8;
  struct Entry {
    ScheduleChoice choice;
    ScheduleFigures figures;
  };
  Objective objective_;
  std::vector<Entry> entries_;
};

class Climbs {
 public:
  Climbs(const SearchSpace& space, int at_once, RandomNumbers& random, ChoiceEvaluator& evaluator)
      : space_(space),
        at_once_(std::max(1, at_once)),
        random_(random),
        moves_(space, random),
        evaluator_(evaluator) {}

  void begin(std::vector<ScheduleChoice> known) {
    remember_front();
    if (!known.empty()) {
      evaluate(std::move(known));
      return;
    }
    const std::vector<ScheduleChoice> orders =
        space_.orders ? sensible_orders(space_) : std::vector<ScheduleChoice>(1);
    std::size_t next_order = 0;
    std::vector<ScheduleChoice> first;
    const auto add = [&](std::vector<int> cores) {
      ScheduleChoice choice = orders[next_order++ % orders.size()];
      choice.cores = std::move(cores);
      propose(std::move(choice), first);
    };
    // Half of them are guesses.
    for (std::vector<int>& cores : moves_.sensible_cores())
      if (static_cast<int>(first.size()) < (at_once_ + 1) / 2) add(std::move(cores));
    for (int i = 0; i < at_once_ * attempts_at_a_new_choice && static_cast<int>(first.size()) < at_once_;
         ++i)
      add(moves_.random_cores());
    evaluate(std::move(first));
  }

  /// False when no new choice turned up.
  bool turn() {
    // Where nothing fits so far there is nothing to change.
    std::vector<ScheduleChoice> choices = lean_.empty() ? random_choices() : changed_choices();
    if (choices.empty()) return false;
    evaluate(std::move(choices));
    return true;
  }

  std::vector<ScheduleChoice> best() const {
    std::vector<ScheduleChoice> choices;
    for (std::size_t i = 0; i < std::max(lean_.size(), fast_.size()); ++i)
      for (const Archive* archive : {&lean_, &fast_})
        if (i < archive->size() &&
            std::find(choices.begin(), choices.end(), (*archive)[i]) == choices.end())
          choices.push_back((*archive)[i]);
    return choices;
  }

 private:
  /// Schedules that were made before: climbs may begin at them, too.
  void remember_front() {
    std::vector<ScheduleChoice> choices;
    std::vector<ScheduleFigures> figures;
    for (const auto& point : evaluator_.front().points()) {
      choices.push_back(point.choice);
      figures.push_back({true, point.latency, point.energy});
    }
    learn(choices, figures);
  }

  std::vector<ScheduleChoice> random_choices() {
    std::vector<ScheduleChoice> choices;
    for (int i = 0; i < at_once_ * attempts_at_a_new_choice && static_cast<int>(choices.size()) < at_once_;
         ++i) {
      ScheduleChoice choice;
      choice.cores = moves_.random_cores();
      propose(std::move(choice), choices);
    }
    return choices;
  }

  std::vector<ScheduleChoice> changed_choices() {
    std::vector<ScheduleChoice> choices;
    for (int i = 0; i < at_once_; ++i) {
      const Archive& archive = next_archive();
      for (int attempt = 0; attempt < attempts_at_a_new_choice; ++attempt)
        if (propose(changed(archive.any(random_), attempt), choices)) break;
    }
    return choices;
  }

  const Archive& next_archive() {
    const bool lean = lean_is_next_;
    lean_is_next_ = !lean_is_next_;
    return lean ? lean_ : fast_;
  }

  /// More attempts change more.
  ScheduleChoice changed(ScheduleChoice choice, int attempt) {
    const bool order_too = space_.orders && (choice.cores.empty() || random_.fraction() < 0.4);
    if (random_.fraction() < 0.8 || attempt > 0) moves_.change_cores(choice.cores);
    for (int extra = 5; extra <= attempt; extra += 5) moves_.change_cores(choice.cores);
    if (order_too) moves_.change_dispatch(choice);
    if (order_too && random_.fraction() < 0.5) moves_.change_order(choice, 2);
    return choice;
  }

  /// Adds a choice unless it is known or among `choices` already.
  bool propose(ScheduleChoice choice, std::vector<ScheduleChoice>& choices) {
    choice.cores = evaluator_.symmetry().canonical(choice.cores);
    if (evaluator_.known(choice) || std::find(choices.begin(), choices.end(), choice) != choices.end())
      return false;
    choices.push_back(std::move(choice));
    return true;
  }

  void evaluate(std::vector<ScheduleChoice> choices) { learn(choices, evaluator_.evaluate(choices)); }

  void learn(const std::vector<ScheduleChoice>& choices, const std::vector<ScheduleFigures>& figures) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      lean_.add(choices[i], figures[i]);
      fast_.add(choices[i], figures[i]);
    }
  }

  const SearchSpace& space_;
  int at_once_;
  RandomNumbers& random_;
  GeneMoves moves_;
  ChoiceEvaluator& evaluator_;
  Archive lean_{Objective::energy}, fast_{Objective::latency};
  bool lean_is_next_ = true;
};

/// A walk of annealing.
struct GeneWalk {
  ScheduleChoice choice;
  ScheduleFigures figures;
};

}  // namespace

std::vector<ScheduleChoice> climb_genes(const SearchSpace& space, int at_once, std::int64_t schedules,
                                        RandomNumbers& random, ChoiceEvaluator& evaluator,
                                        std::vector<ScheduleChoice> first) {
  const std::int64_t begin = evaluator.evaluations();
  Climbs climbs(space, at_once, random, evaluator);
  climbs.begin(std::move(first));
  while (evaluator.evaluations() - begin < schedules && !evaluator.exhausted())
    if (!climbs.turn()) break;
  return climbs.best();
}

void anneal_genes(const SearchSpace& space, const std::vector<ScheduleChoice>& starts, Objective objective,
                  std::int64_t schedules, RandomNumbers& random, ChoiceEvaluator& evaluator) {
  constexpr int walk_count = 8, exchange_count = 12;
  constexpr double hot = 0.02, cold = 0.0002;
  if (starts.empty() || schedules <= 0) return;
  GeneMoves moves(space, random);
  std::vector<ScheduleChoice> proposals;
  for (int i = 0; i < walk_count; ++i) proposals.push_back(starts[i % starts.size()]);
  const std::int64_t begin = evaluator.evaluations();
  std::vector<ScheduleFigures> figures = evaluator.evaluate(proposals);
  std::vector<GeneWalk> walks;
  for (int i = 0; i < walk_count; ++i) walks.push_back({proposals[i], figures[i]});

  // Small spaces run out of new points before all schedules are made.
  const std::int64_t most_rounds = 3 * (schedules / walk_count + 1);
  std::int64_t round = 0;
  const auto next_progress = [&]() -> std::optional<double> {
    if (round >= most_rounds || evaluator.exhausted()) return std::nullopt;
    const double progress =
        std::max(static_cast<double>(evaluator.evaluations() - begin) / static_cast<double>(schedules),
                 static_cast<double>(round++) / static_cast<double>(most_rounds));
    if (progress >= 1) return std::nullopt;
    return progress;
  };
  const auto propose = [&](ScheduleChoice& proposal, double progress) {
    const double kind = random.fraction();
    if (!space.orders || (kind < 0.35 && !proposal.cores.empty())) {
      moves.change_cores(proposal.cores);
    } else if (kind < 0.42) {
      moves.change_dispatch(proposal);
    } else {
      const double reach = 0.3 + 4 * (1 - progress) * random.fraction();
      moves.change_order(proposal, reach);
      if (random.fraction() < 0.3) moves.change_order(proposal, reach);
    }
  };
  const auto better = [&](const GeneWalk& a, const GeneWalk& b) {
    if (a.figures.feasible != b.figures.feasible) return a.figures.feasible;
    return figure_of(a.figures, objective) < figure_of(b.figures, objective);
  };
  Exchanges exchanges(exchange_count);
  anneal(Cooling{hot, cold / hot}, next_progress, [&](double progress, double temperature) {
    for (int i = 0; i < walk_count; ++i) propose(proposals[i] = walks[i].choice, progress);
    figures = evaluator.evaluate(proposals);
    for (int i = 0; i < walk_count; ++i) {
      GeneWalk& walk = walks[i];
      const double chance = random.fraction();
      if (!figures[i].feasible) continue;
      const double rise = walk.figures.feasible
                              ? figure_of(figures[i], objective) / figure_of(walk.figures, objective) - 1
                              : -1;
      if (rise > 0 && !takes_rise(rise, temperature, chance)) continue;
      walk = {proposals[i], figures[i]};
    }
    exchanges.after_step(progress, walks, better,
                         [](GeneWalk& worst, const GeneWalk& best) { worst = best; });
  });
}

}  // namespace zz::core
