#include "core/search/fused/fused_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

constexpr double tolerance = 1e-9;
using Role = FusedOperand::Role;

class Check {
 public:
  Check(const FusedNetwork& network, const FusedMapping& mapping) : network_(network), mapping_(mapping) {}

  std::vector<std::string> findings() {
    if (mapping_.layers.size() != network_.layers.size()) {
      expect(false, "nests", "{} layers are mapped, the network has {}", mapping_.layers.size(),
             network_.layers.size());
      return std::move(found_);
    }
    for (int layer = 0; layer < count(); ++layer)
      expect(at(layer).problem.layer->id == this->layer(layer).id, "nests", "'{}' stands where '{}' runs",
             at(layer).problem.layer->name, name(layer));
    if (!found_.empty()) return std::move(found_);
    for (int layer = 0; layer < count(); ++layer) check_nest(layer);
    if (!found_.empty()) return std::move(found_);  // what follows reads nests
    for (int layer = 0; layer < count(); ++layer) check_tiles(layer);
    for (std::size_t tensor = 0; tensor < network_.tensors.size(); ++tensor) check_tensor(tensor);
    for (int layer = 0; layer < count(); ++layer) check_roles(layer);
    if (!found_.empty()) return std::move(found_);
    walk_rows();
    if (const int exchange_memory = exchange_memory_of(mapping_); exchange_memory >= 0)
      for (int layer = 0; layer < count(); ++layer) check_room(layer, exchange_memory);
    return std::move(found_);
  }

  /// After findings().
  std::vector<PhaseRoom> rooms(int exchange_memory) const {
    std::vector<PhaseRoom> phases;
    for (int layer = 0; layer < count(); ++layer) phases.push_back(room(layer, exchange_memory));
    return phases;
  }

 private:
  template <class... Parts>
  bool expect(bool holds, const char* rule, fmt::format_string<Parts...> what, Parts&&... parts) {
    if (!holds)
      found_.push_back(fmt::format("{}: {}", rule, fmt::format(what, std::forward<Parts>(parts)...)));
    return holds;
  }

  int count() const { return network_.layers.count(); }
  const FusedLayer& at(int layer) const { return mapping_.layers[layer]; }
  const Layer& layer(int index) const { return *network_.layers[index].layer; }
  const std::string& name(int index) const { return layer(index).name; }
  static int size(const std::vector<SharedLoop>& loops) { return static_cast<int>(loops.size()); }

  /// Loops that are shared by all layers from one to another.
  int common(int from, int to) const {
    int loops = size(at(from).shared);
    for (int between = from; between < to; ++between) loops = std::min(loops, at(between).with_next);
    return loops;
  }

  // --- Nests.

  void check_nest(int index) {
    const FusedLayer& own = at(index);
    const int loops = size(own.shared);
    const int before = index > 0 ? at(index - 1).with_next : 0;
    expect(own.with_next >= 0 && std::max(before, own.with_next) == loops, "nests",
           "'{}' has {} shared loops, of which its neighbours share {} and {}", name(index), loops, before,
           own.with_next);
    if (index + 1 == count()) {
      expect(own.with_next == 0, "nests", "nothing follows '{}', which shares loops with it", name(index));
    } else {
      const FusedLayer& next = at(index + 1);
      const bool same =
          own.with_next <= size(next.shared) && own.with_next <= loops &&
          std::equal(own.shared.begin(), own.shared.begin() + own.with_next, next.shared.begin());
      expect(same, "nests", "'{}' and '{}' do not begin with the same {} loops", name(index),
             name(index + 1), own.with_next);
    }
    check_loops(index);
    const bool stays = std::any_of(own.operands.begin(), own.operands.end(),
                                   [](const FusedOperand& of) { return of.role != Role::brought; });
    expect(!stays || own.exchange_memory == exchange_memory_of(mapping_), "nests",
           "'{}' exchanges and keeps in another memory than layers before it", name(index));
  }

