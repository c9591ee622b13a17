#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/output/program/detail/tile_coordinates.hpp"
#include "core/output/program/moved_words.hpp"
#include "core/output/program/program_text.hpp"

namespace zz::core {
namespace {

using mlir::Lines, mlir::Name, mlir::Open, mlir::Term, mlir::TileCoordinates;

constexpr std::int64_t most_bytes = std::int64_t{1} << 31;

/// A memref with its type.
struct Array {
  Name name;
  std::string type;
};

/// Writes the function.
class Writer {
 public:
  explicit Writer(const LayerProgram& program) : program_(program) {
    for (const ProgramOperand& operand : program.operands) slots_.emplace_back(operand.at.size());
  }

  std::string text() {
    std::vector<std::string> arguments;
    for (const ProgramOperand& operand : program_.operands) {
      std::vector<std::int64_t> shape;
      for (const Axis& axis : operand.axes) shape.push_back(axis.elements);
      const Array tensor{"%" + mlir_word(operand.name), memref(shape)};
      take_room(shape);
      arguments.push_back(tensor.name + ": " + tensor.type);
      arrays_.push_back({});
      arrays_.back().resize(operand.at.size());
      arrays_.back().back() = tensor;
    }
    moved_ = {"%moved", fmt::format("memref<{}xi64>", program_.moves.size())};
    arguments.push_back(moved_.name + ": " + moved_.type);
    allocate();
    int blocks = 0;
    if (program_.times > 1) {
      lines_.note(fmt::format("the layer is in the figures {} times", program_.times));
      loop("run", lines_.constant(program_.times));
      ++blocks;
    }
    nest(program_.loops, Open(program_.digits.size()));
    lines_.close(blocks);
    for (const Array& array : allocated_)
      lines_.line(fmt::format("memref.dealloc {} : {}", array.name, array.type));
    lines_.line("return");
    return fmt::format("{}\nfunc.func @layer({}) {{\n{}}}\n", first_line(), fmt::join(arguments, ", "),
                       lines_.text());
  }

 private:
  std::string first_line() const {
    std::vector<std::string> entries;
    for (const ProgramMove& move : program_.moves) {
      const MovedWords words = moved_words(program_, move);
      std::string entry =
          fmt::format(R"({{"operand": {}, "memory": {}, "direction": "{}", "words_by": {})",
                      json_string(program_.operands[move.operand].name), json_string(memory_of(move)),
                      direction_names[static_cast<int>(move.direction)], move.words_by);
      if (words.unexecuted != 0)
        entry +=
            fmt::format(R"(, "unexecuted": {}, "because": "{}")", words.unexecuted, name_of(words.because));
      entries.push_back(entry + "}");
    }
    return fmt::format("// zz: {{\"moved\": [{}]}}", fmt::join(entries, ", "));
  }

  const std::string& memory_of(const ProgramMove& move) const {
    return program_.operands[move.operand].at[move.boundary + (move.below() ? 0 : 1)].memory;
  }

  // Memory

  static std::string memref(const std::vector<std::int64_t>& shape) {
    std::string type;
    for (const std::int64_t extent : shape) type += fmt::format("{}x", extent);
    return fmt::format("memref<{}i32>", type);
  }

