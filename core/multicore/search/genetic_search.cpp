#include "core/multicore/search/genetic_search.hpp"

#include <algorithm>
#include <utility>

#include "core/multicore/search/detail/population_selection.hpp"

namespace zz::core {
namespace {

constexpr int attempts_at_a_new_child = 20;
/// With a guide there are so many generations at least, as far as there are schedules for them.
constexpr int enough_generations = 16;
/// With a guide the parent of a child is the best of so many in what the child is meant for.
constexpr int rivals = 4;

/// Two-point crossover: gives `cores` the genes of the other parent between two random genes, where the
/// domains allow. The other parent is first renamed by the exchange of identical cores that makes it agree
/// with `cores` in most genes.
void crossover(std::vector<int>& cores, const std::vector<int>& other_parent, const SearchSpace& space,
               const CoreSymmetry& symmetry, RandomNumbers& random) {
  const std::vector<int> other = symmetry.nearest(other_parent, cores);
  if (cores.empty()) return;
  const int genes = static_cast<int>(cores.size());
  int begin = random.below(genes), end = random.below(genes);
  if (begin > end) std::swap(begin, end);
  for (int gene = begin; gene <= end; ++gene) {
    const std::vector<int>& domain = space.domains[gene];
    if (std::find(domain.begin(), domain.end(), other[gene]) != domain.end()) cores[gene] = other[gene];
  }
}

class Population {
 public:
  Population(const SearchSpace& space, int individuals, RandomNumbers& random, ChoiceEvaluator& evaluator,
             AllocationGuide* guide)
      : space_(space),
        size_(std::max(2, individuals)),
        random_(random),
        moves_(space, random),
        evaluator_(evaluator),
        guide_(guide) {
    if (!guide_) return;
    const std::int64_t schedules = evaluator_.remaining();
    children_ = std::clamp<std::int64_t>(schedules / (enough_generations + 1), 1, size_);
    first_guesses_ = static_cast<std::size_t>(std::clamp<std::int64_t>(schedules / 4, 1, size_));
  }

