#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "host/report/result_rows.hpp"

/// Words that the answers of `why` about a machine and about a mapping have in common.
namespace zz::host {

/// "15,004"
std::string with_commas(double value);

inline double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

/// Shares by words, most first; equal ones in their order.
template <class Words>
class Shares {
 public:
  void add(const Words& words, double amount) {
    const auto same =
        std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.first == words; });
    if (same == all_.end())
      all_.emplace_back(words, amount);
    else
      same->second += amount;
  }
  const std::vector<std::pair<Words, double>>& sorted() {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return all_;
  }

 private:
  std::vector<std::pair<Words, double>> all_;
};

/// Where the energy of a row goes, in a line, and in a table of all its parts.
std::string energy_line(const ResultRow& row);
std::string energy_table(const core::Evaluation& evaluation);

}  // namespace zz::host
