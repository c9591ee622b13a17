#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/cost/cost_model_options.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/cost/link_tables.hpp"
#include "core/cost/score.hpp"
#include "core/search/loma/allocation_tables.hpp"
#include "core/search/loma/order_tree.hpp"

namespace zz::core {

/// Figures that no order of a branch can fall below: not even in the last bit, because they are computed
/// like the figures themselves from parts none of which is larger, and rounding keeps order.
///
/// Where a branch leaves open which loops are below a boundary, each part is the least over all points that
/// the boundary could be at: what is below it must fit into the memory there. Where the loops inside of the
/// branch fit whatever their order, the boundary lies among the placed loops, and is known.
class LinkBounds {
 public:
  /// `allocation` is of the same lattice. All objects must outlive this one.
  LinkBounds(const CostTables& tables, const CostModelOptions& options, LinkTables& links,
             const AllocationTables& allocation);
  /// For another thread, which has a copy of the links.
  LinkBounds(const LinkBounds& other, LinkTables& links);

  /// False: some link depends on more than its point, so that nothing can be bounded.
  bool usable() const { return usable_; }

  const LinkTables& links() const { return links_; }

  /// For all orders of the branch of `tree` whose positions from `open` on are placed.
  Score least(const OrderTree& tree, int open);

 private:
  /// The least parts of the links at some points.
  struct Floor {
    PerDirection<double> energy;          ///< pJ
    PerDirection<std::int64_t> stall;     ///< cycles, with the whole period to transfer in
    PerDirection<std::int64_t> occupied;  ///< cycles of the port for all portions but one
    double load_below, load_above;        ///< cycles, what can be hidden left out

    void lower_to(const Floor& other);
  };
  struct Boundary {
    /// As much as fits is best for the memory below the boundary.
    bool fills_up = false;
    const std::array<SliceTable, 2>* slices = nullptr;  ///< null for the lowest and the topmost
    std::vector<std::uint8_t> fits;                     ///< by point: it may be below the boundary
    std::vector<std::uint8_t> certain;  ///< by point: it and every point below it fit in any case
    std::vector<Floor> inside;          ///< by point: the least of all points up to it that fit
  };
  /// A memory of several operands, some of which may have it as their topmost.
  struct SharedMemory {
    double size = 0;      ///< bits
    double top_bits = 0;  ///< of the whole tensors that lie there in any case
    std::vector<int> boundaries;
  };
  /// How far an operand may fill a memory: to `end` exactly where that is `known`, else at most.
  struct Reach {
    bool known = false;
    int end = 0;
  };

  Floor floor_of(int boundary, const LevelLink& link) const;
  void tabulate(int boundary, const AllocationTables& allocation);
  void tabulate_lowest(int boundary);
  void gather(int boundary);
  /// The first position from `position` on whose loop is not irrelevant to the operand.
  int end_of_run(const OrderTree& tree, int operand, int position) const;
  void bound_lowest(const OrderTree& tree, int open, int boundary);
  void list_shared_memories(const AllocationTables& allocation);
  Reach reach_of(const OrderTree& tree, int open, int boundary, int highest_below) const;
  void check_room(const OrderTree& tree);
  void bound_memory(const OrderTree& tree, int open, int boundary);
  double energy() const;
  std::int64_t stalls() const;
  double onloading() const;
  double offloading() const;

  const CostTables& tables_;
  const CostModelOptions& options_;
  LinkTables& links_;
  bool usable_ = true;
  bool bounds_latency_;
  double operations_energy_ = 0;  ///< pJ
  std::int64_t total_ = 0;        ///< cycles without stalls
  std::array<double, max_operands> least_first_bits_{};
  std::array<std::uint64_t, max_operands> irrelevant_kinds_{};  ///< one bit a kind
  std::shared_ptr<std::vector<Boundary>> boundaries_;           ///< immutable once made
  std::vector<SharedMemory> shared_memories_;
  // Of the branch at hand.
  std::array<Reach, LinkTables::most_boundaries> reach_;
  std::array<Floor, LinkTables::most_boundaries> floor_;
};

}  // namespace zz::core
