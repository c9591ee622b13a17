#include "core/search/optimal/free_cut_latency.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <queue>
#include <vector>

#include "core/search/optimal/free_cut_energy.hpp"
#include "core/search/optimal/latency_part.hpp"

namespace zz::core {
namespace {

using Part = LatencyPart;
using PartSearch = LatencyPartSearch;

class LatencySearch {
 public:
  LatencySearch(const SearchProblem& problem, const Goal& goal, const Certificate& incumbent,
                double least_energy, const SearchLimits& limits, const SearchPace& pace)
      : problem_(problem),
        goal_(goal),
        least_energy_(least_energy),
        limits_(limits),
        pace_(pace),
        best_(incumbent),
        loads_(problem) {
    if (goal.needs_energy()) energy_ = energy_costs(problem);
    costs_ = std::make_unique<LatencyCosts>(problem, loads_, energy());
  }

  Certificate run() {
    const std::uint64_t states_before = best_.states;
    list_endings();
    while (!parts_.empty()) {
      Part part = parts_.top();
      if (!(part.bound < limit()) || limits_.stop(stopwatch_.seconds(), bytes_ + table_bytes_) ||
          best_.states - states_before > limits_.states)
        break;
      parts_.pop();
      if (part.search)
        advance(part);
      else
        begin(part);
    }
    // What is good enough was dropped.
    double bound = best_.value / (1 + limits_.gap);
    if (!parts_.empty()) bound = std::min(bound, parts_.top().bound);
    best_.lower_bound = bound;
    if (best_.value <= bound * (1 + rounding_tolerance)) best_.lower_bound = best_.value;
    return best_;
  }

 private:
  /// Figures from here on need no look.
  double limit() const { return best_.value / (1 + limits_.gap) * (1 - rounding_tolerance); }
  double longest() const {
    double longest = goal_.most_latency;
    if (goal_.objective == Objective::latency) longest = std::min(longest, best_.value);
    if (goal_.objective == Objective::edp) longest = std::min(longest, best_.value / least_energy_);
    return longest;
  }

  void list_endings() {
    const int operands = problem_.space.operands();
    Ending ending{};
    for (;;) {
      if (fits(ending)) {
        push({ending,
              {0, longest() - loads_.computation},
              0,
              std::make_shared<const LoadingAtEnding>(costs_->loading(ending)),
              {},
              {}});
      }
      int operand = 0;
      while (operand < operands && ++ending[operand] == problem_.tables.operands[operand].levels)
        ending[operand++] = 0;
      if (operand == operands) break;
    }
  }

  bool fits(const Ending& ending) const {
    for (int operand = 0; operand < problem_.space.operands(); ++operand) {
      for (int level = ending[operand]; level < problem_.tables.operands[operand].levels; ++level) {
        if (!problem_.fit.fits(operand, level, problem_.space.lattice().full(), false)) return false;
      }
    }
    return true;
  }

  const LinkCosts* energy() const { return goal_.needs_energy() ? &energy_ : nullptr; }
  const LatencyCosts& costs_of(const Part& part) const {
    if (!part.must_stall) return *costs_;
    if (!costs_if_stalled_) {
      costs_if_stalled_ =
          std::make_unique<LatencyCosts>(problem_, loads_, energy(), LatencyCosts::StallsKnown::from_above);
    }
    return *costs_if_stalled_;
  }

  LatencyFigure figure_of(const Part& part, const StallRange& stalls) const {
    LatencyFigure figure(costs_of(part), part.loading, stalls, part.hiding, goal_, part.with_classes);
    if (part.tables && part.tables->in_one_order) figure.exchange(part.tables->in_one_order->sums());
    return figure;
  }

  void push(Part part) {
    if (part.stalls.most < part.stalls.least) return;
    part.loading->decide(part.hiding, part.first, part.stalls.least, part.stalls.most);
    part.bound = std::max(part.bound, least_figure(part));
    if (part.bound < limit()) parts_.push(std::move(part));
  }