  /// The loops are those that the unrolling leaves, and the shared ones stand outermost.
  void check_loops(int index) {
    const FusedLayer& own = at(index);
    const Layer& of = layer(index);
    std::vector<double> walked = at_once(index), before_last(of.loops.size(), 0);
    for (int loop = 0; loop < own.mapping.loops; ++loop) {
      const auto iterations = static_cast<double>(own.mapping.size[loop]);
      double& of_dimension = walked[own.mapping.dimension[loop]];
      before_last[own.mapping.dimension[loop]] = of_dimension * (iterations - 1);
      of_dimension *= iterations;
    }
    for (std::size_t loop = 0; loop < of.loops.size(); ++loop) {
      const auto wanted = static_cast<double>(of.loops[loop].size);
      // The last tile of a longer length is smaller, and there.
      const bool all = is_ragged(index, static_cast<int>(loop))
                           ? walked[loop] >= wanted && before_last[loop] < wanted
                           : std::abs(walked[loop] - wanted) <= tolerance * wanted;
      expect(all, "nests", "'{}' walks {} of the {} iterations of {}", name(index), walked[loop], wanted,
             of.loops[loop].name);
    }
    above_.emplace_back();
    int position = own.mapping.loops;
    above_.back().push_back(position);
    for (const SharedLoop& shared : own.shared) {
      const LayerAxis* axis = network_.axis_of(index, shared.axis);
      std::int64_t left = shared.iterations;
      while (axis != nullptr && left > 1 && position > 0 &&
             own.mapping.dimension[position - 1] == axis->dimension &&
             left % own.mapping.size[position - 1] == 0)
        left /= own.mapping.size[--position];
      expect(axis != nullptr && left == 1 &&
                 (axis->length > axis->size || axis->left % shared.iterations == 0),
             "nests", "the nest of '{}' does not begin with its shared loops", name(index));
      above_.back().push_back(position);
    }
  }

  /// Tiles of the dimension need not divide it.
  bool is_ragged(int index, int dimension) const {
    for (const LayerAxis& axis : network_.axes[index])
      if (axis.dimension == dimension && axis.length > axis.size)
        return network_.layers[index].is_lengthened();
    return false;
  }

  /// Iterations of each loop that the units take at once.
  std::vector<double> at_once(int index) const {
    const Layer& of = layer(index);
    std::vector<double> units(of.loops.size(), 1);
    for (const auto& level : at(index).problem.fractional->operands.front().levels)
      for (const UnrolledLoop& unrolled : level)
        units[of.loop_index(unrolled.dimension)] *= unrolled.factor;
    return units;
  }

  /// Rows of a whole tile of a shared loop.
  std::int64_t rows_of_tile(int index, const SharedLoop& loop) const {
    const LayerAxis& axis = *network_.axis_of(index, loop.axis);
    if (!is_ragged(index, axis.dimension)) return axis.size / loop.iterations;
    double rows = at_once(index)[axis.dimension];
    for (int below = 0; below < above_[index].back(); ++below)
      if (at(index).mapping.dimension[below] == axis.dimension)
        rows *= static_cast<double>(at(index).mapping.size[below]);
    return std::llround(rows);
  }

  /// Neighbours cut what they share into the same tiles.
  void check_tiles(int index) {
    for (int loop = 0; loop < at(index).with_next; ++loop) {
      const SharedLoop& shared = at(index).shared[loop];
      const std::int64_t here = rows_of_tile(index, shared), there = rows_of_tile(index + 1, shared);
      expect(here == there || !is_ragged(index, network_.axis_of(index, shared.axis)->dimension), "nests",
             "'{}' and '{}' share a loop over tiles of {} and {}", name(index), name(index + 1), here,
             there);
    }
  }

  // --- Finished data.

  bool over_axes(int index, int loops, const std::vector<int>& axes) const {
    return std::all_of(at(index).shared.begin(), at(index).shared.begin() + loops,
                       [&](const SharedLoop& loop) {
                         return std::find(axes.begin(), axes.end(), loop.axis) != axes.end();
                       });
  }

  void check_tensor(std::size_t number) {
    const NetworkTensor& tensor = network_.tensors[number];
    const FusedOperand& made = at(tensor.producer).operands[0];
    const bool exchanged = made.role == Role::exchanged;
    if (exchanged)
      expect(tensor.exchangeable, "finished data", "the result of '{}' cannot be exchanged: {}",
             name(tensor.producer), tensor.obstacle);
    for (std::size_t i = 0; i < tensor.uses.size(); ++i) {
      const NetworkTensor::Use& use = tensor.uses[i];
      // A tensor that is added to a result is read where it is, tile by tile.
      const bool added = use.operand == NetworkTensor::added;
      const FusedOperand& read = added ? made : at(use.layer).operands[use.operand];
      const int shared = common(tensor.producer, use.layer);
      expect((read.role == Role::exchanged) == exchanged || added ||
                 network_.tensor_at(use.layer, use.operand) != static_cast<int>(number),
             "finished data", "'{}' and '{}' disagree on where their tensor is", name(tensor.producer),
             name(use.layer));
      expect(over_axes(tensor.producer, shared, use.axes), "finished data",
             "'{}' reads what '{}' has not yet finished in one iteration of their {} shared loops",
             name(use.layer), name(tensor.producer), shared);
      if (!exchanged || read.role != Role::exchanged) continue;
      expect(read.depth == made.depth, "finished data", "'{}' and '{}' exchange tiles of different sizes",
             name(tensor.producer), name(use.layer));
      expect(i == 0 ? shared == made.depth : shared >= made.depth, "finished data",
             "'{}' and '{}' exchange a tile below {} loops, but share {}", name(tensor.producer),
             name(use.layer), made.depth, shared);
    }
  }

