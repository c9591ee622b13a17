#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/cost/cost_model_options.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/mapping/loop_path.hpp"

namespace zz::core {

/// The lower boundary of an architecture level for one operand, when certain loops are below it: what
/// crosses it, how often, and at what cost. Level 0 is between the units and the lowest memory. All of it
/// is a function of *which* loops are below, so that orders with a cut in common share it.
struct LevelLink {
  std::int64_t period = 0;  ///< cycles for which the data below are used
  std::int64_t count = 0;   ///< portions over the whole layer
  /// pJ for the whole layer, by direction: those towards the units belong to the memory above the boundary,
  /// those away from them to the memory below it.
  PerDirection<double> energy{};
  PerDirection<std::int64_t> cycles{};  ///< of its port for one portion; 0 without a port
  PerDirection<double> demand{};        ///< bits per cycle that a repeated transfer takes from its port
  /// Cycles to load a portion (of the output: to off-load it) on the side of the memory below and above.
  double load_below = 0, load_above = 0;
  double bits = 0;           ///< held below (fractional unrolling)
  double whole_bits = 0;     ///< the same with whole factors
  bool partial_sum = false;  ///< partial sums come back through this boundary
  /// Either something crosses that no port serves, or rounding makes the order of the loops below count.
  bool special = false;
  bool missing_port = false;
};

/// The links of one cost model for the orders of one lattice, made when they are first asked for.
/// Boundaries are numbered by operand, then level, the topmost memory's upper side included. Not for
/// several threads at once: each may have a copy, which shares the links made before. The original must not
/// be asked for others then, and outlive the copies.
class LinkTables {
 public:
  /// `tables` must outlive this object.
  LinkTables(const CostTables& tables, const CostModelOptions& options,
             std::shared_ptr<const LoopLattice> lattice);

  const LoopLattice& lattice() const { return *lattice_; }

  /// False: the links of this layer are no function of the loops below, and nothing may be asked.
  bool usable() const { return usable_; }

  static constexpr int most_boundaries = max_operands * (max_memory_levels + 1);
  struct Boundary {
    int operand, level;  ///< architecture level
    bool top;            ///< above the topmost memory: nothing passes
    bool keeps = false;  ///< units below it keep an input for the innermost loops that do not change it
  };
  const std::vector<Boundary>& boundaries() const { return boundaries_; }
  /// The number of an operand's lowest boundary; the others follow.
  int lowest(int operand) const { return lowest_[operand]; }

  const LevelLink& link(int boundary, LoopLattice::Point below) {
    const LevelLink*& known = known_[static_cast<std::size_t>(boundary) * lattice_->points() + below];
    if (known == nullptr) known = &make(boundary, below);
    return *known;
  }

  const std::vector<KindTraits>& kinds() const { return kinds_; }  ///< of the lattice

  /// A transfer that a port may serve.
  struct PortUse {
    int boundary;
    int direction;
    bool below;              ///< at a port of the memory below the boundary, not of that above
    bool partial_sums_back;  ///< only where the link has partial sums; never counts as loading
  };
  struct Port {
    double bandwidth_max = 0;
    std::vector<PortUse> uses;
    std::uint64_t loads = 0;  ///< boundaries of its uses that count as loading, one bit each
  };
  const std::vector<Port>& ports() const { return ports_; }

  /// Whether the ports above and below a link of an input serve both inputs.
  struct Sharing {
    bool below = false, above = false;
  };
  const Sharing& sharing(int boundary) const { return sharing_[boundary]; }

  /// A memory as those see it who share it.
  struct Store {
    std::vector<int> holders;  ///< their boundaries above it, in the order in which shares are added
    std::vector<int> claims;   ///< in the order in which they claim room for a second buffer
    double size = 0;           ///< bits
    bool shared = false;
  };
  /// Those that somebody passes data on from.
  const std::vector<Store>& stores() const { return stores_; }

 private:
  /// Made here; a copy begins without any.
  struct OwnLinks : std::deque<LevelLink> {
    OwnLinks() = default;
    OwnLinks(const OwnLinks&) : deque() {}
  };

  const LevelLink& make(int boundary, LoopLattice::Point below);
  void list_boundaries();
  void list_ports();
  void list_stores();
  int above(const OperandLevel& held) const { return lowest_[held.operand] + held.level + 1; }

  const CostTables& tables_;
  CostModelOptions options_;
  std::shared_ptr<const LoopLattice> lattice_;
  bool usable_ = true;
  bool fractional_may_depend_, integral_may_depend_;  ///< on the order of loops, by rounding
  std::vector<Boundary> boundaries_;
  std::array<int, max_operands> lowest_{};
  std::vector<const LevelLink*> known_;  ///< by boundary and point
  OwnLinks links_;
  std::vector<KindTraits> kinds_;
  std::vector<Port> ports_;
  std::array<Sharing, most_boundaries> sharing_{};
  std::vector<Store> stores_;
};

}  // namespace zz::core
