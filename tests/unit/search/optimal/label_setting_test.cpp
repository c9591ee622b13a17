#include "core/search/optimal/detail/label_setting.hpp"

#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <vector>

using namespace zz::core;

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Walks over a small random lattice. An arc costs two whole numbers and uses up some of one resource. No
/// element may follow three of its kind. The value is the larger cost plus half of the first.
class RandomWalks {
 public:
  struct State {
    std::uint8_t last = 0, run = 0;  ///< kind of the last element, and how many of it in a row
  };

  RandomWalks(std::uint32_t seed, bool with_dominance) : dominance_(with_dominance), lattice_({}) {
    std::mt19937 random(seed);
    std::vector<LoopKind> kinds(1 + random() % 4);
    for (LoopKind& kind : kinds) kind.count = static_cast<int>(random() % 4);
    lattice_ = ExponentLattice(kinds);
    for (std::size_t arc = 0; arc < lattice_.size() * kinds.size(); ++arc)
      arcs_.push_back({static_cast<double>(random() % 9), static_cast<double>(random() % 9),
                       static_cast<double>(random() % 5)});
    room_ = static_cast<double>(lattice_.loops() * (1 + random() % 3));
    // The least that is left of each cost by itself, whatever the resource.
    rest_.assign(lattice_.size(), {unlimited, unlimited});
    rest_.back() = {0, 0};
    for (std::size_t multiset = lattice_.full(); multiset-- > 0;) {
      for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        if (!lattice_.has_more(multiset, kind)) continue;
        for (std::size_t cost = 0; cost < 2; ++cost)
          rest_[multiset][cost] =
              std::min(rest_[multiset][cost],
                       arc(multiset, kind)[cost] + rest_[multiset + lattice_.stride(kind)][cost]);
      }
    }
  }

  const ExponentLattice& lattice() const { return lattice_; }
  LabelWidth width() const { return {2, 2, 3}; }
  template <class Add>
  void start(const Add& add) const {
    add(State{}, LabelNumbers{});
  }
  bool may_follow(std::size_t multiset, std::size_t kind) const {
    return lattice_.has_more(multiset, kind);
  }
  template <class Add>
  void extend(std::size_t multiset, std::size_t kind, const State& from, const LabelNumbers& numbers,
              const Add& add) const {
    State to = {static_cast<std::uint8_t>(kind), 1};
    if (from.run > 0 && from.last == kind) to.run = static_cast<std::uint8_t>(from.run + 1);
    if (to.run > 2) return;
    LabelNumbers paid{};
    for (std::size_t i = 0; i < 3; ++i) paid[i] = numbers[i] + arc(multiset, kind)[i];
    if (paid[2] <= room_) add(to, paid);
  }
  double bound(std::size_t multiset, const State&, const double* numbers) const {
    return value(numbers[0] + rest_[multiset][0], numbers[1] + rest_[multiset][1]);
  }
  bool may_end(const State& state, const LabelNumbers&) const { return state.run < 2; }
  std::uint64_t key(std::size_t multiset, const State& state) const {
    return (multiset * 8 + state.last) * 8 + state.run;
  }
  bool dominates(const State&, const State&) const { return dominance_; }

  /// Values of all walks, rising.
  std::vector<double> all_values() const {
    std::vector<double> values;
    follow(0, {}, {}, values);
    std::sort(values.begin(), values.end());
    return values;
  }

 private:
  using Arc = std::array<double, 3>;
  const Arc& arc(std::size_t multiset, std::size_t kind) const {
    return arcs_[multiset * lattice_.kinds().size() + kind];
  }
  static double value(double a, double b) { return std::max(a, b) + a / 2; }

  void follow(std::size_t multiset, const State& state, const LabelNumbers& numbers,
              std::vector<double>& values) const {
    if (multiset == lattice_.full() && may_end(state, numbers))
      values.push_back(value(numbers[0], numbers[1]));
    for (std::size_t kind = 0; kind < lattice_.kinds().size(); ++kind) {
      if (!lattice_.has_more(multiset, kind)) continue;
      extend(multiset, kind, state, numbers, [&](const State& to, const LabelNumbers& paid) {
        follow(multiset + lattice_.stride(kind), to, paid, values);
      });
    }
  }

  bool dominance_;
  ExponentLattice lattice_;
  std::vector<Arc> arcs_;
  double room_ = 0;
  std::vector<std::array<double, 2>> rest_;
};