  // --- Rows that windows slide along.

  /// Calls read(row, tile) for all rows of a tensor that each tile of a reader touches below a loop.
  template <class Read>
  void each_row(const NetworkTensor::Use& use, const SharedLoop& loop, std::int64_t rows,
                const Read& read) const {
    const Layer& of = layer(use.layer);
    const LayerAxis& axis = *network_.axis_of(use.layer, loop.axis);
    const std::string& name = of.loops[axis.dimension].name;
    const DimensionRelation* window = nullptr;
    if (use.operand != NetworkTensor::added)
      for (const DimensionRelation& relation : of.relations)
        for (const std::string& dimension : of.operands[use.operand].dimensions)
          if (relation.output_loop == name && relation.data == dimension) window = &relation;
    const std::int64_t rows_of = rows_of_tile(use.layer, loop);
    for (std::int64_t made = 0; made < axis.size; ++made) {
      const std::int64_t tile = made / rows_of;
      const std::int64_t taps = window == nullptr ? 1 : of.loop_size(window->filter_loop);
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        const std::int64_t row =
            window == nullptr ? made : window->stride * made + window->dilation * tap - window->padding_low;
        if (row >= 0 && row < rows) read(row, tile);
      }
    }
  }

  /// A layer runs its next tile in the first iteration of a loop in which all rows of it are there. What
  /// later tiles read of them waits.
  void walk_rows() {
    for (int index = 0; index < count(); ++index) behind_.emplace_back(at(index).shared.size(), 0);
    kept_.resize(network_.tensors.size());
    std::vector<std::size_t> by_producer(network_.tensors.size());
    std::iota(by_producer.begin(), by_producer.end(), std::size_t{0});
    std::sort(by_producer.begin(), by_producer.end(), [&](std::size_t a, std::size_t b) {
      return network_.tensors[a].producer < network_.tensors[b].producer;
    });
    for (const std::size_t number : by_producer) {
      const NetworkTensor& tensor = network_.tensors[number];
      for (const NetworkTensor::Use& use : tensor.uses)
        for (int depth = 0; depth < common(tensor.producer, use.layer); ++depth)
          wait_for(tensor, use, depth);
    }
    for (const std::size_t number : by_producer) {
      const int producer = network_.tensors[number].producer;
      if (at(producer).operands[0].role != Role::exchanged) continue;
      for (int depth = 0; depth < at(producer).operands[0].depth; ++depth)
        kept_[number].push_back(rows_bits(number, depth));
    }
  }

  void wait_for(const NetworkTensor& tensor, const NetworkTensor::Use& use, int depth) {
    const SharedLoop& loop = at(tensor.producer).shared[depth];
    const std::int64_t made = rows_of_tile(tensor.producer, loop);
    std::int64_t wait = 0;
    each_row(use, loop, network_.axis_of(tensor.producer, loop.axis)->size,
             [&](std::int64_t row, std::int64_t tile) { wait = std::max(wait, row / made - tile); });
    std::int64_t& own = behind_[use.layer][depth];
    own = std::max(own, wait + behind_[tensor.producer][depth]);
  }

  /// Bits of the rows of earlier iterations that later ones read, the most of all iterations.
  double rows_bits(std::size_t number, int depth) const {
    const NetworkTensor& tensor = network_.tensors[number];
    const SharedLoop& loop = at(tensor.producer).shared[depth];
    const auto behind = [&](int index) { return behind_[index][depth]; };
    const std::int64_t made = rows_of_tile(tensor.producer, loop);
    const std::int64_t rows = network_.axis_of(tensor.producer, loop.axis)->size;
    std::vector<std::int64_t> last_read(static_cast<std::size_t>(rows), -1);
    std::int64_t last = 0;
    for (const NetworkTensor::Use& use : tensor.uses)
      each_row(use, loop, rows, [&](std::int64_t row, std::int64_t tile) {
        std::int64_t& of_row = last_read[row];
        of_row = std::max(of_row, tile + behind(use.layer));
        last = std::max(last, of_row);
      });
    std::int64_t most = 0;
    for (std::int64_t iteration = 0; iteration <= last; ++iteration) {
      std::int64_t kept = 0;
      for (std::int64_t row = 0; row < rows; ++row)
        kept += row / made + behind(tensor.producer) < iteration && last_read[row] >= iteration ? 1 : 0;
      most = std::max(most, kept);
    }
    const int exchange_memory =
        exchange_level(tensor.producer, 0, at(tensor.producer).exchange_memory).first;
    const int cut = above_[tensor.producer][depth];
    return held(tensor.producer, 0, exchange_memory, cut, true) / static_cast<double>(rows) *
           static_cast<double>(most);
  }

  // --- Reuse.

  /// Index of a memory of the array among those of the operand, and how many it has; -1: not among them.
  std::pair<int, int> exchange_level(int index, int operand, int exchange_memory) const {
    const Accelerator& accelerator = *at(index).problem.accelerator;
    const std::string& memory_operand = at(index).problem.layer->memory_operand(operand);
    const std::string& name = exchange_memory_name(index, exchange_memory);
    int found = -1, levels = 0;
    for (const Memory& memory : accelerator.memories) {
      if (!memory.holds(memory_operand)) continue;
      if (memory.name == name) found = levels;
      ++levels;
    }
    return {found, levels};
  }
  /// The name that a memory of the array has in the layer's accelerator; "": the layer lacks it.
  const std::string& exchange_memory_name(int index, int exchange_memory) const {
    static const std::string none;
    const NetworkLayer& own = network_.layers[index];
    if (own.set < 0 || exchange_memory < 0 ||
        exchange_memory >= static_cast<int>(array_of(network_)->memories.size()))
      return none;
    const int there = own.memory(exchange_memory);
    return there < 0 ? none : own.problem.accelerator->memories[there].name;
  }

  void check_roles(int index) {
    const FusedLayer& own = at(index);
    const std::vector<int>& above = above_[index];
    const int tile = above.back();
    for (int operand = 0; operand < static_cast<int>(layer(index).operands.size()); ++operand) {
      const FusedOperand& of = own.operands[operand];
      const auto [exchange_memory, levels] = exchange_level(index, operand, own.exchange_memory);
      const auto& cuts = own.mapping.stationary[operand];
      const std::string& what = layer(index).operands[operand].name;
      expect(of.depth >= 0 && of.depth <= size(own.shared), "reuse", "{} of '{}' has depth {} of {}", what,
             name(index), of.depth, own.shared.size());
      if (of.role == Role::exchanged) {
        const int tensor = network_.tensor_at(index, operand);
        expect(tensor >= 0, "finished data", "{} of '{}' is exchanged with nobody", what, name(index));
        expect(exchange_memory >= 0 && exchange_memory + 2 == levels && exchanges_above(index, operand),
               "reuse", "{} of '{}' passes memories above the exchange memory", what, name(index));
        if (operand == 0)
          expect(
              comes_finished(index, exchange_memory_name(index, own.exchange_memory), exchange_memory),
              "finished data",
              "the exchange memory holds no results of '{}', and its sums are not finished where they end",
              name(index));
      } else {
        expect(!exchanges_above(index, operand), "reuse",
               "{} of '{}' is not exchanged, but costs nothing above the exchange memory", what,
               name(index));
      }
      if (of.role == Role::kept)
        expect(exchange_memory >= 0 && exchange_memory + 2 == levels && of.depth < size(own.shared),
               "reuse", "{} of '{}' is kept where it cannot be", what, name(index));
      const bool stays = of.role != Role::brought;
      for (int level = 0; level + 1 < levels; ++level) {
        const int cut = cuts[level];
        if (stays && level == exchange_memory)
          expect(of.depth <= size(own.shared) && cut == above[of.depth], "reuse",
                 "the exchange memory holds {} loops of {} of '{}', its tile has {}", cut, what,
                 name(index), above[std::clamp(of.depth, 0, size(own.shared))]);
        else
          expect(own.shared.empty() || cut <= tile, "reuse",
                 "{} of '{}' is used on across shared loops in its memory {}", what, name(index), level);
      }
    }
  }

  /// The memory above the exchange memory costs nothing and is no memory of the accelerator.
  bool exchanges_above(int index, int operand) const {
    const std::string& memory_operand = at(index).problem.layer->memory_operand(operand);
    const Memory& top = *std::find_if(at(index).problem.accelerator->memories.rbegin(),
                                      at(index).problem.accelerator->memories.rend(),
                                      [&](const Memory& memory) { return memory.holds(memory_operand); });
    const auto& given = network_.layers[index].problem.accelerator->memories;
    return std::none_of(given.begin(), given.end(),
                        [&](const Memory& memory) { return memory.name == top.name; });
  }

  /// The exchange memory holds outputs, or they are moved there when nothing is added to them any more.
  bool comes_finished(int index, const std::string& name, int exchange_memory) const {
    const auto& given = network_.layers[index].problem.accelerator->memories;
    const std::string& output = at(index).problem.layer->memory_operand(0);
    bool holds = false, moved = false;
    for (const Memory& memory : given) {
      holds = holds || (memory.name == name && memory.holds(output));
      moved = moved || (memory.moves_to == name && memory.holds(output));
    }
    return holds ||
           (moved && exchange_memory > 0 &&
            !sums_above(index, exchange_memory - 1, at(index).mapping.stationary[0][exchange_memory - 1]));
  }

  // --- Room.

  /// Bits that a memory of an operand holds, by the loops below its cut and what is unrolled below it.
  /// `finished`: outputs to which nothing is added any more.
  double held(int index, int operand, int level, int cut, bool finished) const {
    const FusedLayer& own = at(index);
    const Layer& of = layer(index);
    std::vector<double> walked(of.loops.size(), 1);
    for (int loop = 0; loop < cut; ++loop)
      walked[own.mapping.dimension[loop]] *= static_cast<double>(own.mapping.size[loop]);
    const std::vector<double> units = at_once(index);
    for (std::size_t loop = 0; loop < of.loops.size(); ++loop)
      walked[loop] = std::min(walked[loop], static_cast<double>(of.loops[loop].size) / units[loop]);
    const auto& unrolled = own.problem.fractional->operands[operand].levels;
    for (int below = 0; below <= level; ++below)
      for (const UnrolledLoop& loop : unrolled[below]) walked[of.loop_index(loop.dimension)] *= loop.factor;
    double elements = 1;
    for (const std::string& dimension : of.operands[operand].dimensions) {
      const int loop = of.loop_index(dimension);
      if (loop >= 0) {
        elements *= walked[loop];
        continue;
      }
      for (const DimensionRelation& window : of.relations) {
        if (window.data != dimension) continue;
        const double outputs = walked_or_one(walked, of, window.output_loop);
        const double taps = walked_or_one(walked, of, window.filter_loop);
        const std::int64_t step = std::gcd(window.stride, window.dilation);
        const double span = static_cast<double>(window.stride / step) * (outputs - 1) +
                            static_cast<double>(window.dilation / step) * (taps - 1) + 1;
        // With gaps there are fewer: never more than one for each pair.
        elements *= std::min({span, static_cast<double>(window.size), outputs * taps});
      }
    }
    return TileBits(of, operand, finished).of_tile(elements, [&](int loop) { return walked[loop]; });
  }
  static double walked_or_one(const std::vector<double>& walked, const Layer& of, const std::string& loop) {
    const int index = of.loop_index(loop);
    return index < 0 ? 1 : walked[index];
  }

  /// Some loop above a position, in time or unrolled above the memory of the level, adds to the same
  /// outputs. What is unrolled right below that memory is summed on the way to it.
  bool sums_above(int index, int level, int position) const {
    const FusedLayer& own = at(index);
    const Layer& of = layer(index);
    const auto adds = [&](int loop) { return of.relevancy(0, loop) == Relevancy::irrelevant; };
    for (int loop = position; loop < own.mapping.loops; ++loop)
      if (own.mapping.size[loop] > 1 && adds(own.mapping.dimension[loop])) return true;
    const auto& unrolled = own.problem.fractional->operands.front().levels;
    for (std::size_t above = static_cast<std::size_t>(level) + 1; above < unrolled.size(); ++above)
      for (const UnrolledLoop& loop : unrolled[above])
        if (loop.factor > 1 && adds(of.loop_index(loop.dimension))) return true;
    return false;
  }

  /// Bits that a memory of the array holds of an operand while its layer runs.
  double bits_in(int index, int operand, int memory) const {
    const auto [level, levels] = exchange_level(index, operand, memory);
    if (level < 0) return 0;
    const auto& cuts = at(index).mapping.stationary[operand];
    // Finished outputs are there only where nothing above the memory below adds to them.
    const bool finished = operand == 0 && !sums_above(index, level, level > 0 ? cuts[level - 1] : 0);
    return held(index, operand, level, cuts[level], finished);
  }

  /// Bits of an exchanged result when all its sums are done.
  double finished_bits(int producer) const {
    const int exchange_memory = exchange_level(producer, 0, at(producer).exchange_memory).first;
    return held(producer, 0, exchange_memory, at(producer).mapping.stationary[0][exchange_memory], true);
  }

  /// The loop of this depth runs for both layers at once.
  bool together(int a, int b, int depth) const {
    const int loops = a == b ? size(at(a).shared) : common(std::min(a, b), std::max(a, b));
    return loops > depth;
  }

  void check_room(int index, int exchange_memory) {
    const Memory& memory = array_of(network_)->memories[exchange_memory];
    const double bits = room(index, exchange_memory).bits;
    const auto capacity = static_cast<double>(memory.size);
    expect(bits <= capacity * (1 + tolerance), "room",
           "while '{}' runs, '{}' of {} bits must hold {}: {} bits too many", name(index), memory.name,
           capacity, bits, bits - capacity);
  }

  PhaseRoom room(int index, int exchange_memory) const {
    PhaseRoom phase;
    if (network_.layers[index].set < 0) return phase;
    const auto hold = [&](int other, int operand, double bits) {
      if (bits > 0) phase.held.push_back({other, operand, bits});
      phase.bits += bits;
    };
    for (int other = 0; other < count(); ++other) {
      if (network_.layers[other].set < 0) continue;
      for (int operand = 0; operand < static_cast<int>(layer(other).operands.size()); ++operand) {
        const FusedOperand& of = at(other).operands[operand];
        const bool here = of.role != Role::brought && at(other).exchange_memory == exchange_memory;
        if (of.role == Role::exchanged && here) {
          if (operand == 0) hold(other, operand, waiting_bits(index, other) + kept_bits(index, other));
        } else if (other == index || (here && together(index, other, of.depth))) {
          hold(other, operand, bits_in(other, operand, exchange_memory));
        }
      }
    }
    return phase;
  }

  /// Bits of the tile that `producer` exchanges, if it is there while a layer runs.
  double waiting_bits(int index, int producer) const {
    const int tensor = network_.tensor_at(producer, 0);
    const auto& uses = network_.tensors[tensor].uses;
    const int last = uses.back().layer, depth = at(producer).operands[0].depth;
    const bool there = (producer <= index && index <= last) ||
                       (index < producer && together(index, producer, depth)) ||
                       (index > last && together(index, last, depth));
    if (!there) return 0;
    return index <= producer ? bits_in(producer, 0, at(producer).exchange_memory) : finished_bits(producer);
  }

  /// Bits of earlier tiles of `producer` that wait while a layer runs.
  double kept_bits(int index, int producer) const {
    if (kept_.empty()) return 0;  // not walked: other rules are broken
    const std::vector<double>& kept = kept_[network_.tensor_at(producer, 0)];
    double bits = 0;
    for (std::size_t depth = 0; depth < kept.size(); ++depth)
      if (together(index, producer, static_cast<int>(depth))) bits += kept[depth];
    return bits;
  }

  const FusedNetwork& network_;
  const FusedMapping& mapping_;
  Numbered<std::vector<std::int64_t>> behind_;  ///< by layer and shared loop: iterations
  Numbered<std::vector<double>> kept_;          ///< by tensor and shared loop: bits
  /// By layer and number of shared loops above: how many loops of the nest are below.
  Numbered<std::vector<int>> above_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> fused_violations(const FusedNetwork& network, const FusedMapping& mapping) {
  return Check(network, mapping).findings();
}

std::vector<PhaseRoom> phase_rooms(const FusedNetwork& network, const FusedMapping& mapping,
                                   int exchange_memory) {
  Check check(network, mapping);
  check.findings();
  return check.rooms(exchange_memory);
}

}  // namespace zz::core
