#include "core/search/temporal/user_ordering.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/search/temporal/loop_allocator.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/search/temporal/prescribed_cuts.hpp"

namespace zz::core {
namespace {

std::int64_t tiles_of(std::int64_t tile, std::int64_t rounds) { return (rounds - 1) / tile + 1; }

/// The entries of one dimension taken together.
struct Demand {
  bool named = false;               ///< by an entry that is a loop
  std::int64_t product = 1;         ///< of the sizes, saturated
  int unsized = 0;                  ///< entries without a size
  std::vector<std::int64_t> sizes;  ///< those that are given, innermost first
  std::int64_t tile = 1;            ///< below the outermost of these

  /// The loops are a chain of tiles, of which only the outermost does not divide the rounds (TilesBelow).
  bool is_ragged(std::int64_t rounds) const {
    return unsized == 0 && tile < rounds && product > rounds && sizes.back() == tiles_of(tile, rounds);
  }
  /// Some number of rounds up to this one is what they are a chain of.
  bool fits_up_to(std::int64_t rounds) const {
    return sizes.empty() || product <= rounds || sizes.back() - 1 <= (rounds - 1) / tile;
  }
};

struct Entry {
  int dimension = 0;  ///< -1: any loops
  std::optional<std::int64_t> size;
};

class OrderingReader {
 public:
  OrderingReader(const Layer& layer, const std::vector<OrderingEntry>& entries,
                 const std::vector<RemainingLoop>& remaining, OrderingUse use)
      : layer_(layer), use_(use), left_(layer.loops.size(), 1), demands_(layer.loops.size()) {
    for (const RemainingLoop& loop : remaining) left_[loop.dimension] = loop.size;
    for (const OrderingEntry& entry : entries) {
      read(entry);
      kept_.push_back(static_cast<std::int64_t>(entries_.size()));
    }
  }

  bool complete(bool outer_wildcard_dropped) const {
    if (outer_wildcard_dropped && wildcard_) return false;
    for (std::size_t dimension = 0; dimension < left_.size(); ++dimension)
      if (is_open(dimension)) return false;
    return true;
  }

  bool is_ragged() const {
    for (std::size_t dimension = 0; dimension < left_.size(); ++dimension)
      if (demands_[dimension].named && demands_[dimension].is_ragged(left_[dimension])) return true;
    return false;
  }

  /// ZigZag and Stream have no tiles that do not divide their loop. Another unrolling may leave rounds that
  /// are divided.
  void refuse_ragged() {
    for (std::size_t dimension = 0; dimension < left_.size(); ++dimension) {
      const Demand& demand = demands_[dimension];
      const std::int64_t left = left_[dimension];
      if (!demand.named || !demand.is_ragged(left)) continue;
      std::int64_t divisor = demand.tile;
      while (left % divisor != 0) --divisor;
      misfit(
          fmt::format("its tile of {} does not divide the {} iterations of {} that remain in time; ZigZag "
                      "and Stream have no such tiles (compat), the nearest that divides is {}",
                      demand.tile, left, name(dimension), divisor));
    }
  }

  /// Problems that depend on the unrolling, after those that do not.
  void check() {
    bool all_given = !wildcard_;
    for (std::size_t dimension = 0; dimension < left_.size(); ++dimension) {
      const Demand& demand = demands_[dimension];
      if (demand.named) check_fits(dimension);
      if (demand.unsized > 0 || (left_[dimension] > 1 && !demand.named)) all_given = false;
    }
    if (!all_given && use_ == OrderingUse::search) return;
    for (std::size_t dimension = 0; dimension < left_.size(); ++dimension) {
      const Demand& demand = demands_[dimension];
      const std::int64_t left = left_[dimension];
      if (demand.product == left || left % demand.product != 0) continue;
      misfit(
          fmt::format("its entries cover {} of the {} iterations of {} that remain in time", demand.product,
                      left, name(dimension)) +
          (use_ == OrderingUse::search ? "; add [\"*\", \"*\"] where the other loops may be placed" : ""));
    }
  }

  /// Cuts count the loops of an order that leaves none open.
  void refuse_cuts() {
    if (!never_.empty() || !misfits_.empty()) return;
    std::vector<std::string> open;
    for (std::size_t dimension = 0; dimension < left_.size(); ++dimension)
      if (is_open(dimension)) open.push_back(name(dimension));
    const std::string what =
        fmt::format("it has cuts, which need every loop with its size, and leaves loops open{}{}",
                    open.empty() ? "" : ": those of ", fmt::join(open, ", "));
    const auto unsized = [](const Demand& demand) { return demand.unsized > 0; };
    if (wildcard_ || std::any_of(demands_.begin(), demands_.end(), unsized))
      never(what);
    else
      misfit(what);
  }