  void begin() {
    if (guide_) {
      join(guide_->first_choices(first_guesses_));
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
    for (std::vector<int>& cores : moves_.sensible_cores()) {
      if (static_cast<int>(first.size()) < (size_ + 1) / 2) add(std::move(cores));
    }
    for (int i = 0; i < size_ * attempts_at_a_new_child && static_cast<int>(first.size()) < size_; ++i) {
      add(moves_.random_cores());
    }
    join(std::move(first));
  }

  /// False when no new child turned up.
  bool next_generation() {
    std::vector<ScheduleChoice> children =
        guide_ && !guide_->spent() ? guided_children() : grown_children();
    if (children.empty()) return false;
    join(std::move(children));
    return true;
  }

 private:
  std::vector<ScheduleChoice> grown_children() {
    std::vector<ScheduleChoice> children;
    for (int i = 0; i < size_; ++i) {
      for (int attempt = 0; attempt < attempts_at_a_new_child; ++attempt) {
        if (propose(child(attempt), children)) break;
      }
    }
    return children;
  }

  /// By turns lean and fast ones; anything as long as nothing fits.
  std::vector<ScheduleChoice> guided_children() {
    std::vector<ScheduleChoice> children;
    const bool anything = !figures_.front().feasible;
    if (!anything) {
      std::vector<AllocationGuide::Start> starts;
      for (std::int64_t i = 0; i < children_; ++i) starts.push_back(next_start());
      children = guide_->climb(starts);
    }
    for (int i = 0; i < attempts_at_a_new_child && anything; ++i) {
      ScheduleChoice other;
      other.cores = moves_.random_cores();
      if (static_cast<std::int64_t>(children.size()) < children_) propose(std::move(other), children);
    }
    return children.empty() ? grown_children() : children;
  }

  /// Adds a choice unless it is known or among `choices` already.
  bool propose(ScheduleChoice choice, std::vector<ScheduleChoice>& choices) {
    choice.cores = evaluator_.symmetry().canonical(choice.cores);
    if (evaluator_.known(choice) || std::find(choices.begin(), choices.end(), choice) != choices.end()) {
      return false;
    }
    choices.push_back(std::move(choice));
    return true;
  }

  const ScheduleChoice& parent() {
    // Members stand best first: the better of two.
    const int count = static_cast<int>(choices_.size());
    const int first = random_.below(count), second = random_.below(count);
    return choices_[std::min(first, second)];
  }

  ScheduleChoice child(int attempt) {
    ScheduleChoice child = parent();
    if (choices_.size() > 1 && random_.fraction() < 0.5) {
      const ScheduleChoice& other = parent();
      crossover(child.cores, other.cores, space_, evaluator_.symmetry(), random_);
      if (space_.orders && random_.fraction() < 0.5) take_order(other, child);
    }
    // A genome that was seen before is mutated once more.
    const bool order_too = space_.orders && (child.cores.empty() || random_.fraction() < 0.4);
    if (random_.fraction() < 0.8 || attempt > 0) moves_.change_cores(child.cores);
    for (int extra = 5; extra <= attempt; extra += 5) moves_.change_cores(child.cores);
    if (order_too) moves_.change_dispatch(child);
    if (order_too && random_.fraction() < 0.5) moves_.change_order(child, 2);
    return child;
  }

  /// The best of some members in one figure.
  const ScheduleChoice& parent(AllocationGuide::Goal goal) {
    const auto draw = [&] {
      return static_cast<std::size_t>(random_.below(static_cast<int>(choices_.size())));
    };
    std::size_t best = draw();
    for (int i = 1; i < rivals; ++i) {
      const std::size_t other = draw();
      const ScheduleFigures &a = figures_[other], &b = figures_[best];
      if (a.feasible != b.feasible ? a.feasible
                                   : AllocationGuide::figure(a, goal) < AllocationGuide::figure(b, goal)) {
        best = other;
      }
    }
    return choices_[best];
  }

  AllocationGuide::Start next_start() {
    lean_next_ = !lean_next_;
    const auto goal = lean_next_ ? AllocationGuide::Goal::energy : AllocationGuide::Goal::latency;
    ScheduleChoice child = parent(goal);
    if (choices_.size() > 1 && random_.fraction() < 0.5) {
      crossover(child.cores, parent(goal).cores, space_, evaluator_.symmetry(), random_);
    }
    return {std::move(child), goal};
  }

  static void take_order(const ScheduleChoice& from, ScheduleChoice& to) {
    std::vector<int> cores = std::move(to.cores);
    to = from;
    to.cores = std::move(cores);
  }

  void join(std::vector<ScheduleChoice> newcomers) {
    const std::vector<ScheduleFigures> figures = evaluator_.evaluate(newcomers);
    if (guide_ && !guide_->spent()) guide_->learn(newcomers, figures);
    choices_.insert(choices_.end(), newcomers.begin(), newcomers.end());
    figures_.insert(figures_.end(), figures.begin(), figures.end());
    std::vector<ScheduleChoice> choices;
    std::vector<ScheduleFigures> kept;
    for (const std::size_t index : select_best(figures_, static_cast<std::size_t>(size_))) {
      choices.push_back(choices_[index]);
      kept.push_back(figures_[index]);
    }
    choices_ = std::move(choices);
    figures_ = std::move(kept);
  }

  const SearchSpace& space_;
  int size_;
  RandomNumbers& random_;
  ChoiceMoves moves_;
  ChoiceEvaluator& evaluator_;
  AllocationGuide* guide_;               // or null
  std::int64_t children_ = 0;            // of a generation, with a guide
  std::size_t first_guesses_ = 0;        // with a guide
  bool lean_next_ = false;               // what the latest guided child was meant for
  std::vector<ScheduleChoice> choices_;  // best first
  std::vector<ScheduleFigures> figures_;
};

}  // namespace

void search_genetically(const SearchSpace& space, int individuals, int generations, RandomNumbers& random,
                        ChoiceEvaluator& evaluator, AllocationGuide* guide) {
  Population population(space, individuals, random, evaluator, guide);
  population.begin();
  for (int generation = 0; generation < generations && !evaluator.exhausted(); ++generation) {
    if (!population.next_generation()) break;
  }
}

}  // namespace zz::core
