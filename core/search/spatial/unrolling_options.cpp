#include "core/search/spatial/unrolling_options.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/factors.hpp"
#include "core/base/interruption.hpp"

namespace zz::core {
namespace {

// For each array dimension. docs/limits.md names it.
constexpr std::int64_t most_options = 4'000'000;

[[noreturn]] void refuse(std::int64_t size) {
  throw InputError(std::vector<Diagnostic>{
      {Severity::error,
       {},
       fmt::format("there are more than {} ways to unroll the layer along an array dimension of {} units, "
                   "which is too many to compare",
                   most_options, size),
       "prescribe an unrolling, or let fewer loops or numbers compete"}});
}

/// Ascending, from 2.
std::vector<std::int64_t> factors_of(const UnrollableLoop& loop, std::int64_t size,
                                     UnrollingFactors allowed) {
  std::vector<std::int64_t> factors;
  if (loop.maximum < 2) return factors;
  if (allowed == UnrollingFactors::any || allowed == UnrollingFactors::uneven) {
    const std::int64_t most = std::min(loop.maximum, loop.size);
    if (most > most_options) refuse(size);
    const auto rounds = [&](std::int64_t factor) { return (loop.size + factor - 1) / factor; };
    for (std::int64_t factor = most; factor > 1; --factor) {
      if (loop.fewest_units) factor = rounds(rounds(factor));
      factors.push_back(factor);
    }
    std::reverse(factors.begin(), factors.end());
    return factors;
  }
  const bool even = allowed == UnrollingFactors::even;
  for (const std::int64_t factor : divisors_of(even ? loop.size : loop.maximum))
    if (factor > 1 && factor <= loop.maximum) factors.push_back(factor);
  if (factors.empty() || factors.back() != loop.maximum) factors.push_back(loop.maximum);
  return factors;
}

using Option = std::span<const UnrolledIndex>;  ///< here, `loop` is a position among the unrollable loops

double units_of(Option option) {
  double units = 1;
  for (const UnrolledIndex& unrolled : option) units *= static_cast<double>(unrolled.factor);
  return units;
}

bool zigzag_lists_first(Option a, Option b) {
  if (a.size() != b.size()) return a.size() < b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].loop != b[i].loop) return a[i].loop < b[i].loop;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].factor != b[i].factor) return (a[i].factor < b[i].factor) == (a.size() > 1);
  }
  return false;
}

/// Makes all options depth first, each before those that it begins.
class OptionEnumeration {
 public:
  OptionEnumeration(const std::vector<UnrollableLoop>& loops, std::int64_t size, bool mixed,
                    UnrollingFactors allowed, UnrollingList list)
      : mixed_(mixed), size_(size) {
    for (const UnrollableLoop& loop : loops) factors_.push_back(factors_of(loop, size, allowed));
    if (list == UnrollingList::distinct) add();
    for (std::size_t i = 0; list == UnrollingList::zigzag && i < loops.size(); ++i) {
      if (loops[i].maximum < 1) continue;
      prefix_ = {{static_cast<int>(i), 1}};
      add();
      prefix_.clear();
    }
    if (first_.size() > 1) add_from(0, size);
  }

  std::size_t size() const { return first_.size() - 1; }
  Option operator[](std::size_t option) const {
    return Option(loops_).subspan(first_[option], first_[option + 1] - first_[option]);
  }

 private:
  void add() {
    if (static_cast<std::int64_t>(first_.size()) > most_options) refuse(size_);
    loops_.insert(loops_.end(), prefix_.begin(), prefix_.end());
    first_.push_back(loops_.size());
  }

  void add_from(std::size_t position, std::int64_t room) {
    end_if_interrupted();
    for (std::size_t i = position; i < factors_.size(); ++i) {
      for (const std::int64_t factor : factors_[i]) {
        if (factor > room) break;
        prefix_.push_back({static_cast<int>(i), factor});
        add();
        if (mixed_) add_from(i + 1, room / factor);
        prefix_.pop_back();
      }
    }
  }

  bool mixed_;
  std::int64_t size_;
  std::vector<std::vector<std::int64_t>> factors_;  ///< by position
  std::vector<UnrolledIndex> prefix_, loops_;
  std::vector<std::size_t> first_ = {0};
};

}  // namespace

UnrollingOptions::UnrollingOptions(const std::vector<UnrollableLoop>& loops, std::int64_t size, bool mixed,
                                   UnrollingFactors factors, UnrollingList list) {
  const OptionEnumeration all(loops, size, mixed, factors, list);
  struct Listed {
    Option option;
    double units;
  };
  std::vector<Listed> listed;
  for (std::size_t i = 0; i < all.size(); ++i) listed.push_back({all[i], units_of(all[i])});
  std::stable_sort(listed.begin(), listed.end(), [&](const Listed& a, const Listed& b) {
    return list == UnrollingList::zigzag ? zigzag_lists_first(a.option, b.option) : a.units > b.units;
  });
  for (const Listed& entry : listed) {
    for (const UnrolledIndex& unrolled : entry.option)
      loops_.push_back({loops[static_cast<std::size_t>(unrolled.loop)].loop, unrolled.factor});
    first_.push_back(loops_.size());
    units_.push_back(entry.units);
  }
}

}  // namespace zz::core
