#pragma once
#include <span>
#include <vector>

#include "core/optimum/certificate.hpp"
#include "core/optimum/latency_costs.hpp"
#include "core/optimum/remaining_in_one_order.hpp"

namespace zz::core {

/// Energy and latency trade against each other: no mapping has energy + `price` * (latency - `start`) below
/// `least`. In pJ and cycles; the price is positive.
struct ExchangeLine {
  double price = 1;
  double start = 0;
  double least = 0;

  double latency_at(double energy) const { return start + (least - energy) / price; }
};

/// A lower bound of the goal for mappings with at least this energy, at least this latency, and on or above
/// all lines. The product of energy and latency is concave along a line, as are the two alone: its least
/// value on the boundary of that region lies at a corner.
double least_above(std::span<const ExchangeLine> lines, const Goal& goal, double energy, double latency);

/// What bounds in one order say of energy and latency.
class EnergyAgainstLatency {
 public:
  /// Of each family, and of the energy, by itself, and of both together at some prices of a cycle, in pJ.
  static std::vector<WeighedFamilies> sums(const std::vector<LatencyOfFamily>& families,
                                           const std::vector<double>& prices);

  EnergyAgainstLatency(const std::vector<WeighedFamilies>& sums,
                       const std::vector<LatencyOfFamily>& latencies);

  /// `in_one_order`: lower bounds of the sums. Raises those of single families.
  void raise(double* families, const double* in_one_order) const;
  /// A lower bound for mappings with at least this energy and latency.
  double least(const Goal& goal, double energy, double latency, const double* in_one_order) const;

 private:
  std::vector<WeighedFamilies> sums_;
  std::vector<double> starts_;  ///< by sum
};

}  // namespace zz::core
