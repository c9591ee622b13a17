#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/output/program/program_text.hpp"

namespace zz::core {
namespace {

/// An operation of linalg by the dimensions of its operands, a letter each, "h+y" for a window; and the
/// order of its loops.
struct NamedOperation {
  const char *name, *result, *first, *second, *loops;
};

constexpr NamedOperation named_operations[] = {
    {"matmul", "m n", "m k", "k n", "mnk"},
    {"matmul_transpose_b", "m n", "m k", "n k", "mnk"},
    {"batch_matmul", "b m n", "b m k", "b k n", "bmnk"},
    {"batch_matmul_transpose_b", "b m n", "b m k", "b n k", "bmnk"},
    {"conv_2d_nchw_fchw", "n f h w", "n c h+y w+x", "f c y x", "nfhwcyx"},
    {"conv_2d_ngchw_gfchw", "n g f h w", "n g c h+y w+x", "g f c y x", "ngfhwcyx"},
    {"depthwise_conv_2d_nchw_chw", "n c h w", "n c h+y w+x", "c y x", "nhwcyx"},
};

/// The layer as one of them.
struct Operation {
  std::string name;           ///< "matmul"; "": generic
  std::vector<int> operands;  ///< of the layer, as the operation takes them: inputs, then the output
  std::vector<int> loops;     ///< of the layer, in the order of the operation
};

/// Letters with the loops that they stand for.
using Letters = std::map<char, int>;

bool stands_for(Letters& letters, char letter, int loop) {
  for (const auto& [other, known] : letters)
    if ((other == letter) != (known == loop)) return false;
  letters[letter] = loop;
  return true;
}

bool matches(Letters& letters, const ProgramOperand& operand, const std::string& pattern) {
  std::size_t at = 0;
  for (const Axis& axis : operand.axes) {
    if (at >= pattern.size() || !stands_for(letters, pattern[at], axis.loop)) return false;
    const bool window = at + 1 < pattern.size() && pattern[at + 1] == '+';
    if (window != (axis.filter >= 0)) return false;
    if (window && !stands_for(letters, pattern[at + 2], axis.filter)) return false;
    at += window ? 4 : 2;
  }
  return at == pattern.size() + 1;
}

std::optional<Operation> named(const LayerProgram& program, const NamedOperation& candidate, int first) {
  const int second = 3 - first;
  Letters letters;
  if (!matches(letters, program.operands[0], candidate.result) ||
      !matches(letters, program.operands[first], candidate.first) ||
      !matches(letters, program.operands[second], candidate.second) ||
      letters.size() != program.dimensions.size())
    return std::nullopt;
  Operation operation{candidate.name, {first, second, 0}, {}};
  for (const char* letter = candidate.loops; *letter != 0; ++letter)
    operation.loops.push_back(letters.at(*letter));
  return operation;
}

Operation operation_of(const LayerProgram& program) {
  if (program.operands.size() == 3 && !program.adds)
    for (const NamedOperation& candidate : named_operations)
      for (const int first : {1, 2})
        if (auto found = named(program, candidate, first)) return *found;
  Operation generic;
  for (int operand = 1; operand < static_cast<int>(program.operands.size()); ++operand)
    generic.operands.push_back(operand);
  generic.operands.push_back(0);
  for (int loop = 0; loop < static_cast<int>(program.dimensions.size()); ++loop)
    generic.loops.push_back(loop);
  return generic;
}

class Script {
 public:
  explicit Script(const LayerProgram& program) : program_(program), operation_(operation_of(program)) {}

  std::string text() {
    write_sequence();
    std::vector<std::string> arguments;
    for (const ProgramOperand& operand : program_.operands)
      arguments.push_back(name(operand) + ": " + type(operand));
    std::string text;
    for (const std::string& left_out : not_carried()) text += "// not carried: " + left_out + "\n";
    text += "module attributes {transform.with_named_sequence} {\n";
    text += fmt::format("  func.func @layer({}) {{\n{}    return\n  }}\n", fmt::join(arguments, ", "),
                        operation());
    text +=
        "  transform.named_sequence private @__transform_main(%module: !transform.any_op "
        "{transform.readonly}) {\n";
    text += sequence_ + "    transform.yield\n  }\n}\n";
    return text;
  }

