#pragma once
#include <array>
#include <vector>

#include "core/optimum/port_loads.hpp"

namespace zz::core {

/// Closed links of each operand, link 0 aside, before all loops are placed. What lies above holds whole
/// tensors and is loaded, or off-loaded, once.
using Ending = std::array<int, max_operands>;

/// Whose loading a lower bound of the latency counts. On-loading of two inputs overlaps where they use
/// different ports, and is at least what either needs alone, and at least what both need of shared ports.
struct LoadingPath {
  std::array<bool, max_operands> all{};  ///< every link of the operand
  bool shared_inputs = false;            ///< the links of both inputs that lead from shared to shared ports
};

/// A range of cycles for which mappings stall.
struct StallRange {
  double least = 0, most = 0;
};

/// Least cycles of what is loaded once, after some of it was hidden in cycles that the computation leaves
/// free at its ports (core/cost/balance.hpp).
class OneTimeLoads {
 public:
  OneTimeLoads(const SearchProblem& problem, const PortLoads& loads);

  /// Whatever the transfers that are repeated need of the ports. Links that use `skipped_port` are left
  /// out.
  double least(const Ending& ending, const LoadingPath& path, const StallRange& stalls,
               int skipped_port = -1) const;

  /// The links that `least` leaves out: they take `unhidden` cycles less what is free of the port, at most
  /// `free` cycles less free_per_bit for each bit per cycle that repeated transfers need.
  struct BesideRepeated {
    double unhidden = 0, free = 0;
  };
  BesideRepeated beside(const Ending& ending, const LoadingPath& path, const StallRange& stalls,
                        int port) const;
  double free_per_bit(int port) const;

  /// Both sides of this link use ports that serve both inputs.
  bool is_shared(int operand, int link) const { return shared_[operand][link]; }
  /// The path counts the link.
  bool counts(const LoadingPath& path, int operand, int link) const {
    return (path.all[operand] && !forgotten_[operand][link]) ||
           (path.shared_inputs && operand > 0 && is_shared(operand, link));
  }
  bool any_shared() const;
  /// Of a link of an operand that is counted once: what has to be waited for. (Not: partial sums.)
  static bool waits_for(const TransferLoad& load) { return load.link > 0 && !load.partial_sums_back; }
  /// At this ending the transfer is made once.
  bool is_once(const Ending& ending, const TransferLoad& load) const;

 private:
  struct Side {
    std::size_t load;  ///< index into PortLoads::loads
    int port;
    double cycles;
    double least_floor, most_floor;
  };
  using Links = std::vector<std::vector<Side>>;
  std::vector<Side> once(const Ending& ending) const;
  Links counted_links(const Ending& ending, const LoadingPath& path, const std::vector<Side>& once) const;
  double spare(const Ending& ending, int port, double stalls) const;
  double lengthened(int port, const std::vector<Side>& once) const;
  /// How hiding may end at a port: only its longest transfer is shortened, or, when that is not enough, the
  /// longest ones are levelled down together. ZigZag's way has no such order.
  enum class Outcome { longest_shortened, levelled, zigzag };
  std::vector<Outcome> outcomes(const Ending& ending, const std::vector<Side>& here,
                                const StallRange& stalls) const;
  double least_sum(Outcome outcome, const std::vector<Side>& here, const std::vector<bool>& chosen,
                   double free) const;

  const SearchProblem& problem_;
  const PortLoads& loads_;
  std::array<std::vector<bool>, max_operands> shared_;
  /// ZigZag counts only the last of several links that are shared on one side.
  std::array<std::vector<bool>, max_operands> forgotten_;
  std::vector<double> least_bandwidth_;  ///< by load, while it is repeated
  /// What the lowest memory takes at first, while that is not the whole tensor.
  std::array<double, max_operands> least_first_bits_, most_first_bits_{};
};

}  // namespace zz::core
