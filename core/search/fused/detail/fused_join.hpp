#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/search/fused/detail/kept_rows.hpp"
#include "core/search/fused/detail/layer_phases.hpp"
#include "core/search/fused/detail/run_prefixes.hpp"
#include "core/search/fused/detail/shared_lists.hpp"
#include "core/search/fused/fused_network.hpp"
#include "core/search/optimal/certificate.hpp"

namespace zz::core {

/// The result of a join of layers.
struct JoinedLayers {
  double value = infinite;  ///< the sum of weighted costs; infinite: nothing below the cutoff
  /// No way to join the layers has less than this.
  double lower_bound = 0;
  std::uint64_t labels = 0;
  bool complete = true;  ///< not ended by a limit

  struct Layer {
    int shared = 0;        ///< list that heads the nest
    int with_next = 0;     ///< length of the list shared with the next layer
    bool unfused = false;  ///< with its own best mapping, as a layer of no set
    std::array<FusedOperand, max_operands> operands;
    std::uint32_t label = 0;  ///< of its TileSummaries
  };
  Numbered<Layer> layers;  ///< as the network has them
  std::vector<int> order;  ///< in which they run
};

/// Joins layers into groups by dynamic programming over the boundaries between them, in all orders given.
///
/// *Key* of a boundary: the layers before it, the list of loops that the layers before and after share, and
/// each tensor that waits on chip there: its depth, and before its first use how many loops it
/// has shared at least since it was made. *Label*: the weighted cost so far; for each number of loops, the
/// fullest of the phases before that share so many loops with what follows; for each depth, what earlier
/// layers hold in the exchange memory while the loop of that depth runs. Labels of one key dominate each
/// other. What later layers can see of earlier ones is no more than that.
///
/// *Bound* of a label: its weighted cost, and the least of the layers to come by what has run and is on
/// chip, where each layer is alone in the exchange memory. Where too many sets of tensors may be on chip,
/// or a limit is reached while they are looked at, it is the least of each layer to come, whatever is.
class FusedJoin {
 public:
  /// Refers to all. `on_chip`: sets of tensors on chip up to which each has a bound of its own. What all
  /// layers cost is the sum of their weighted costs.
  FusedJoin(const FusedNetwork& network, const Numbered<LayerViews>& layers, const JoinRules& rules,
            const RunPrefixes& prefixes, const Numbered<LatencyFloors>& floors, std::size_t on_chip,
            const SearchLimits& limits, const std::function<double()>& seconds);

  /// The least that any way to join the layers takes.
  double root_bound() const { return rest_after(0, {}); }

  /// REQUIRES: the weighted cost is the energy.
  JoinedLayers unfused();

  /// Looks for something below the cutoff. `beam`: only so many labels of each set of layers are continued,
  /// those with the least bounds; 0: all. The lower bound is then that of the cutoff and of what was
  /// dropped.
  JoinedLayers run(double cutoff, std::size_t beam, const SearchLimits& limits,
                   const std::function<double()>& seconds);

  const SharedLists& lists() const { return lists_; }

 private:
  static constexpr int most = SharedLists::most_loops;
  using PerDepth = std::array<double, most>;
  using Live = std::vector<int>;  ///< tensors on chip, rising

  /// A tensor that waits at a boundary, on chip or not.
  struct Waiting {
    int tensor = 0;
    int depth = 0;   ///< -1: off chip, and some list could make a layer read what is not yet finished
    int shared = 0;  ///< loops shared by all layers since its producer; on chip: -1 after its first use
    auto operator<=>(const Waiting&) const = default;
  };
  struct Key {
    int prefix = 0;  ///< of RunPrefixes
    int list = 0;
    std::vector<Waiting> waiting;  ///< by tensor
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Label {
    double value = 0;
    PerDepth fullest{};  ///< of phases that share 1, 2, ... loops with what follows
    PerDepth held{};     ///< by earlier layers, by depth
    std::uint32_t record = 0;
  };
  struct State {
    Key key;
    double least = 0;  ///< of the labels' values, or less
    std::vector<Label> labels;
  };
  using Boundary = std::vector<State>;
  using Depths = std::array<std::int8_t, max_operands>;  ///< of exchanged operands; -1: of others
  struct Record {
    std::uint32_t before = 0;
    std::int32_t layer = 0, shared = 0, next = 0;
    Depths depths{};
    const LayerPhase* phase = nullptr;
  };
  /// One way to go on from a key: what the next key is, and what the layer must map to get there.
  struct Step {
    int prefix = 0;  ///< with the layer
    int next = 0;    ///< the list after the layer
    int head = 0;    ///< the longer one of the lists before and after it
    int made = -2;   ///< depth of the layer's output on chip; -2: it goes off chip, or there is none
  };

  bool bound_rest(std::size_t most, const SearchLimits& limits, const std::function<double()>& seconds);
  void bound_each_layer();
  double rest_after(int prefix, const Live& live) const;
  PerDepth kept_rows(int tensor, int list, int depth);
  bool may_exchange(int tensor, int list, int depth) const;
  bool may_join(int tensor, int layer) const;

  void expand(const RunPrefixes::Next& to, const State& state, double cutoff);
  const std::vector<int>& extensions(const RunPrefixes::Next& to, int list);
  void try_step(int layer, const State& state, const Step& step, double cutoff);
  void find_key(int layer, const State& state, const Step& step);
  void try_extensions(const RunPrefixes::Next& to, const State& state, int list, double cutoff);
  void join_phases(int layer, const State& state, const Step& step, double rest,
                   const std::vector<LayerPhase>& phases, double cutoff);
  Label* add(const Key& key, std::size_t& slot, const Label& label);
  double beam_end(int prefix) const;
  void widen(int prefix, double bound);

  const FusedNetwork& network_;
  const double capacity_;  ///< of the exchange memory
  const RunPrefixes& prefixes_;
  SharedLists lists_;
  KeptRows rows_;
  LayerPhases phases_;
  Numbered<std::map<Live, double>> rest_;  ///< by prefix
  Numbered<double> rest_of_prefix_;        ///< without what is on chip; where `rest_` would be too large
  Numbered<std::unordered_map<std::uint64_t, std::vector<int>>> extensions_;  ///< by layer

  // The step at hand.
  Live live_;
  Key next_key_;
  Boundary next_;
  std::unordered_map<Key, std::size_t, KeyHash> next_index_;
  std::deque<Record> records_;
  std::uint64_t labels_ = 0;
  std::size_t next_labels_ = 0;
  double least_dropped_ = infinite;
  std::size_t beam_ = 0;                                        ///< width; 0: all labels are continued
  std::unordered_map<int, std::priority_queue<double>> beams_;  ///< the least bounds, by prefix
};

}  // namespace zz::core
