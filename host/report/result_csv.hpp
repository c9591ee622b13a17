#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/report/json_trees.hpp"
#include "host/report/result_rows.hpp"

namespace zz::host {

/// Layers of results as CSV, one row each: number of the result, layer, unrolling and loops, settings of
/// points of a sweep, and every figure that is one number, metrics and rates included. A figure that a
/// layer lacks is empty. So `show` writes archives, and runs their results.
class ResultTable {
 public:
  /// Columns come in the order in which results have them first.
  void add(std::uint64_t number, const ResultRows& result);
  /// Calls `print` with the heading and then with each row.
  void write(const std::function<void(const std::string&)>& print) const;

 private:
  std::vector<std::string> settings_, figures_;
  JsonTrees rows_;  ///< {result, cells, settings, figures}
};

}  // namespace zz::host