  void allocate() {
    for (int o = 0; o < static_cast<int>(program_.operands.size()); ++o) {
      const ProgramOperand& operand = program_.operands[o];
      buses_.emplace_back(operand.at.size());
      for (int k = 0; k + 1 < static_cast<int>(operand.at.size()); ++k) {
        const ProgramBuffer& buffer = operand.at[k];
        std::vector<std::int64_t> shape;
        if (buffer.second_buffer) shape.push_back(2);
        shape.push_back(tiles_.units_from(operand, k));
        for (const Axis& axis : operand.axes) shape.push_back(tiles_.places(operand, axis, buffer.tile));
        const std::string where = buffer.memory.empty() ? "units" : mlir_word(buffer.memory);
        arrays_[o][k] =
            allocate(fmt::format("%{}{}_{}", mlir_word(operand.name), k, where), shape,
                     fmt::format("a tile of {}{} in each instance of {}", mlir_word(operand.name),
                                 buffer.second_buffer ? ", and the next one," : "", where));
        if (!tiles_.fans_out(operand, k)) continue;
        shape.clear();
        for (const Axis& axis : operand.axes)
          shape.push_back(tiles_.places(operand, axis, tiles_.bus_tile(operand, k)));
        buses_[o][k] = allocate(
            fmt::format("%{}{}_bus", mlir_word(operand.name), k), shape,
            fmt::format("what {} gives to the instances below it", mlir_word(operand.at[k + 1].memory)));
      }
    }
    const bool blocks = std::any_of(program_.moves.begin(), program_.moves.end(),
                                    [](const ProgramMove& move) { return move.blocks.dimension >= 0; });
    tally_ = {"%tally", blocks ? "memref<2xi64>" : "memref<1xi64>"};
    if (blocks) lines_.note("elements of a portion, and the blocks that begin in it");
    lines_.line(fmt::format("{} = memref.alloc() : {}", tally_.name, tally_.type));
    allocated_.push_back(tally_);
  }

  Array allocate(const Name& name, const std::vector<std::int64_t>& shape, const std::string& what) {
    const Array array{name, memref(shape)};
    take_room(shape);
    lines_.note(what);
    lines_.line(fmt::format("{} = memref.alloc() : {}", array.name, array.type));
    allocated_.push_back(array);
    return array;
  }

  void take_room(const std::vector<std::int64_t>& shape) {
    std::int64_t bytes = 4;
    for (const std::int64_t extent : shape)
      bytes = std::min(most_bytes + 1, bytes) * std::min(most_bytes + 1, extent);
    bytes_ += std::min(most_bytes + 1, bytes);
    if (bytes_ > most_bytes)
      throw InputError(
          fmt::format("layer '{}' has tensors and buffers of more than 2 GB, too large to be run as a "
                      "program; one with shorter loops, mapped alike, moves its data in the same way",
                      program_.layer));
  }

  // Coordinates

  /// Where an element is in an operand's buffer: second buffer or not, instance, place in the tile.
  std::string place(const Open& open, int o, int k) {
    const ProgramOperand& operand = program_.operands[o];
    std::vector<Name> names;
    if (k + 1 == static_cast<int>(operand.at.size())) {
      for (const Axis& axis : operand.axes)
        names.push_back(axis.filter < 0 ? tiles_.iteration(open, axis.loop) : tiles_.position(open, axis));
    } else {
      if (operand.at[k].second_buffer) names.push_back(slots_[o][k]);
      std::vector<Term> terms;
      std::int64_t stride = 1;
      for (std::size_t digit = 0; digit < program_.digits.size(); ++digit) {
        if (operand.level[digit] < k) continue;
        terms.push_back({open[digit], stride});
        stride *= program_.digits[digit].size;
      }
      names.push_back(lines_.sum(terms));
      for (Name& name : tiles_.element(open, operand, operand.at[k].tile)) names.push_back(std::move(name));
    }
    return fmt::format("{}[{}] : {}", arrays_[o][k].name, fmt::join(names, ", "), arrays_[o][k].type);
  }
  std::string bus_place(const Open& open, int o, int k) {
    const ProgramOperand& operand = program_.operands[o];
    return fmt::format("{}[{}] : {}", buses_[o][k].name,
                       fmt::join(tiles_.element(open, operand, tiles_.bus_tile(operand, k)), ", "),
                       buses_[o][k].type);
  }

  // Loops

  Name loop(const std::string& word, const Name& end) {
    const Name value = lines_.fresh(word);
    lines_.open(
        fmt::format("scf.for {} = {} to {} step {}", value, lines_.constant(0), end, lines_.constant(1)));
    return value;
  }

  /// Opens the loop of a digit. That of a ragged dimension ends with its rounds.
  void open_digit(Open& open, int digit) {
    const Digit& one = program_.digits[digit];
    const DigitsOfDimension& all = program_.of[one.dimension];
    Name end = lines_.constant(one.size);
    if (!one.units && all.ragged) {
      const std::int64_t below = program_.rounds_below(digit);
      const Name begin = tiles_.begin_around(open, digit);
      if (begin.empty())
        end = lines_.constant(std::min(one.size, (all.rounds + below - 1) / below));
      else
        end = lines_.let(fmt::format("affine.min affine_map<(d0) -> ({}, ({} - d0) ceildiv {})>({})",
                                     one.size, all.rounds, below, begin));
    }
    open[digit] = loop((one.units ? "unit_" : "") + mlir_word(program_.dimensions[one.dimension]), end);
  }