  /// Of the least sums that mappings with the part's ending can have.
  double least_figure(const Part& part) const {
    const LatencyCosts& costs = costs_of(part);
    const std::vector<double> least = costs.least_sums(part.ending);
    const double latency = costs.latency(*part.loading, least.data(), part.first, part.stalls, part.hiding);
    const double energy = goal_.needs_energy() ? std::max(least_energy_, least[0]) : 0;
    return goal_.of(energy * (1 - rounding_tolerance), latency);
  }

  void begin(Part& part) {
    if (!part.tables) part.tables = tables_of(part);
    part.search = std::make_shared<PartSearch>(problem_, *part.tables, figure_of(part, part.stalls),
                                               costs_of(part).single_buffer(), part.keep_all, part.first,
                                               part.rooms.get());
    part.bound = std::max(part.bound, part.search->labels.bound());
    if (!(part.bound < limit())) return;
    bytes_ += part.search->labels.memory_bytes();
    parts_.push(part);
  }

  std::shared_ptr<const EndingTables> tables_of(const Part& part) {
    const LatencyCosts& costs = costs_of(part);
    auto tables = std::make_shared<EndingTables>(
        costs.costs(part.ending), remaining_[part.must_stall ? 1 : 0].at(problem_, costs, part.ending),
        table_bytes_);
    if (part.rooms) tables->keep_to(problem_, *part.rooms, sums_in_one_order(part));
    return tables;
  }

  /// Of energy and latency, for their product: where that is least, a cycle is worth about as much energy
  /// as it takes in the best mapping. For the latency alone, of ports that compete.
  std::vector<WeighedFamilies> sums_in_one_order(const Part& part) const {
    const auto latencies = costs_of(part).latency_of_families(*part.loading, part.stalls, part.hiding);
    if (goal_.objective != Objective::edp) {
      std::vector<WeighedFamilies> sums = EnergyAgainstLatency::sums(latencies, goal_.needs_energy());
      sums.insert(sums.end(), part.mixtures.begin(), part.mixtures.end());
      return sums;
    }
    return EnergyAgainstLatency::sums(latencies, true, {least_energy_ * least_energy_ / best_.value});
  }

  /// Partial mappings to look at before tables for bounds in one order are made: about as many as that
  /// takes the time of.
  std::size_t patience(const Part& part) const {
    constexpr double million = 1 << 20;
    const double size =
        RemainingInOneOrder::size(problem_.space, problem_.fit, sums_in_one_order(part).size());
    return static_cast<std::size_t>(static_cast<double>(pace_.before_rooms) *
                                    std::max(1.0, size / million));
  }

  /// Starts again with bounds in one order, of sums that are long in the search so far; when it has them,
  /// with each half of the rooms.
  bool look_closer(const Part& part) {
    std::vector<Rooms> closer;
    if (!(part.stalls.most < std::numeric_limits<double>::infinity())) return false;
    if (!part.rooms)
      closer.emplace_back(problem_.space, problem_.fit);
    else if (part.rooms->compete())
      closer = part.rooms->halves();
    else
      return false;
    const auto latencies = costs_of(part).latency_of_families(*part.loading, part.stalls, part.hiding);
    auto mixtures = EnergyAgainstLatency::mixtures(latencies, part.search->labels.lowest_sums());
    bytes_ -= part.search->labels.memory_bytes();
    for (const Rooms& rooms : closer) {
      Part next = part;
      next.mixtures = mixtures;
      next.rooms = std::make_shared<const Rooms>(rooms);
      next.tables = {};
      next.search = {};
      push(std::move(next));
    }
    return true;
  }

