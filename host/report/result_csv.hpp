#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "host/report/result_rows.hpp"

namespace zz::host {

/// Layers of results as CSV, one row each: number of the result, layer, unrolling and loops, settings of
/// points of a sweep, and every figure that is one number, metrics and rates included. A figure that a
/// layer lacks is empty. So `show` writes archives, and runs their results.
class ResultTable {
 public:
  /// Columns come in the order in which results have them first. All results come here before heading().
  void add_columns(const ResultRows& result);
  std::string heading() const;
  std::string rows(std::uint64_t number, const ResultRows& result) const;

 private:
  std::vector<std::string> settings_, figures_;
};

}  // namespace zz::host
