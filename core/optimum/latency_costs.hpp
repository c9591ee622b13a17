#pragma once
#include <vector>

#include "core/optimum/link_costs.hpp"
#include "core/optimum/one_time_loads.hpp"
#include "core/optimum/port_loads.hpp"

namespace zz::core {

/// Lower bounds of the latency that are sums over links, as families of costs. The latency is the
/// computation, the stalls of the worst port, on-loading of the inputs and off-loading of the output. Each
/// family takes one port and one way to count on-loading:
///
/// * no port: no stalls;
/// * stalls of a port: what its transfers need beyond the cycles they are allowed, added up;
/// * load of a port: all cycles of its transfers after the first of each, in place of the computation: a
///   port cannot move more than fits into computation and stalls together.
///
/// What is loaded once and hidden depends on what repeated transfers leave free at the port: further
/// families count the bandwidth that these need of one port.
///
/// The largest of them is the latency itself, but for what LatencyCosts cannot see link by link: how much
/// of loading is hidden, which operand of a shared memory gets the second buffer, and overlaps of windows.
class LatencyCosts : public SingleBufferCost {
 public:
  /// With `energy`, family 0 is the energy.
  LatencyCosts(const SearchProblem& problem, const PortLoads& loads, const LinkCosts* energy);

  /// What the families cost when mappings end like this and stall for so long.
  LinkCosts costs(const Ending& ending, const StallRange& stalls) const;
  /// Least cycles of on-loading and off-loading together, as far as can be told without any search.
  double least_loading(const Ending& ending, const StallRange& stalls) const;

  /// nullptr when it makes no difference.
  const SingleBufferCost* single_buffer() const { return runs_matter_ ? this : nullptr; }
  void add(int operand, int link, std::size_t vector, std::int64_t run, double* paid) const override;

 private:
  enum class Kind { no_port, stalls, load };
  struct Family {
    Kind kind;
    int port;
    std::size_t path;
    int beside;  ///< port whose free cycles are counted by repeated transfers, or -1
    int base;    ///< the family that is the same without
  };
  static constexpr std::size_t most_families = 48;
  void choose_families();
  double own_cost(const Family& family, const TransferLoad& load, std::size_t vector) const;
  double required(int port, const TransferLoad& load, std::size_t vector) const;
  bool closable(const TransferLoad& load, std::size_t vector) const;
  bool may_lack_second_buffer(int operand, int link, std::size_t vector) const;

  const SearchProblem& problem_;
  const PortLoads& loads_;
  OneTimeLoads once_;
  std::vector<LoadingPath> paths_;
  std::vector<Family> families_;
  std::vector<int> beside_ports_;  ///< whose bandwidth the last families are
  std::size_t first_family_;       ///< 1 behind the energy
  LinkCosts costs_;                ///< without what depends on endings
  double energy_constant_ = 0;
  std::array<std::vector<std::vector<double>>, max_operands> energy_endings_;
  /// [path][operand][closed links]: least cycles of loading over repeated links
  std::vector<std::array<std::vector<double>, max_operands>> repeated_;
  bool runs_matter_ = false;
};

}  // namespace zz::core