  /// A little further: parts take turns, so that the least of their bounds rises.
  void advance(Part& part) {
    constexpr int most_mappings = 64;
    PartSearch& search = *part.search;
    const std::size_t visited = search.labels.visited();
    const std::size_t bytes = search.labels.memory_bytes();
    const LabelSearch::Step step = search.labels.advance(pace_.labels_at_once, limit());
    best_.states += search.labels.visited() - visited;
    if (step == LabelSearch::Step::paused) {
      bytes_ += search.labels.memory_bytes() - bytes;
      part.bound = std::max(part.bound, std::min(search.labels.bound(), search.least_figure));
      if (!search.asked_classes && search.mappings == 0 && search.labels.visited() > pace_.before_classes) {
        search.asked_classes = true;
        if (split_by_class(part)) {
          bytes_ -= search.labels.memory_bytes();
          return;
        }
        if (!part.with_classes && part.loading->needs_classes(part.first)) {
          bytes_ -= search.labels.memory_bytes();
          part.with_classes = true;
          part.search = {};
          push(std::move(part));
          return;
        }
      }
      if (!search.hastened && search.mappings == 0 && search.labels.visited() > pace_.before_haste) {
        search.hastened = true;
        dive(part);
      }
      // Rooms are what energies compete for. Latencies mostly go together there.
      const std::size_t turns = goal_.objective == Objective::edp ? 1 : part.rooms ? 8 : 2;
      const bool patient = search.labels.visited() < turns * patience(part);
      if (patient || !look_closer(part)) parts_.push(std::move(part));
      return;
    }
    bytes_ -= bytes;
    if (step == LabelSearch::Step::complete) {
      const double figure = search.labels.result_figure();
      search.least_figure = std::min(search.least_figure, figure);
      const Score score = problem_.model.score(search.labels.result());
      const double value = problem_.value(search.labels.result(), goal_);
      keep(search.labels.result());
      const bool attained = value <= figure * (1 + rounding_tolerance);
      if (!attained && refine(part, score.latency_total0 - loads_.computation)) return;
      const bool more = !attained && ++search.mappings < most_mappings;
      if (part.keep_all || more) {
        bytes_ += search.labels.memory_bytes();
        part.bound = std::max(part.bound, part.keep_all ? search.labels.bound() : search.least_figure);
        parts_.push(std::move(part));
        return;
      }
    }
    // What undercuts others in its bound may hide one that is better in fact.
    if (part.keep_all || !(search.least_figure < limit())) return;
    part.bound = std::max(part.bound, search.least_figure);
    part.with_classes = part.keep_all = true;
    part.search = {};
    push(std::move(part));
  }

  /// Looks for a better mapping without a proof: the better the best one, the less there is to look at.
  void dive(const Part& part) {
    constexpr std::size_t most_labels = 1024;
    for (const double share : {0.1, 0.02}) {
      PartSearch search(problem_, *part.tables, figure_of(part, part.stalls),
                        costs_of(part).single_buffer(), false, part.first, part.rooms.get());
      search.labels.hasten(share);
      while (search.labels.visited() < most_labels &&
             search.labels.advance(most_labels, limit()) == LabelSearch::Step::complete)
        keep(search.labels.result());
      best_.states += search.labels.visited();
    }
  }

  void keep(const CompactMapping& mapping) {
    const double value = problem_.value(mapping, goal_);
    if (!(value < best_.value)) return;
    best_.value = value;
    best_.mapping = mapping;
  }

  /// Looks closer at a part whose best mapping does not attain the bound.
  bool refine(Part& part, double stalls) {
    if (part.keep_all) return false;
    if (!part.with_classes) {
      part.bound = std::max(part.bound, part.search->labels.result_figure(part.search->figure));
      part.with_classes = true;
      part.search = {};
      push(std::move(part));
      return true;
    }
    return split_by_hiding(part) || split(part, stalls);
  }