  /// Numbers of loops that are left of the first entries, by number of these.
  const std::vector<std::int64_t>& kept() const { return kept_; }

  void throw_problems(const std::string& where) const {
    if (!never_.empty()) throw InputError(where + never_);
    if (!misfits_.empty()) throw NoResult(where + misfits_);
  }

  std::vector<RemainingLoop> loops() const {
    std::vector<RemainingLoop> loops;
    for (const Entry& entry : entries_) {
      if (entry.dimension >= 0) loops.push_back({entry.dimension, *entry.size});
    }
    return loops;
  }

  std::vector<OrderConstraint> constraints() const {
    std::vector<OrderConstraint> constraints;
    const int count = static_cast<int>(entries_.size());
    int first = 0;
    for (int i = 0; i < count; ++i) {
      if (entries_[i].dimension < 0) {
        first = -count;
      } else {
        constraints.push_back({first + i, entries_[i].dimension, entries_[i].size});
      }
    }
    return constraints;
  }

 private:
  const std::string& name(std::size_t dimension) const { return layer_.loops[dimension].name; }
  static void add(std::string& problems, const std::string& problem) {
    problems += (problems.empty() ? "" : "; ") + problem;
  }
  bool is_open(std::size_t dimension) const {
    const Demand& demand = demands_[dimension];
    const std::int64_t left = left_[dimension];
    return demand.unsized > 0 || (demand.product != left && !demand.is_ragged(left));
  }
  void never(const std::string& problem) { add(never_, problem); }
  void misfit(const std::string& problem) { add(misfits_, problem); }

  void read(const OrderingEntry& entry) {
    if (entry.dimension == "*") {
      if (use_ == OrderingUse::prescribe) {
        never("\"*\" leaves loops open, but nothing is searched here");
      } else if (wildcard_) {
        never("it has two \"*\" entries; one stands for all loops that are left open");
      } else {
        entries_.push_back({-1, std::nullopt});
      }
      wildcard_ = true;
      return;
    }
    const int dimension = layer_.loop_index(entry.dimension);
    if (dimension < 0) {
      never(fmt::format("it names {}, which is no loop of the layer", entry.dimension));
      return;
    }
    Demand& demand = demands_[dimension];
    std::optional<std::int64_t> size = entry.size;
    if (entry.all || (use_ == OrderingUse::prescribe && !size)) {
      // Where the entries before are more than there is, check_fits() says so.
      const std::int64_t left = left_[dimension];
      size = demand.product < left ? tiles_of(demand.product, left) : 1;
    }
    if (size && *size < 2) return;
    demand.named = true;
    if (size) {
      demand.tile = demand.product;
      demand.sizes.push_back(*size);
    }
    if (!size) {
      ++demand.unsized;
    } else if (*size > std::numeric_limits<std::int64_t>::max() / demand.product) {
      demand.product = std::numeric_limits<std::int64_t>::max();
    } else {
      demand.product *= *size;
    }
    entries_.push_back({dimension, size});
  }

  void check_fits(std::size_t dimension) {
    const Demand& demand = demands_[dimension];
    const std::int64_t left = left_[dimension];
    const std::int64_t size = layer_.loops[dimension].size;
    if (demand.is_ragged(left)) {
      if (use_ == OrderingUse::prescribe) return;
      misfit(
          fmt::format("its tile of {} does not divide the {} iterations of {} that remain in time, which "
                      "needs an order that gives every loop",
                      demand.tile, left, name(dimension)));
    } else if (!demand.fits_up_to(size) || (demand.unsized > 0 && demand.product > size)) {
      never(fmt::format("its entries ask for {} iterations of {}, which has {}{}", demand.product,
                        name(dimension), size, nearest_chain(dimension)));
    } else if (left == 1) {
      misfit(fmt::format("it places a loop of {}, but {}", name(dimension),
                         size == 1 ? "that has one iteration only"
                                   : fmt::format("all its {} iterations are unrolled in space", size)));
    } else if (left % demand.product != 0) {
      misfit(fmt::format("its entries ask for {} iterations of {}, of which {} remain in time{}",
                         demand.product, name(dimension), left, nearest_chain(dimension)));
    } else if (demand.unsized > prime_factor_count(left / demand.product)) {
      misfit(fmt::format(
          "it asks for {} loops of {} of any size; the {} iterations that are left of it have {} "
          "prime factors",
          demand.unsized, name(dimension), left / demand.product,
          prime_factor_count(left / demand.product)));
    }
  }