  template <class Chosen>
  int open_units(Open& open, const Chosen& chosen) {
    int opened = 0;
    for (int digit = program_.loops; digit < static_cast<int>(program_.digits.size()); ++digit) {
      if (!open[digit].empty() || !chosen(digit)) continue;
      open_digit(open, digit);
      ++opened;
    }
    return opened;
  }

  void require(std::vector<Name>& conditions, const std::string& compared, const Name& a, const Name& b) {
    conditions.push_back(lines_.let(fmt::format("arith.cmpi {}, {}, {} : index", compared, a, b)));
  }
  int open_if(std::vector<Name> conditions) {
    if (conditions.empty()) return 0;
    lines_.open("scf.if " + joined(conditions, "andi"));
    return 1;
  }
  Name joined(const std::vector<Name>& conditions, const std::string& how) {
    Name all = conditions.front();
    for (std::size_t i = 1; i < conditions.size(); ++i)
      all = lines_.let(fmt::format("arith.{} {}, {} : i1", how, all, conditions[i]));
    return all;
  }

  /// Iterations that units do not divide end before the last unit.
  void require_iterations(std::vector<Name>& conditions, const Open& open) {
    for (int dimension = 0; dimension < static_cast<int>(program_.of.size()); ++dimension)
      if (program_.of[dimension].uneven)
        require(conditions, "slt", tiles_.iteration(open, dimension),
                lines_.constant(program_.of[dimension].iterations));
  }
  /// Positions beside the tensor are padding.
  void require_data(std::vector<Name>& conditions, const Open& open, const ProgramOperand& operand) {
    for (const Axis& axis : operand.axes) {
      if (axis.filter < 0) continue;
      const std::int64_t reach = axis.stride * (program_.of[axis.loop].iterations - 1) +
                                 axis.dilation * (program_.of[axis.filter].iterations - 1);
      const bool low = axis.padding > 0, high = reach - axis.padding >= axis.elements;
      if (!low && !high) continue;
      const Name at = tiles_.position(open, axis);
      if (low) require(conditions, "sge", at, lines_.constant(0));
      if (high) require(conditions, "slt", at, lines_.constant(axis.elements));
    }
  }

  /// Goes once over each element of a tile that exists.
  template <class Body>
  void walk(const Open& around, const ProgramOperand& operand, const Tile& tile, const Body& body) {
    Open open = around;
    int blocks = 0;
    for (int digit = program_.loops - 1; digit >= 0; --digit) {
      if (!open[digit].empty() || digit >= tile.loops || !operand.bears[program_.digits[digit].dimension])
        continue;
      open_digit(open, digit);
      ++blocks;
    }
    blocks += open_units(open, [&](int digit) {
      return operand.level[digit] < tile.levels && operand.bears[program_.digits[digit].dimension];
    });
    std::vector<Name> conditions;
    require_iterations(conditions, open);
    require_data(conditions, open, operand);
    for (const Axis& axis : operand.axes)
      if (axis.filter >= 0 && !tiles_.window_places(operand, axis, tile).apart)
        conditions.push_back(is_first_pair(around, open, operand, axis, tile));
    blocks += open_if(conditions);
    body(open);
    lines_.close(blocks);
  }

  /// Pairs of a window meet where one loop is `dilation` further and the other one `stride` less far (both
  /// without common factors): of these the one with the least tap counts.
  Name is_first_pair(const Open& around, const Open& open, const ProgramOperand& operand, const Axis& axis,
                     const Tile& tile) {
    const std::int64_t common = std::gcd(axis.stride, axis.dilation);
    std::vector<Name> conditions;
    require(conditions, "slt", tiles_.coordinate(open, operand, axis.filter, tile),
            lines_.constant(axis.stride / common));
    const Name shifted =
        lines_.sum({{tiles_.coordinate(open, operand, axis.loop, tile), 1}}, axis.dilation / common);
    require(conditions, "sge", shifted, iterations_in_tile(around, operand, axis.loop, tile));
    return joined(conditions, "ori");
  }

