#include "core/cost/detail/parts_of_mapping.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/cost/boundary_cost.hpp"
#include "core/cost/latency.hpp"
#include "core/cost/loading.hpp"
#include "core/cost/port_load.hpp"
#include "core/cost/rounding.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {

std::vector<double> share_of_largest(std::span<const double> heights) {
  std::vector<std::size_t> order(heights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return heights[a] < heights[b]; });
  std::vector<double> shares(heights.size());
  double below = 0, share = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double height = std::max(0.0, heights[order[i]]);
    share += (height - below) / static_cast<double>(order.size() - i);
    below = height;
    shares[order[i]] = share;
  }
  return shares;
}

namespace {

class Explanation {
 public:
  Explanation(Evaluation& evaluation, const CostModel& model, const CompactMapping& mapping,
              std::span<const BoundaryCost* const> costs)
      : evaluation_(evaluation),
        tables_(model.tables()),
        rules_(model.options().rules),
        boundaries_(model.boundaries()),
        costs_(costs),
        mapping_(mapping),
        pace_(pace_of(tables_, mapping)),
        latency_(latency_of(tables_, model.options(), boundaries_, mapping, costs, &loading_)),
        second_buffers_(second_buffers(tables_, rules_, boundaries_, mapping, costs)),
        windows_(tables_, boundaries_, mapping, pace_, costs, second_buffers_) {
    loads_.reserve(boundaries_.ports().size());
    for (const Boundaries::Port& port : boundaries_.ports())
      loads_.push_back(load_of(port, pace_, costs_, windows_));
  }

  void fill() {
    evaluation_.latency_parts.reserve(16);
    explain_units();
    explain_array();
    explain_stalls();
    explain_unhidden();
    explain_tile_interval();
    explain_onloading();
    take_off_hidden("onloading", latency_.onloading);
    explain_offloading();
    take_off_hidden("offloading", latency_.offloading - latency_.waited_for_ports);
    explain_wait();
    if (latency_.drain > 0) part("drain", latency_.drain);
    explain_energy();
    evaluation_.ports.reserve(loads_.size());
    for (std::size_t port = 0; port < loads_.size(); ++port) list_port(port);
  }

 private:
  using Shares = std::vector<double>;
  const Boundaries::Port& port_at(std::size_t port) const { return boundaries_.ports()[port]; }
  const Memory& memory_of(const Boundaries::Port& port) const {
    return evaluation_.accelerator->memories[port.memory];
  }
  const std::string& name_of(const Boundaries::Port& port) const {
    return memory_of(port).ports[port.port].name;
  }
  const std::string& operand_at(int boundary) const {
    return evaluation_.layer->operands[boundaries_[boundary].operand].name;
  }
  /// The uses that are in the load of a port, each with its number there.
  template <class Visit>
  void for_each_use(std::size_t port, const Visit& visit) const {
    std::size_t number = 0;
    for (const Boundaries::PortUse& use : port_at(port).uses)
      if (!is_idle(use, costs_)) visit(use, number++);
  }

  LatencyPart& part(const char* cause, double cycles) {
    LatencyPart& made = evaluation_.latency_parts.emplace_back();
    made.cause = cause;
    made.cycles = cycles;
    return made;
  }

  LatencyPart& part_of_port(const char* cause, std::size_t port, const char* because, double cycles) {
    LatencyPart& made = part(cause, cycles);
    made.memory = memory_of(port_at(port)).name;
    made.port = name_of(port_at(port));
    made.because = because;
    return made;
  }

  LatencyPart& part_of_use(const char* cause, std::size_t port, const Boundaries::PortUse& use,
                           double cycles) {
    LatencyPart& made = part_of_port(cause, port, "", cycles);
    made.operand = operand_at(use.boundary);
    made.direction = direction_names[use.direction];
    return made;
  }

  // Units at work, and the array that is not full.