  std::string chain(std::size_t dimension, const std::vector<std::int64_t>& sizes) const {
    std::string text;
    for (const std::int64_t size : sizes)
      text += fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", name(dimension), size);
    return text;
  }

  /// The fault of sizes that are no chain of tiles, and the nearest that are one.
  std::string nearest_chain(std::size_t dimension) const {
    const Demand& demand = demands_[dimension];
    const std::int64_t left = left_[dimension];
    if (demand.unsized > 0 || left < 2) return "";
    std::vector<std::int64_t> near;
    std::int64_t tile = 1;
    for (const std::int64_t size : demand.sizes) {
      if (tile >= left) break;
      near.push_back(std::min(size, tiles_of(tile, left)));
      tile = size >= tiles_of(tile, left) ? left : tile * size;
    }
    std::string why;
    if (tile < left) {
      if (near.size() > 1) tile /= near.back(), near.pop_back();
      near.push_back(tiles_of(tile, left));
    } else if (near.size() < demand.sizes.size()) {
      why = fmt::format(": a loop stands above those that do all {}", left);
    } else {
      why = demand.sizes.size() == 1 ? fmt::format(": a tile of {} is above its loop", demand.product)
                                     : fmt::format(": {} tiles of {} do all", near.back(), demand.tile);
    }
    return why + "; the nearest that works is " + chain(dimension, near) + meant_as_tiles(dimension);
  }

  /// Sizes that somebody may have meant as tiles: each loop counts the tiles below it.
  std::string meant_as_tiles(std::size_t dimension) const {
    const Demand& demand = demands_[dimension];
    const std::int64_t left = left_[dimension];
    std::vector<std::int64_t> sizes, tiles;
    for (const std::int64_t size : demand.sizes) {
      const std::int64_t below = tiles.empty() ? 1 : tiles.back();
      const std::int64_t times = std::min((size + below / 2) / below, (left - 1) / below);
      if (times < 2) return "";
      sizes.push_back(times);
      tiles.push_back(below * times);
    }
    if (tiles.size() < 2) return "";
    sizes.push_back(tiles_of(tiles.back(), left));
    return fmt::format("; tiles of {}, each of which divides the next, are {}", fmt::join(tiles, " and "),
                       chain(dimension, sizes));
  }

