#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>
#include <vector>

#include "core/base/json_text.hpp"
#include "core/output/program/program_text.hpp"

namespace zz::core {
namespace {

/// Loops of a memory, the innermost first.
struct LoopsOfMemory {
  std::vector<int> dimensions;
  std::vector<std::int64_t> factors;  ///< by dimension
  std::size_t first_mesh = 0;         ///< so many of `dimensions` lie along the first mesh
  int meshes = 0;
};

class TimeloopText {
 public:
  TimeloopText(const LayerProgram& program, const Evaluation& evaluation)
      : program_(program),
        mapping_(*evaluation.temporal_mapping),
        memories_(evaluation.accelerator->memories) {
    const LoopsOfMemory none{{}, std::vector<std::int64_t>(program.dimensions.size(), 1), 0, 0};
    time_.assign(memories_.size(), none);
    space_.assign(memories_.size(), none);
    for (const ArrayDimension& dimension : evaluation.accelerator->array.dimensions)
      add_units(dimension.name);
    add_loops();
  }

  std::string text() const {
    std::string text;
    for (const std::string& left_out : not_carried_) text += "# not carried: " + left_out + "\n";
    text += "mapping:\n";
    for (std::size_t memory = 0; memory < memories_.size(); ++memory) {
      if (!space_[memory].dimensions.empty()) text += directive(memory, "spatial", space_[memory]);
      text += directive(memory, "temporal", time_[memory]);
    }
    return text;
  }

 private:
  /// Units fan out below the innermost memory of which one instance serves them all.
  void add_units(const std::string& array) {
    std::size_t memory = 0;
    while (memory + 1 < memories_.size() && !memories_[memory].serves(array)) ++memory;
    LoopsOfMemory& loops = space_[memory];
    bool any = false;
    for (const Digit& digit : program_.digits) {
      if (digit.array != array) continue;
      add(loops, digit, memories_[memory].name);
      any = true;
    }
    if (any && loops.meshes++ == 0) loops.first_mesh = loops.dimensions.size();
  }

  /// A loop is one of the innermost memory that holds data of some operand for all of it.
  void add_loops() {
    std::size_t at = 0;
    for (int loop = 0; loop < program_.loops; ++loop) {
      std::size_t own = memories_.size() - 1;
      for (std::size_t operand = 0; operand < program_.operands.size(); ++operand)
        own = std::min(own, memory_of(operand, loop));
      at = std::max(at, own);
      for (std::size_t operand = 0; operand < program_.operands.size(); ++operand)
        if (holds(program_.operands[operand], at) && memory_of(operand, loop) != at)
          leave_out(fmt::format("{} is cut at '{}' apart from the others", program_.operands[operand].name,
                                memories_[at].name));
      add(time_[at], program_.digits[loop], memories_[at].name);
    }
  }

  /// By the cuts as they were allocated: that data stay where the loops next to a cut do not change them,
  /// Timeloop sees by itself.
  std::size_t memory_of(std::size_t operand, int loop) const {
    const std::vector<int>& cuts = mapping_.operands[operand].allocated;
    std::size_t level = 0;
    while (level + 1 < cuts.size() && cuts[level] <= loop) ++level;
    const std::string& name = program_.operands[operand].at[level + 1].memory;
    const auto found = std::find_if(memories_.begin(), memories_.end(),
                                    [&](const Memory& memory) { return memory.name == name; });
    return static_cast<std::size_t>(found - memories_.begin());
  }
  bool holds(const ProgramOperand& operand, std::size_t memory) const {
    return std::any_of(operand.at.begin(), operand.at.end(), [&](const ProgramBuffer& buffer) {
      return buffer.memory == memories_[memory].name;
    });
  }

  void add(LoopsOfMemory& loops, const Digit& digit, const std::string& memory) {
    if (digit.size == 1) return;
    const bool known = std::find(loops.dimensions.begin(), loops.dimensions.end(), digit.dimension) !=
                       loops.dimensions.end();
    if (known && loops.dimensions.back() != digit.dimension)
      leave_out(fmt::format("'{}' has several loops of {} with others between", memory,
                            program_.dimensions[digit.dimension]));
    if (!known) loops.dimensions.push_back(digit.dimension);
    loops.factors[digit.dimension] *= digit.size;
  }

  void leave_out(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char letter) { return letter < ' '; }, ' ');
    if (std::find(not_carried_.begin(), not_carried_.end(), text) == not_carried_.end())
      not_carried_.push_back(std::move(text));
  }

  std::string directive(std::size_t memory, const char* type, const LoopsOfMemory& loops) const {
    std::vector<std::string> factors, order;
    for (const int dimension : loops.dimensions) order.push_back(program_.dimensions[dimension]);
    for (std::size_t dimension = 0; dimension < program_.dimensions.size(); ++dimension) {
      const std::string& name = program_.dimensions[dimension];
      factors.push_back(fmt::format("{}={}", name, loops.factors[dimension]));
      if (loops.factors[dimension] == 1) order.push_back(name);
    }
    const std::string split = loops.meshes > 1 ? fmt::format(", split: {}", loops.first_mesh) : "";
    return fmt::format("- {{target: {}, type: {}, factors: [{}], permutation: [{}]{}}}\n",
                       json_string(memories_[memory].name), type, fmt::join(factors, ", "),
                       fmt::join(order, ", "), split);
  }

  const LayerProgram& program_;
  const TemporalMapping& mapping_;
  const std::vector<Memory>& memories_;
  std::vector<LoopsOfMemory> time_, space_;  ///< by memory
  std::vector<std::string> not_carried_;
};

}  // namespace

std::string timeloop_text(const LayerProgram& program, const Evaluation& evaluation) {
  return TimeloopText(program, evaluation).text();
}

}  // namespace zz::core
