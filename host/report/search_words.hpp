#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/quantities.hpp"
#include "host/report/result_rows.hpp"

namespace zz::host {

using core::energy_words;

/// A gap as a percentage; "-" for NaN, where nothing is proven.
std::string gap_text(double gap);

/// "1234 to 56780", of pJ in a unit of so many; "-" for none.
std::string range_words(const std::optional<core::EnergyRange>& range, double unit = 1);

/// The searches for the mappings of the rows, in lines for people: among which mappings the found
/// ones are proven best and what is not compared, for how many rows the proof is not whole and why, and of
/// how many mappings how many were tried where nothing is proven. No line says "proven best" where no row
/// is. Of fused groups a line says what they save. Reads the metrics that search stages add. Empty for rows
/// without them.
std::vector<std::string> search_words(const std::vector<ResultRow>& rows);

/// The same of rows that come one by one and are not kept.
class SearchWords {
 public:
  SearchWords();
  ~SearchWords();
  SearchWords(SearchWords&&) noexcept;
  SearchWords& operator=(SearchWords&&) noexcept;
  void add(const ResultRow& row);
  std::vector<std::string> lines() const;

 private:
  struct Told;
  std::unique_ptr<Told> told_;
};

}  // namespace zz::host
