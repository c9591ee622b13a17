#pragma once
#include <span>
#include <vector>

#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/latency_costs.hpp"
#include "core/search/optimal/remaining_in_one_order.hpp"

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

/// What bounds in one order say of energy and latency, and of the ports that decide the latency.
///
/// *Mixtures* bound several ports together. The order that spares one port may be the one that loads
/// another, so that no mapping comes near the least of both, while a bound of each by itself sees only the
/// longer of the two. Units wait for the slowest port: with stalls S, of one path's loading W cycles and
/// those of two ports a and b, S >= a and S >= b, so that S + W >= share * (a + W) + (1 - share) * (b + W)
/// for any share between 0 and 1. The right side is a sum over links, of which a table in one order knows
/// the least.
class EnergyAgainstLatency {
 public:
  /// Of each family, and of the energy, if that is family 0, by itself, and of both together at some prices
  /// of a cycle, in pJ.
  static std::vector<WeighedFamilies> sums(const std::vector<LatencyOfFamily>& families, bool with_energy,
                                           const std::vector<double>& prices = {});
  /// Of the families of each path that are longest by `least`, sums by family, each with each other.
  static std::vector<WeighedFamilies> mixtures(const std::vector<LatencyOfFamily>& families,
                                               const std::vector<double>& least);

  EnergyAgainstLatency(const std::vector<WeighedFamilies>& sums,
                       const std::vector<LatencyOfFamily>& latencies);

  /// `in_one_order`: lower bounds of the sums. Raises those of single families. What a mixture says is said
  /// of its first family, of which no other use may be made than for the latency.
  void raise(double* families, const double* in_one_order) const;
  /// A lower bound for mappings with at least this energy and latency.
  double least(const Goal& goal, double energy, double latency, const double* in_one_order) const;

 private:
  std::vector<WeighedFamilies> sums_;
  /// By sum; of a mixture, by how much the start of its first family differs from its own.
  std::vector<double> starts_;
};

}  // namespace zz::core