  void explain_units() {
    const double ideal = std::min(evaluation_.ideal_cycle, latency_.ideal);
    part("ideal", ideal);
    const double lost = latency_.ideal - ideal;
    if (lost <= 0) return;
    std::vector<double> heights;
    for (std::size_t port = 0; port < loads_.size(); ++port)
      heights.push_back(std::min(lost, std::max(0.0, traffic_above_lowest(port) - ideal)));
    behind_ = share_of_largest(heights);
    split_between_dimensions_and_loops(lost);
  }

  double busy_cycles(const Boundaries::PortUse& use) const {
    return costs_[use.boundary]->busy[use.direction];
  }

  double traffic_above_lowest(std::size_t port) const {
    double cycles = 0;
    for (const Boundaries::PortUse& use : port_at(port).uses)
      if (boundaries_[use.boundary].level > 0 && !is_idle(use, costs_)) cycles += busy_cycles(use);
    return cycles;
  }

  void split_between_dimensions_and_loops(double lost) {
    const OperationalArray& array = evaluation_.accelerator->array;
    const SpatialUnrolling& unrolled = evaluation_.layer->mapping.spatial_mapping;
    std::vector<double> unused;  // by array dimension
    double weights = 0;
    for (const ArrayDimension& dimension : array.dimensions) {
      double ratio = static_cast<double>(dimension.size);
      if (const ArrayUnrolling* on = unrolled.find(dimension.name))
        for (const SpatialLoop& loop : on->loops) ratio /= static_cast<double>(loop.factor);
      weights += unused.emplace_back(std::log(std::max(1.0, ratio)));
    }
    std::vector<double> not_full;  // by loop
    for (std::size_t loop = 0; loop < evaluation_.layer->loops.size(); ++loop)
      weights +=
          not_full.emplace_back(std::log(std::max(1.0, rounding_up(static_cast<int>(loop), unrolled))));
    if (weights <= 0) return lose("remainder", {}, {}, lost, lost);
    for (std::size_t i = 0; i < unused.size(); ++i)
      lose("idle", array.dimensions[i].name, {}, lost * unused[i] / weights, lost);
    for (std::size_t i = 0; i < not_full.size(); ++i)
      lose("remainder", {}, evaluation_.layer->loops[i].name, lost * not_full[i] / weights, lost);
  }

  /// Units that a loop is unrolled on, by those that work in an average round.
  double rounding_up(int loop, const SpatialUnrolling& unrolled) const {
    double ratio = 1;
    for (const ArrayUnrolling& dimension : unrolled.dimensions)
      for (const SpatialLoop& one : dimension.loops)
        if (one.dimension == evaluation_.layer->loops[loop].name) ratio *= static_cast<double>(one.factor);
    for (const UnrolledFactor& one : tables_.fractional[0].loops.all())
      if (one.dimension == loop) ratio /= one.factor;
    return ratio;
  }

  /// Takes from all `lost` cycles of an array that is not full those of one cause, behind a port or not.
  void lose(const char* cause, const std::string& dimension, const std::string& loop, double cycles,
            double lost) {
    if (cycles <= 0) return;
    double alone = cycles;
    const auto add = [&](double of_these) -> LatencyPart& {
      LatencyPart& made = part(cause, of_these);
      made.array_dimension = dimension;
      made.loop = loop;
      return made;
    };
    for (std::size_t port = 0; port < behind_.size(); ++port) {
      const double share = cycles * (behind_[port] / lost);
      if (share <= 0) continue;
      add(share).behind = memory_of(port_at(port)).name + "." + name_of(port_at(port));
      alone -= share;
    }
    // A remainder of rounding is no cause.
    if (alone > 1e-12 * cycles) add(alone);
  }

  /// Tells the cycles that the array takes beyond its steps.
  void explain_array() {
    for (const auto& [because, cycles] :
         {std::pair{"zeros", pace_.waiting_cycles()}, std::pair{"efficiency", pace_.efficiency_cycles()},
          std::pair{"fold", pace_.fold_cycles()}, std::pair{"instruction", pace_.instruction_cycles()}})
      if (cycles > 0) part("array", cycles).because = because;
  }

  // Ports that the units wait for.