  const Layer& layer_;
  OrderingUse use_;
  std::vector<std::int64_t> left_;  ///< iterations in time, by dimension
  std::vector<Demand> demands_;     ///< by dimension
  std::vector<Entry> entries_;
  std::vector<std::int64_t> kept_{0};
  bool wildcard_ = false;
  std::string never_, misfits_;
};

}  // namespace

namespace {

std::string place_of_ordering(const Layer& layer) {
  const std::string place = layer.mapping.places.place("temporal_ordering");
  return fmt::format("{}{}layer '{}': temporal_ordering of mapping entry '{}': ", place,
                     place.empty() ? "" : ": ", layer.name, layer.mapping.name);
}

}  // namespace

UserOrdering user_ordering(const Layer& layer, const std::vector<RemainingLoop>& remaining, OrderingUse use,
                           const Rules& rules) {
  OrderingReader reader(layer, layer.mapping.temporal_ordering, remaining, use);
  if (use == OrderingUse::prescribe && layer.mapping.temporal_ordering.empty() && !remaining.empty()) {
    throw InputError(
        fmt::format("layer '{}': mapping entry '{}' has no temporal_ordering, which is to be used",
                    layer.name, layer.mapping.name));
  }
  const bool complete = reader.complete(rules.outer_wildcard_dropped);
  if (gives_original_figures(rules)) reader.refuse_ragged();
  if (!complete && !rules.orderings_unchecked) reader.check();
  if (!complete && !layer.mapping.cuts.empty()) reader.refuse_cuts();
  reader.throw_problems(place_of_ordering(layer));
  if (complete)
    return {true, reader.loops(), {}, reader.is_ragged(), recounted(layer.mapping.cuts, reader.kept())};
  return {false, {}, reader.constraints(), false, {}};
}

void check_complete_order(const Layer& layer, const std::vector<RemainingLoop>& remaining,
                          const std::vector<TemporalLoop>& loops, const std::string& where) {
  std::vector<OrderingEntry> entries;
  for (const TemporalLoop& loop : loops) entries.push_back({loop.dimension, loop.size, false});
  OrderingReader reader(layer, entries, remaining, OrderingUse::prescribe);
  reader.check();
  reader.throw_problems(where);
}

namespace {

/// Unrolled factors, by dimension; every operand lists all unrolled loops.
std::vector<double> unrolled_factors(const Layer& layer, const SpatialMapping& spatial_mapping) {
  std::vector<double> factors(layer.loops.size(), 1);
  for (const auto& level : spatial_mapping.operands.at(1).levels) {
    for (const UnrolledLoop& loop : level) {
      if (const int dimension = layer.loop_index(loop.dimension); dimension >= 0)
        factors[dimension] *= loop.factor;
    }
  }
  return factors;
}

/// The entries as they stand, whatever their product.
std::vector<TemporalLoop> unchecked_order(const Layer& layer, const SpatialMapping& spatial_mapping) {
  if (layer.mapping.temporal_ordering.empty()) {
    throw InputError(
        fmt::format("layer '{}': mapping entry '{}' has no temporal_ordering, which is to be used",
                    layer.name, layer.mapping.name));
  }
  std::vector<double> taken = unrolled_factors(layer, spatial_mapping);
  std::vector<TemporalLoop> order;
  for (const OrderingEntry& entry : layer.mapping.temporal_ordering) {
    const int dimension = layer.loop_index(entry.dimension);
    const double left = std::floor(static_cast<double>(layer.loops[dimension].size) / taken[dimension]);
    const std::int64_t size =
        entry.size.value_or(std::max<std::int64_t>(1, static_cast<std::int64_t>(left)));
    taken[dimension] *= static_cast<double>(size);
    order.push_back({entry.dimension, size});
  }
  return order;
}

/// An order with the cuts that count its loops, if there are any.
struct OrderWithCuts {
  std::vector<TemporalLoop> loops;
  std::vector<OperandCuts> cuts;
};

OrderWithCuts checked_order(const Layer& layer, const SpatialMapping& spatial_mapping) {
  UserOrdering ordering =
      user_ordering(layer, remaining_loops(layer, spatial_mapping, {}), OrderingUse::prescribe, {});
  OrderWithCuts order{{}, std::move(ordering.cuts)};
  for (const RemainingLoop& loop : ordering.loops)
    order.loops.push_back({layer.loops[loop.dimension].name, loop.size});
  return order;
}

/// "all" is what ZigZag makes of it.
void refuse_ragged(const Layer& layer, const SpatialMapping& spatial_mapping, const Rules& rules) {
  std::vector<OrderingEntry> entries;
  for (const OrderingEntry& entry : layer.mapping.temporal_ordering)
    if (entry.size && layer.loop_index(entry.dimension) >= 0) entries.push_back(entry);
  OrderingReader reader(layer, entries, remaining_loops(layer, spatial_mapping, rules),
                        OrderingUse::prescribe);
  reader.refuse_ragged();
  reader.throw_problems(place_of_ordering(layer));
}

}  // namespace

ConvertedOrdering convert_temporal_ordering(const Layer& layer, const Accelerator& accelerator,
                                            const SpatialMapping& spatial_mapping, MappingType type,
                                            const Rules& rules) {
  if (gives_original_figures(rules)) refuse_ragged(layer, spatial_mapping, rules);
  ConvertedOrdering converted;
  Layer known = layer;
  known.mapping.temporal_ordering.clear();
  std::vector<std::int64_t> kept{0};
  for (const OrderingEntry& entry : layer.mapping.temporal_ordering) {
    const bool wildcard = entry.dimension == "*" && !rules.outer_wildcard_dropped;
    if (wildcard || layer.loop_index(entry.dimension) >= 0) {
      known.mapping.temporal_ordering.push_back(entry);
    } else {
      converted.warnings.push_back(
          fmt::format("layer '{}': temporal_ordering names {}, which is no loop of the layer; the entry is "
                      "dropped",
                      layer.name, entry.dimension));
    }
    kept.push_back(static_cast<std::int64_t>(known.mapping.temporal_ordering.size()));
  }
  known.mapping.cuts = recounted(std::move(known.mapping.cuts), kept);
  const OrderWithCuts order =
      rules.orderings_unchecked ? OrderWithCuts{unchecked_order(known, spatial_mapping), known.mapping.cuts}
                                : checked_order(known, spatial_mapping);
  if (order.cuts.empty()) {
    converted.mapping = allocate_loop_order(known, accelerator, spatial_mapping, order.loops, type, rules);
    return converted;
  }
  CompactMapping mapping = compact_order(known, order.loops);
  cut_as_prescribed(known, accelerator, spatial_mapping, order.cuts, type, rules, mapping);
  converted.mapping = named_mapping(mapping, known, spatial_mapping, type);
  return converted;
}

}  // namespace zz::core