  Name iterations_in_tile(const Open& around, const ProgramOperand& operand, int dimension,
                          const Tile& tile) {
    const DigitsOfDimension& all = program_.of[dimension];
    const std::int64_t most = program_.extent(operand, dimension, tile);
    if (!all.ragged && !all.uneven) return lines_.constant(most);
    std::int64_t units = 1;
    Open outside = around;
    std::vector<Term> rounds;
    for (const int digit : all.inside_out) {
      const bool within = program_.inside(operand, digit, tile);
      if (within) outside[digit].clear();
      if (within && program_.digits[digit].units) units *= program_.digits[digit].size;
      if (!within && !program_.digits[digit].units && !around[digit].empty())
        rounds.push_back({around[digit], program_.rounds_below(digit)});
    }
    return lines_.let(fmt::format(
        "affine.min affine_map<(d0, d1) -> ({}, {} - d0, ({} - d1) * {})>({}, {})", most, all.iterations,
        all.rounds, units, tiles_.iteration(outside, dimension), lines_.sum(rounds)));
  }

  // Moves

  std::string tallied(std::int64_t which) {
    return fmt::format("{}[{}] : {}", tally_.name, lines_.constant(which), tally_.type);
  }
  void add_to(const std::string& place, const Name& value) {
    const Name old = lines_.load(place);
    lines_.store(lines_.let(fmt::format("arith.addi {}, {} : i64", old, value)), place);
  }

  /// Blocks of what passes the boundary that way; those of both ports are the same.
  ProgramBlocks blocks_of(int o, int k, bool upwards) const {
    for (const ProgramMove& move : program_.moves)
      if (move.operand == o && move.boundary == k && is_upwards(move.direction) == upwards &&
          move.precision > 0)
        return move.blocks;
    return {};
  }

  void clear_tally(const ProgramBlocks& blocks) {
    lines_.store(lines_.constant(0, "i64"), tallied(0));
    if (blocks.dimension >= 0) lines_.store(lines_.constant(0, "i64"), tallied(1));
  }
  /// An element of a tile. Every so many along its blocks begins one, from the beginning of the tile.
  void tally(const Open& open, const ProgramOperand& operand, const Tile& tile,
             const ProgramBlocks& blocks) {
    add_to(tallied(0), lines_.constant(1, "i64"));
    if (blocks.dimension < 0) return;
    const Name within = lines_.let(fmt::format("arith.remui {}, {} : index",
                                               tiles_.coordinate(open, operand, blocks.dimension, tile),
                                               lines_.constant(blocks.every)));
    const Name begins =
        lines_.let(fmt::format("arith.cmpi eq, {}, {} : index", within, lines_.constant(0)));
    add_to(tallied(1), lines_.let(fmt::format("arith.extui {} : i1 to i64", begins)));
  }

  /// Counts the portion that was tallied, in whole words.
  void count(int o, int k, Direction direction) {
    for (std::size_t i = 0; i < program_.moves.size(); ++i) {
      const ProgramMove& move = program_.moves[i];
      if (move.operand != o || move.boundary != k || move.direction != direction || move.precision == 0)
        continue;
      const auto bits_of = [&](std::int64_t which, std::int64_t bits) {
        const Name counted = lines_.load(tallied(which));
        return lines_.let(fmt::format("arith.muli {}, {} : i64", counted, lines_.constant(bits, "i64")));
      };
      Name bits = bits_of(0, move.precision);
      if (move.blocks.dimension >= 0)
        bits = lines_.let(fmt::format("arith.addi {}, {} : i64", bits, bits_of(1, move.blocks.bits)));
      const Name up =
          lines_.let(fmt::format("arith.addi {}, {} : i64", bits, lines_.constant(move.word - 1, "i64")));
      const Name words =
          lines_.let(fmt::format("arith.divui {}, {} : i64", up, lines_.constant(move.word, "i64")));
      add_to(fmt::format("{}[{}] : {}", moved_.name, lines_.constant(static_cast<std::int64_t>(i)),
                         moved_.type),
             words);
    }
  }