 private:
  std::vector<std::string> not_carried() const {
    std::vector<std::string> lines;
    for (const ProgramOperand& operand : program_.operands)
      for (const ProgramBuffer& buffer : operand.at)
        if (buffer.second_buffer && lines.empty())
          lines.emplace_back("second buffers; each memory has one");
    for (int dimension = 0; dimension < static_cast<int>(program_.dimensions.size()); ++dimension)
      for (const int digit : program_.of[dimension].inside_out)
        if (program_.digits[digit].units && program_.rounds_below(digit) > 1)
          lines.push_back(
              fmt::format("which iterations of {} a unit takes; a tile has those next to each other",
                          program_.dimensions[dimension]));
    for (const std::string& whole : whole_)
      lines.push_back(fmt::format("a buffer of {}, which no loop around it divides", whole));
    return lines;
  }

  static std::string name(const ProgramOperand& operand) { return "%" + mlir_word(operand.name); }
  std::string type(const ProgramOperand& operand) const {
    std::string extents;
    for (const Axis& axis : operand.axes) {
      std::int64_t extent = program_.of[axis.loop].iterations;
      if (axis.filter >= 0)
        extent = axis.stride * (extent - 1) + axis.dilation * (program_.of[axis.filter].iterations - 1) + 1;
      extents += fmt::format("{}x", extent);
    }
    return fmt::format("memref<{}i32>", extents);
  }

  // The operation

  std::string operation() const {
    std::vector<std::string> inputs, types;
    for (std::size_t i = 0; i + 1 < operation_.operands.size(); ++i) {
      inputs.push_back(name(program_.operands[operation_.operands[i]]));
      types.push_back(type(program_.operands[operation_.operands[i]]));
    }
    const ProgramOperand& output = program_.operands.front();
    const std::string operands = fmt::format("ins({} : {}) outs({} : {})", fmt::join(inputs, ", "),
                                             fmt::join(types, ", "), name(output), type(output));
    if (!operation_.name.empty())
      return fmt::format("    linalg.{} {{zz = \"layer\"{}}}\n      {}\n", operation_.name, windows(),
                         operands);
    return generic(operands);
  }

  /// Strides and dilations of a named operation.
  std::string windows() const {
    std::vector<std::int64_t> strides, dilations;
    for (const ProgramOperand& operand : program_.operands)
      for (const Axis& axis : operand.axes) {
        if (axis.filter < 0) continue;
        strides.push_back(axis.stride);
        dilations.push_back(axis.dilation);
      }
    if (strides.empty()) return "";
    return fmt::format(", strides = dense<[{}]> : vector<{}xi64>, dilations = dense<[{}]> : vector<{}xi64>",
                       fmt::join(strides, ", "), strides.size(), fmt::join(dilations, ", "),
                       strides.size());
  }