  /// Splits a part by what the lowest memory of each operand holds, if that brings its bound half the way
  /// to the best mapping: there are many shares, and each is a search of its own.
  bool split_by_class(const Part& part) {
    constexpr std::size_t most_parts = 4096;
    const OneTimeLoads& once = costs_->once();
    std::size_t count = 1;
    FirstClasses last{};
    for (int operand = 0; operand < problem_.space.operands(); ++operand) {
      if (part.first[operand] != 0 || !part.loading->class_matters(operand)) continue;
      if (!once.all_classified(operand)) return false;
      last[operand] = once.classes(operand);
      count *= last[operand];
      if (count > most_parts) return false;
    }
    if (count == 1) return false;
    const double enough = (part.bound + limit()) / 2;
    std::vector<Part> shares(count, part);
    for (std::size_t index = 0; index < count; ++index) {
      std::size_t rest = index;
      for (int operand = 0; operand < problem_.space.operands(); ++operand) {
        if (last[operand] == 0) continue;
        shares[index].first[operand] = static_cast<std::uint16_t>(1 + rest % last[operand]);
        rest /= last[operand];
      }
      shares[index].search = {};
      shares[index].with_classes = true;
      if (!(least_figure(shares[index]) >= enough)) return false;
    }
    for (Part& share : shares) push(std::move(share));
    return true;
  }

  /// Splits a part by how hiding ends at a port, if that makes the bound of the mapping found tighter.
  bool split_by_hiding(const Part& part) {
    const double bound = part.search->labels.result_figure(part.search->figure);
    for (std::size_t port = 0; port < part.hiding.size(); ++port) {
      if (part.hiding[port] != Hiding::either || !part.loading->has_choice(port)) continue;
      Part longest = part;
      longest.search = {};
      longest.bound = std::max(part.bound, bound);
      Part levelled = longest;
      longest.hiding[port] = Hiding::longest_shortened;
      levelled.hiding[port] = Hiding::levelled;
      const auto tight = [&](const Part& half) {
        return part.search->labels.result_figure(figure_of(half, half.stalls));
      };
      if (!(std::max(tight(longest), tight(levelled)) > bound * (1 + rounding_tolerance))) continue;
      push(std::move(longest));
      push(std::move(levelled));
      return true;
    }
    return false;
  }

  /// Splits a part by how long mappings stall, if that makes the bound of the mapping found tighter.
  bool split(const Part& part, double stalls) {
    const double least = part.stalls.least;
    const double most = part.stalls.most;
    if (most - least < 1) return false;
    // Where stalls are longer than the sums can see, parts with shorter ones would have the same bound.
    if (stalls > std::max(least, costs_of(part).least_stalls(part.search->labels.result_sums())) + 0.5)
      return false;
    const LabelSearch& labels = part.search->labels;
    const double bound = labels.result_figure(part.search->figure);
    const double own = std::clamp(stalls, least, most);
    const double tight = labels.result_figure(figure_of(part, {own, own}));
    if (!(tight > bound * (1 + rounding_tolerance))) return false;
    double middle = std::floor((least + most) / 2);
    if (stalls >= least && stalls < middle) middle = stalls;
    Part shorter = part;
    shorter.search = {};
    shorter.bound = bound;
    Part longer = shorter;
    shorter.stalls.most = middle;
    longer.stalls.least = middle + 1;
    longer.must_stall = true;
    if (!part.must_stall) {
      longer.tables = {};
      longer.mixtures = {};  // of other families
    }
    push(std::move(shorter));
    push(std::move(longer));
    return true;
  }

  const SearchProblem& problem_;
  Goal goal_;
  double least_energy_;
  SearchLimits limits_;
  SearchPace pace_;
  Stopwatch stopwatch_;
  Certificate best_;
  PortLoads loads_;
  LinkCosts energy_;
  std::unique_ptr<LatencyCosts> costs_;
  std::size_t table_bytes_ = 0;
  std::array<RemainingAtEndings, 2> remaining_;             ///< the second where mappings must stall
  mutable std::unique_ptr<LatencyCosts> costs_if_stalled_;  ///< once needed
  std::priority_queue<Part> parts_;
  std::size_t bytes_ = 0;
};

}  // namespace

Certificate find_least_latency(const SearchProblem& problem, const Goal& goal, const Certificate& incumbent,
                               double least_energy, const SearchLimits& limits, const SearchPace& pace) {
  return LatencySearch(problem, goal, incumbent, least_energy, limits, pace).run();
}

}  // namespace zz::core
