#pragma once
#include <array>
#include <vector>

#include "core/search/optimal/label_figure.hpp"
#include "core/search/optimal/port_loads.hpp"

namespace zz::core {

/// Closed links of each operand, link 0 aside, before all loops are placed. What lies above holds whole
/// tensors and is loaded, or off-loaded, once.
using Ending = std::array<int, max_operands>;

/// How on-loading over a link of an input goes together with that of the other input (InputLoading).
enum class Sharing {
  individual,
  half_shared,
  shared,
  forgotten,  ///< ZigZag counts only the last of several half-shared links
};

/// What all endings have in common.
class OneTimeLoads {
 public:
  OneTimeLoads(const SearchProblem& problem, const PortLoads& loads);

  /// Of the output: individual.
  Sharing sharing(int operand, int link) const { return sharing_[operand][link]; }
  /// Of a link that is counted once: what has to be waited for. (Not: partial sums.)
  static bool waits_for(const TransferLoad& load) { return load.link > 0 && !load.partial_sums_back; }
  /// At this ending the transfer is made once.
  bool is_once(const Ending& ending, const TransferLoad& load) const;
  /// Bits per cycle that a transfer needs of its port while it is repeated, by load.
  double least_bandwidth(std::size_t load) const { return least_bandwidth_[load]; }
  double most_bandwidth(std::size_t load) const { return most_bandwidth_[load]; }

  /// Amounts in the lowest memory that need the same cycles of every port are one class, from 1 on; 0 when
  /// there are too many.
  std::uint16_t first_class(int operand, std::size_t vector) const { return class_of_[operand][vector]; }
  double first_bits(int operand, std::uint16_t known_class) const { return bits_[operand][known_class]; }
  std::uint16_t classes(int operand) const { return static_cast<std::uint16_t>(bits_[operand].size() - 1); }
  bool all_classified(int operand) const { return all_classified_[operand]; }
  /// While that is not the whole tensor.
  double least_first_bits(int operand) const { return least_first_bits_[operand]; }
  double most_first_bits(int operand) const { return most_first_bits_[operand]; }

 private:
  void classify(int operand);

  const SearchProblem& problem_;
  const PortLoads& loads_;
  std::array<std::vector<Sharing>, max_operands> sharing_;
  std::vector<double> least_bandwidth_, most_bandwidth_;
  std::array<double, max_operands> least_first_bits_, most_first_bits_{};
  std::array<std::vector<std::uint16_t>, max_operands> class_of_;  ///< by vector
  std::array<std::vector<double>, max_operands> bits_;             ///< by class
  std::array<bool, max_operands> all_classified_{};
};

}  // namespace zz::core