using Search = LabelSetting<RandomWalks>;
constexpr std::uint32_t problems = 300;

}  // namespace

TEST_CASE("label setting finds the walk of least value, or that there is none") {
  int found = 0, none = 0;
  for (std::uint32_t seed = 0; seed < problems; ++seed) {
    CAPTURE(seed);
    RandomWalks walks(seed, true);
    const std::vector<double> values = walks.all_values();
    Search search(walks);
    const LabelStep step = search.advance(1000000, unlimited);
    if (values.empty()) {
      CHECK(step == LabelStep::exhausted);
      CHECK(search.bound() == unlimited);
      ++none;
      continue;
    }
    REQUIRE(step == LabelStep::complete);
    CHECK(search.result_value() == values.front());
    ++found;
  }
  CHECK(found > 100);
  CHECK(none > 10);
}

TEST_CASE("label setting reports every walk once, in the order of values, where none dominates another") {
  for (std::uint32_t seed = 0; seed < problems; ++seed) {
    CAPTURE(seed);
    RandomWalks walks(seed, false);
    Search search(walks);
    std::vector<double> values;
    while (search.advance(1000000, unlimited) == LabelStep::complete) {
      values.push_back(search.result_value());
      // Parents lead back to the start over all elements.
      int elements = 0;
      for (const auto* label = &search[search.result()]; label->multiset != 0;
           label = &search[label->parent])
        ++elements;
      CHECK(elements == walks.lattice().loops());
    }
    CHECK(values == walks.all_values());
  }
}

TEST_CASE("label setting keeps a lower bound while it is paused, and of what a limit drops") {
  for (std::uint32_t seed = 0; seed < problems; ++seed) {
    CAPTURE(seed);
    RandomWalks walks(seed, true);
    const std::vector<double> values = walks.all_values();
    const double least = values.empty() ? unlimited : values.front();
    Search paused(walks);
    LabelStep step;
    do {
      CHECK(paused.bound() <= least);
      step = paused.advance(1, unlimited);
    } while (step == LabelStep::paused);
    CHECK((step == LabelStep::complete) == !values.empty());
    if (values.empty()) continue;
    Search limited(walks);
    CHECK(limited.advance(1000000, least) == LabelStep::exhausted);
    CHECK(std::min(limited.bound(), limited.least_dropped()) <= least);
    Search wide(walks);
    CHECK(wide.advance(1000000, least + 0.25) == LabelStep::complete);
  }
}

TEST_CASE("label setting finds walks that are not best when it prefers depth") {
  for (std::uint32_t seed = 0; seed < problems; ++seed) {
    CAPTURE(seed);
    RandomWalks walks(seed, true);
    const std::vector<double> values = walks.all_values();
    Search search(walks);
    search.prefer_deep(0.5);
    const bool complete = search.advance(1000000, unlimited) == LabelStep::complete;
    CHECK(complete == !values.empty());
    if (complete) CHECK(std::binary_search(values.begin(), values.end(), search.result_value()));
  }
}

TEST_CASE("exponent lattice: multisets by inclusion") {
  const ExponentLattice lattice({{0, 2, 3}, {1, 3, 1}, {2, 5, 2}});
  CHECK(lattice.size() == 4 * 2 * 3);
  CHECK(lattice.loops() == 6);
  CHECK(lattice.placed(0) == 0);
  CHECK(lattice.placed(lattice.full()) == 6);
  for (std::size_t multiset = 0; multiset < lattice.size(); ++multiset) {
    int placed = 0;
    for (std::size_t kind = 0; kind < 3; ++kind) {
      placed += lattice.count(multiset, kind);
      if (lattice.has_more(multiset, kind))
        CHECK(lattice.placed(multiset + lattice.stride(kind)) == lattice.placed(multiset) + 1);
    }
    CHECK(lattice.placed(multiset) == placed);
  }
}