  int open_above(Open& open, const ProgramOperand& operand, int k) {
    return open_units(open, [&](int digit) { return operand.level[digit] > k; });
  }
  int open_below(Open& open, const ProgramOperand& operand, int k) {
    return open_units(open, [&](int digit) { return operand.level[digit] == k; });
  }
  std::string below(const ProgramOperand& operand, int k) const {
    return k == 0 ? "units" : mlir_word(operand.at[k].memory);
  }

  /// Data from a buffer to those below it.
  void bring(Open open, int o, int k) {
    const ProgramOperand& operand = program_.operands[o];
    lines_.note(fmt::format("{}: {} -> {}", mlir_word(operand.name), mlir_word(operand.at[k + 1].memory),
                            below(operand, k)));
    int opened = open_above(open, operand, k);
    const bool bus = tiles_.fans_out(operand, k);
    const ProgramBlocks blocks = blocks_of(o, k, false);
    const Tile of_bus = tiles_.bus_tile(operand, k), &of_one = operand.at[k].tile;
    clear_tally(blocks);
    walk(open, operand, of_bus, [&](const Open& at) {
      const Name value = lines_.load(place(at, o, k + 1));
      lines_.store(value, bus ? bus_place(at, o, k) : place(at, o, k));
      tally(at, operand, of_bus, blocks);
    });
    count(o, k, Direction::read_to_low);
    if (bus) {
      opened += open_below(open, operand, k);
      clear_tally(blocks);
      walk(open, operand, of_one, [&](const Open& at) {
        lines_.store(kept_by_one(at, operand, k, lines_.load(bus_place(at, o, k))), place(at, o, k));
        tally(at, operand, of_one, blocks);
      });
    }
    count(o, k, Direction::write_from_high);
    lines_.close(opened);
  }

  /// The value that an instance begins with: where an adder adds sums up, the first one goes on with what
  /// comes back, and the others begin with 0.
  Name kept_by_one(const Open& open, const ProgramOperand& operand, int k, const Name& value) {
    std::vector<Name> others;
    for (std::size_t digit = 0; operand.output && digit < program_.digits.size(); ++digit)
      if (operand.level[digit] == k && !operand.bears[program_.digits[digit].dimension])
        require(others, "eq", open[digit], lines_.constant(0));
    if (others.empty()) return value;
    return lines_.let(fmt::format("arith.select {}, {}, {} : i32", joined(others, "andi"), value,
                                  lines_.constant(0, "i32")));
  }

  void clear(Open open, int o, int k) {
    const ProgramOperand& operand = program_.operands[o];
    int blocks = open_above(open, operand, k);
    blocks += open_below(open, operand, k);
    walk(open, operand, operand.at[k].tile,
         [&](const Open& at) { lines_.store(lines_.constant(0, "i32"), place(at, o, k)); });
    lines_.close(blocks);
  }

  /// Sums come back where loops outside have been there before.
  void begin_sums(const Open& open, int o, int k) {
    const ProgramOperand& operand = program_.operands[o];
    std::vector<Name> first;
    for (int loop = operand.at[k].tile.loops; loop < program_.loops; ++loop)
      if (!operand.bears[program_.digits[loop].dimension] && program_.digits[loop].size > 1)
        require(first, "eq", open[loop], lines_.constant(0));
    if (first.empty()) return clear(open, o, k);
    lines_.open("scf.if " + joined(first, "andi"));
    clear(open, o, k);
    lines_.otherwise();
    bring(open, o, k);
    lines_.close();
  }