  void explain_stalls() {
    std::vector<double> heights;
    for (const PortLoad& load : loads_) heights.push_back(load.stall());
    const Shares shares = share_of_largest(heights);
    for (std::size_t port = 0; port < loads_.size(); ++port)
      if (shares[port] > 0) split_stall(port, shares[port] / heights[port]);
  }

  /// The stall of a port by use and reason, times `share`.
  void split_stall(std::size_t port, double share) {
    const PortLoad& load = loads_[port];
    double wanted = 0;
    for (std::size_t transfer = 0; transfer < load.activities().size(); ++transfer)
      wanted += fitting(load, transfer);
    const double too_many = std::max(0.0, wanted - load.made() * static_cast<double>(load.given()));
    for_each_use(port, [&](const Boundaries::PortUse& use, std::size_t transfer) {
      double beyond_period = 0, beyond_window = 0;
      load.for_each_size(transfer, [&](const PortActivity& one, std::int64_t repeats) {
        const auto times = static_cast<double>(repeats);
        const double real = one.passing * static_cast<double>(one.real);
        const double period = load.made() * static_cast<double>(one.period);
        const double window = load.made() * static_cast<double>(one.allowed);
        beyond_period += std::max(0.0, (real - period) * times);
        beyond_window += std::max(0.0, (std::min(real, period) - window) * times);
      });
      const auto add = [&](const char* because, double cycles) {
        if (cycles > 0) part_of_use("stall", port, use, cycles * share).because = because;
      };
      add(makes_requests(use) ? "requests" : "bandwidth", beyond_period);
      add("single buffer", beyond_window);
      if (too_many > 0) add("shared port", too_many * fitting(load, transfer) / wanted);
    });
  }

  bool makes_requests(const Boundaries::PortUse& use) const {
    const Boundaries::Boundary& at = boundaries_[use.boundary];
    const int memory = memory_at(at.level, use.direction);
    return tables_.operands[at.operand].port[memory][use.direction].request_cycles != 0;
  }

  /// Cycles that a transfer needs as far as its windows have them.
  static double fitting(const PortLoad& load, std::size_t transfer) {
    double cycles = 0;
    load.for_each_size(transfer, [&](const PortActivity& one, std::int64_t repeats) {
      cycles += std::min(one.passing * static_cast<double>(one.real),
                         load.made() * static_cast<double>(one.allowed)) *
                static_cast<double>(repeats);
    });
    return cycles;
  }

  void explain_unhidden() {
    if (latency_.unhidden <= 0) return;
    std::vector<double> heights;
    for (const std::size_t port : boundaries_.partly_hiding())
      heights.push_back(
          unhidden_cycles(port_at(port).overlap, latency_.array, repeated_cycles(port_at(port), costs_)));
    const Shares shares = share_of_largest(heights);
    for (std::size_t i = 0; i < shares.size(); ++i)
      if (shares[i] > 0) part_of_port("stall", boundaries_.partly_hiding()[i], "overlap", shares[i]);
  }

  /// The memory with the most tiles times cycles; of equals the first.
  void explain_tile_interval() {
    if (latency_.tile_interval <= 0) return;
    const auto cycles = [&](const Boundaries::Paced& one) {
      return one.interval * static_cast<double>(costs_[one.boundary]->count);
    };
    const Boundaries::Paced& longest =
        *std::max_element(boundaries_.paced().begin(), boundaries_.paced().end(),
                          [&](const auto& a, const auto& b) { return cycles(a) < cycles(b); });
    const Boundaries::Boundary& above = boundaries_[longest.boundary];
    LatencyPart& made = part("stall", latency_.tile_interval);
    made.memory = evaluation_.operands[above.operand].levels[above.level - 1].memory;
    made.operand = operand_at(longest.boundary);
    made.because = "tile interval";
  }