  std::string generic(const std::string& operands) const {
    std::vector<std::string> dimensions, maps, iterators, values;
    for (std::size_t loop = 0; loop < operation_.loops.size(); ++loop) {
      dimensions.push_back(fmt::format("d{}", loop));
      iterators.emplace_back(program_.operands.front().bears[loop] ? "\"parallel\"" : "\"reduction\"");
    }
    for (const int operand : operation_.operands) {
      std::vector<std::string> axes;
      for (const Axis& axis : program_.operands[operand].axes)
        axes.push_back(axis.filter < 0 ? fmt::format("d{}", axis.loop)
                                       : fmt::format("d{} * {} + d{} * {}", axis.loop, axis.stride,
                                                     axis.filter, axis.dilation));
      maps.push_back(
          fmt::format("affine_map<({}) -> ({})>", fmt::join(dimensions, ", "), fmt::join(axes, ", ")));
      values.push_back(fmt::format("%in{}: i32", operand));
    }
    std::string body, value = "%in1";
    for (std::size_t input = 2; input < program_.operands.size(); ++input) {
      body += fmt::format("      %made{} = arith.{} {}, %in{} : i32\n", input,
                          program_.adds ? "addi" : "muli", value, input);
      value = fmt::format("%made{}", input);
    }
    return fmt::format(
        "    linalg.generic {{indexing_maps = [{}],\n      iterator_types = [{}]}}\n      {} attrs = {{zz "
        "= "
        "\"layer\"}} {{\n    ^bb0({}):\n{}      %sum = arith.addi %in0, {} : i32\n      linalg.yield %sum "
        ": "
        "i32\n    }}\n",
        fmt::join(maps, ", "), fmt::join(iterators, ", "), operands, fmt::join(values, ", "), body, value);
  }

  // The script

  void write_sequence() {
    sequence_ +=
        "    %op = transform.structured.match attributes {zz = \"layer\"} in %module : (!transform.any_op) "
        "-> !transform.any_op\n";
    handle_ = "%op";
    for (int left = program_.loops; left >= 0; --left) {
      for (std::size_t operand = 0; operand < program_.operands.size(); ++operand) promote(operand, left);
      if (left > 0) tile(left - 1);
    }
  }

  /// A loop leaves its tile of a dimension to what is inside of it.
  void tile(int loop) {
    const ProgramOperand& any = program_.operands.front();
    const Tile inside{loop, static_cast<int>(any.at.size()) + 1};
    const int dimension = program_.digits[loop].dimension;
    const std::int64_t size = program_.extent(any, dimension, inside);
    if (size == program_.extent(any, dimension, {loop + 1, inside.levels})) return;
    std::vector<std::int64_t> sizes;
    for (const int one : operation_.loops) sizes.push_back(one == dimension ? size : 0);
    sequence_ += fmt::format("    // {} {}\n", mlir_word(program_.dimensions[dimension]),
                             program_.digits[loop].size);
    sequence_ += fmt::format(
        "    %tiled{0}, %loop{0} = transform.structured.tile_using_for {1} tile_sizes [{2}] : "
        "(!transform.any_op) -> (!transform.any_op, !transform.any_op)\n",
        loop, handle_, fmt::join(sizes, ", "));
    handle_ = fmt::format("%tiled{}", loop);
    divided_.push_back(dimension);
  }

  /// Copies the tile of an operand where the mapping cuts the loops for it.
  void promote(std::size_t operand, int left) {
    const ProgramOperand& one = program_.operands[operand];
    const auto position =
        std::find(operation_.operands.begin(), operation_.operands.end(), static_cast<int>(operand)) -
        operation_.operands.begin();
    for (std::size_t k = one.at.size() - 1; k-- > 1;) {
      if (one.at[k].tile.loops != left) continue;
      const bool divided = std::any_of(divided_.begin(), divided_.end(),
                                       [&](int dimension) { return one.bears[dimension]; });
      if (!divided) {
        whole_.push_back(fmt::format("{} in {}", mlir_word(one.name), mlir_word(one.at[k].memory)));
        continue;
      }
      const std::string promoted = fmt::format("%{}_{}", mlir_word(one.name), k);
      sequence_ += fmt::format("    // {} in {}\n", mlir_word(one.name), mlir_word(one.at[k].memory));
      sequence_ += fmt::format(
          "    {} = transform.structured.promote {} {{operands_to_promote = [{}]}} : "
          "(!transform.any_op) -> !transform.any_op\n",
          promoted, handle_, position);
      handle_ = promoted;
    }
  }

  const LayerProgram& program_;
  const Operation operation_;
  std::string sequence_, handle_;
  std::vector<int> divided_;
  std::vector<std::string> whole_;
};

}  // namespace

std::string transform_text(const LayerProgram& program) { return Script(program).text(); }

}  // namespace zz::core