  void end_sums(Open open, int o, int k) {
    const ProgramOperand& operand = program_.operands[o];
    lines_.note(fmt::format("{}: {} -> {}", mlir_word(operand.name), below(operand, k),
                            mlir_word(operand.at[k + 1].memory)));
    const int opened = open_above(open, operand, k);
    const Open above = open;
    const bool bus = tiles_.fans_out(operand, k);
    const ProgramBlocks blocks = blocks_of(o, k, true);
    const Tile of_bus = tiles_.bus_tile(operand, k), &of_one = operand.at[k].tile;
    if (bus)
      walk(above, operand, of_bus,
           [&](const Open& at) { lines_.store(lines_.constant(0, "i32"), bus_place(at, o, k)); });
    const int units = open_below(open, operand, k);
    clear_tally(blocks);
    walk(open, operand, of_one, [&](const Open& at) {
      Name value = lines_.load(place(at, o, k));
      const std::string to = bus ? bus_place(at, o, k) : place(at, o, k + 1);
      if (bus) value = lines_.let(fmt::format("arith.addi {}, {} : i32", lines_.load(to), value));
      lines_.store(value, to);
      tally(at, operand, of_one, blocks);
    });
    count(o, k, Direction::read_to_high);
    lines_.close(units);
    if (bus) {
      clear_tally(blocks);
      walk(above, operand, of_bus, [&](const Open& at) {
        lines_.store(lines_.load(bus_place(at, o, k)), place(at, o, k + 1));
        tally(at, operand, of_bus, blocks);
      });
    }
    count(o, k, Direction::write_from_low);
    lines_.close(opened);
  }

  void compute(Open open) {
    lines_.note("all units");
    int blocks = open_units(open, [](int) { return true; });
    std::vector<Name> conditions;
    require_iterations(conditions, open);
    for (std::size_t o = 1; o < program_.operands.size(); ++o)
      require_data(conditions, open, program_.operands[o]);
    blocks += open_if(conditions);
    Name value;
    for (int o = 1; o < static_cast<int>(program_.operands.size()); ++o) {
      const Name one = lines_.load(place(open, o, 0));
      value = o == 1 ? one
                     : lines_.let(fmt::format("arith.{} {}, {} : i32", program_.adds ? "addi" : "muli",
                                              value, one));
    }
    const std::string to = place(open, 0, 0);
    const Name old = lines_.load(to);
    lines_.store(lines_.let(fmt::format("arith.addi {}, {} : i32", old, value)), to);
    lines_.close(blocks);
  }

  /// `left` loops are still to be opened. Portions move where the loops that they are cut at have moved on.
  void nest(int left, const Open& open) {
    const auto each_cut_here = [&](const auto& move) {
      for (int o = 0; o < static_cast<int>(program_.operands.size()); ++o)
        for (int k = static_cast<int>(program_.operands[o].at.size()) - 2; k >= 0; --k)
          if (program_.operands[o].at[k].tile.loops == left) move(o, k);
    };
    each_cut_here([&](int o, int k) { choose_slot(open, o, k); });
    each_cut_here([&](int o, int k) { o == 0 ? begin_sums(open, o, k) : bring(open, o, k); });
    if (left == 0) {
      compute(open);
    } else {
      Open inside = open;
      open_digit(inside, left - 1);
      nest(left - 1, inside);
      lines_.close();
    }
    for (int k = 0; k + 1 < static_cast<int>(program_.operands.front().at.size()); ++k)
      if (program_.operands.front().at[k].tile.loops == left) end_sums(open, 0, k);
  }

  /// Portions take the two buffers in turn.
  void choose_slot(const Open& open, int o, int k) {
    const ProgramBuffer& buffer = program_.operands[o].at[k];
    if (!buffer.second_buffer) return;
    std::vector<Term> terms;
    std::int64_t portions = 1;
    for (int loop = buffer.tile.loops; loop < program_.loops; ++loop) {
      terms.push_back({open[loop], portions});
      portions *= program_.digits[loop].size;
    }
    slots_[o][k] =
        lines_.let(fmt::format("affine.apply affine_map<(d0) -> (d0 mod 2)>({})", lines_.sum(terms)));
  }

  const LayerProgram& program_;
  Lines lines_;
  TileCoordinates tiles_{program_, lines_};
  std::vector<std::vector<Array>> arrays_, buses_;  ///< by operand and buffer
  std::vector<std::vector<Name>> slots_;
  std::vector<Array> allocated_;
  Array moved_, tally_;
  std::int64_t bytes_ = 0;
};

}  // namespace

std::string mlir_word(std::string name) {
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

std::string mlir_text(const LayerProgram& program) { return Writer(program).text(); }

}  // namespace zz::core