  void explain_wait() {
    if (latency_.waited_for_ports <= 0) return;
    const double without = latency_.total() - latency_.waited_for_ports;
    std::vector<double> heights;
    for (std::size_t port = 0; port < loads_.size(); ++port) {
      const double busy = std::max(loads_[port].busy(), port_at(port).line_cycles);
      heights.push_back(std::ceil(snapped(busy)) - without);
    }
    const Shares shares = share_of_largest(heights);
    for (std::size_t port = 0; port < loads_.size(); ++port) {
      if (shares[port] <= 0) continue;
      if (port_at(port).line_cycles > loads_[port].busy()) {
        part_of_port("wait", port, "line", shares[port]);
        continue;
      }
      for_each_use(port, [&](const Boundaries::PortUse& use, std::size_t) {
        const double share = busy_cycles(use) / loads_[port].busy();
        if (share > 0) part_of_use("wait", port, use, shares[port] * share);
      });
    }
  }

  // First data and last results.

  /// Hidden ones are none. The side that takes longer has it; of equals the memory above.
  void explain_loading(const char* cause, int boundary) {
    const bool above = loading_.above[boundary] >= loading_.below[boundary];
    const double cycles = above ? loading_.above[boundary] : loading_.below[boundary];
    if (cycles == 0) return;
    const int down = above ? read_to_low : write_from_high, up = above ? write_from_low : read_to_high;
    const int direction = boundaries_[boundary].operand == 0 ? up : down;
    for (std::size_t port = 0; port < loads_.size(); ++port)
      for (const Boundaries::PortUse& use : port_at(port).uses)
        if (use.boundary == boundary && use.direction == direction) part_of_use(cause, port, use, cycles);
  }

  /// Boundaries of an input whose loading counts, by whether ports on both sides serve both inputs.
  template <class Visit>
  void for_each_loaded(int operand, const Visit& visit) const {
    const int levels = tables_.operands[operand].levels;
    int last_half_shared = 0;
    for (int level = 1; level < levels; ++level) {
      const Boundaries::Sharing& sharing = boundaries_.sharing(boundaries_.number(operand, level));
      if (sharing.below != sharing.above) last_half_shared = level;
    }
    for (int level = 1; level < levels; ++level) {
      const int boundary = boundaries_.number(operand, level);
      const Boundaries::Sharing& sharing = boundaries_.sharing(boundary);
      const bool half_shared = sharing.below != sharing.above;
      if (half_shared && rules_.highest_half_shared_only && level != last_half_shared) continue;
      visit(boundary, sharing.below && sharing.above, half_shared);
    }
  }

  InputLoading loading_of(int operand) const {
    InputLoading input;
    for_each_loaded(operand, [&](int boundary, bool shared, bool half_shared) {
      const double cycles = std::max(loading_.below[boundary], loading_.above[boundary]);
      (shared ? input.shared : half_shared ? input.half_shared : input.individual) += cycles;
    });
    return input;
  }

  void explain_onloading() {
    if (tables_.operand_count == 3) {
      const CountedLoading counted = counted_loading(loading_of(1), loading_of(2));
      explain_input(1, counted.p_shared, counted.p_rest);
      explain_input(2, counted.q_shared, counted.q_rest);
    } else if (tables_.operand_count == 2) {
      for_each_loaded(1, [&](int boundary, bool shared, bool half_shared) {
        if (!rules_.shared_loading_forgotten || !(shared || half_shared))
          explain_loading("onloading", boundary);
      });
    }
  }

  /// Stalled cycles hide all loading alike: parts shrink to what is left of their cause.
  void take_off_hidden(const std::string& cause, double left) {
    auto& parts = evaluation_.latency_parts;
    const auto first = std::find_if(parts.begin(), parts.end(),
                                    [&](const LatencyPart& one) { return one.cause == cause; });
    const double all = std::accumulate(first, parts.end(), 0.0,
                                       [](double sum, const LatencyPart& one) { return sum + one.cycles; });
    if (all == left) return;
    if (left <= 0) return void(parts.erase(first, parts.end()));
    for (auto one = first; one != parts.end(); ++one) one->cycles *= left / all;
  }

  void explain_input(int operand, bool with_shared, bool with_rest) {
    for_each_loaded(operand, [&](int boundary, bool shared, bool) {
      if (shared ? with_shared : with_rest) explain_loading("onloading", boundary);
    });
  }

  void explain_offloading() {
    for (int level = 1; level < tables_.operands[0].levels; ++level)
      explain_loading("offloading", boundaries_.number(0, level));
  }

  // Energy.

  CostRange range_of(const std::string& name, Direction direction) const {
    const Accelerator& accelerator = *evaluation_.accelerator;
    const Memory& memory = accelerator.memories[accelerator.memory_index(name)];
    return is_read(direction) ? memory.read_range : memory.write_range;
  }

  void explain_energy() {
    evaluation_.energy_parts.reserve(12);
    const auto add = [&](const LevelCost* level, int operand, int direction, const char* because,
                         double pJ) {
      if (pJ <= 0) return;
      EnergyPart& made = evaluation_.energy_parts.emplace_back();
      if (level != nullptr) {
        made.memory = level->memory;
        made.operand = evaluation_.layer->operands[operand].name;
        made.direction = direction_names[direction];
      }
      made.because = because;
      const CostRange range = level == nullptr ? evaluation_.accelerator->array.unit_range
                                               : range_of(level->memory, static_cast<Direction>(direction));
      made.pJ = pJ;
      made.low = pJ * range.low;
      made.high = pJ * range.high;
    };
    for (int operand = 0; operand < tables_.operand_count; ++operand) {
      const OperandTable& table = tables_.operands[operand];
      const std::optional<CostTables> unformatted = without_format(operand);
      for (int level = 0; level < table.levels; ++level) {
        const LevelCost& cost = evaluation_.operands[operand].levels[level];
        for (int direction = 0; direction < direction_count; ++direction) {
          const double all = cost.energy_by_direction[direction];
          const SharesBeside beside = shares_beside(operand, level, direction, unformatted);
          const double spent = all * (1 - beside.scales - beside.metadata);
          add(&cost, operand, direction, "scales", all * beside.scales);
          add(&cost, operand, direction, "metadata", all * beside.metadata);
          if (table.output && (direction == read_to_low || direction == write_from_high)) {
            add(&cost, operand, direction, "partial sums", spent);
            continue;
          }
          const double once = std::min(spent, energy_of_data(table, level, direction));
          add(&cost, operand, direction, "once", once);
          const bool noise = spent < all && spent - once < 1e-9 * spent;
          add(&cost, operand, direction, "again", noise ? 0 : spent - once);
        }
      }
    }
    if (!evaluation_.imc) return add(nullptr, 0, 0, "arithmetic", evaluation_.mac_energy);
    const ImcEnergy& imc = evaluation_.imc->energy;
    add(nullptr, 0, 0, "local_bl_precharging", imc.local_bl_precharging);
    add(nullptr, 0, 0, "dacs", imc.dacs);
    add(nullptr, 0, 0, "adcs", imc.adcs);
    add(nullptr, 0, 0, "mults", imc.mults);
    add(nullptr, 0, 0, "analog_bl_addition", imc.analog_bl_addition);
    add(nullptr, 0, 0, "adders_regular", imc.adders_regular);
    add(nullptr, 0, 0, "adders_pv", imc.adders_pv);
    add(nullptr, 0, 0, "accumulators", imc.accumulators);
  }

  /// Shares of what is beside the numbers among the bits that pass a memory's port in a direction.
  struct SharesBeside {
    double scales = 0, metadata = 0;
  };
  SharesBeside shares_beside(int operand, int level, int direction,
                             const std::optional<CostTables>& unformatted) const {
    const OperandTable& table = tables_.operands[operand];
    if (!table.held.beside()) return {};
    const bool below = direction == read_to_low || direction == write_from_low;
    const int boundary = below ? level : level + 1;
    if (boundary == table.levels) return {};
    const TilesBelow tiles(tables_, mapping_, mapping_.loops_below(operand, boundary));
    double all = 0, beside = 0, scales = 0;
    for (const TilesBelow::Size& size : tiles.sizes()) {
      const auto moved_by = [&](const CostTables& tables) {
        const DataFootprint held =
            footprint_of(tables, tables.fractional, mapping_, operand, boundary, size.last);
        return transfers_over(tables.operands[operand], held, boundary, size.steps,
                              size.steps * size.portions)[direction];
      };
      const auto bits_beside = [&](const CostTables& tables, const LevelTransfer& moved) {
        const double data = tables.operands[operand].held.at(level, moved.finished).numbers();
        return moved.precision > 0 ? moved.precision - data : 0;
      };
      const LevelTransfer moved = moved_by(tables_);
      const double elements = static_cast<double>(size.portions) * moved.elements;
      all += elements * moved.precision;
      beside += elements * bits_beside(tables_, moved);
      if (!table.held.at(level, moved.finished).in_format())
        scales += elements * bits_beside(tables_, moved);
      else if (unformatted)
        scales += elements * bits_beside(*unformatted, moved_by(*unformatted));
    }
    if (!(all > 0)) return {};
    return {scales / all, std::max(0.0, beside - scales) / all};
  }

  /// A format has the scales of its numbers as they are without it: where there are both, the tables that
  /// tell these.
  std::optional<CostTables> without_format(int operand) const {
    const HeldBits& held = tables_.operands[operand].held;
    if (held.in_format.empty() || !(held.stored.beside() || held.final_stored.beside())) return {};
    std::optional<CostTables> unformatted(tables_);
    unformatted->operands[operand].held.in_format.clear();
    return unformatted;
  }

  /// pJ to move each element once, with nothing beside.
  static double energy_of_data(const OperandTable& table, int level, int direction) {
    const double width = table.port[level][direction].bandwidth_max;
    const double bits = static_cast<double>(table.elements) * table.held.at(level, true).numbers();
    return width > 0 ? bits / width * table.energy[level][direction] : 0;
  }

  // Ports.

  void list_port(std::size_t number) {
    const Boundaries::Port& port = port_at(number);
    const PortLoad& load = loads_[number];
    PortFigures& figures = evaluation_.ports.emplace_back();
    figures.memory = memory_of(port).name;
    figures.port = name_of(port);
    figures.bandwidth = port.bandwidth;
    const auto lasting = [&](std::int64_t cycles) {
      return load.made() == 1 ? cycles : std::llround(load.made() * static_cast<double>(cycles));
    };
    figures.stall = std::max<std::int64_t>(0, std::llround(load.stall()));
    figures.traffic = load.busy();
    figures.traffic_above_lowest = traffic_above_lowest(number);
    double fits = 0;
    figures.uses.reserve(port.uses.size());
    for_each_use(number, [&](const Boundaries::PortUse& use, std::size_t transfer) {
      load.for_each_size(transfer, [&](const PortActivity& size, std::int64_t repeats) {
        figures.needed += std::llround(size.passing * static_cast<double>(size.real * repeats));
      });
      fits += fitting(load, transfer);
      const PortActivity& one = load.activities()[transfer];
      const bool loads = !use.partial_sums_back && boundaries_[use.boundary].level > 0;
      figures.uses.push_back({operand_at(use.boundary), direction_names[use.direction], one.real,
                              lasting(one.allowed), lasting(one.period), one.count,
                              (second_buffers_ >> use.boundary & 1) != 0, busy_cycles(use),
                              !loads ? 0 : (use.below ? loading_.below : loading_.above)[use.boundary]});
    });
    if (figures.uses.empty()) return;
    figures.given = lasting(load.given());
    figures.slack = std::max<std::int64_t>(0, figures.given - std::llround(fits));
  }

  Evaluation& evaluation_;
  const CostTables& tables_;
  const Rules& rules_;
  const Boundaries& boundaries_;
  const std::span<const BoundaryCost* const> costs_;
  const CompactMapping& mapping_;
  const ArrayPace pace_;
  LoadingCycles loading_;  // before what fills it
  const Latency latency_;
  const std::uint64_t second_buffers_;
  const Windows windows_;
  std::vector<PortLoad> loads_;  ///< by port
  Shares behind_;                ///< by port, of the cycles of an array that is not full
};

}  // namespace

void fill_parts(Evaluation& evaluation, const CostModel& model, const CompactMapping& mapping,
                std::span<const BoundaryCost* const> costs) {
  Explanation(evaluation, model, mapping, costs).fill();
}

}  // namespace zz::core
