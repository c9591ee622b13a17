#include "core/hardware/further_keys.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/hardware/layer_sparsity.hpp"

namespace zz::core {
namespace {

std::string words_of(const Memory& memory) { return fmt::format("memory '{}'", memory.name); }
std::string words_of(const Port& port, const Memory& memory) {
  return fmt::format("port '{}' of {}", port.name, words_of(memory));
}

class MemoryKeysCheck {
 public:
  explicit MemoryKeysCheck(const Accelerator& accelerator) : accelerator_(accelerator) {}

  std::vector<AcceleratorProblem> problems() {
    for (std::size_t m = 0; m < accelerator_.memories.size(); ++m) {
      const Memory& memory = accelerator_.memories[m];
      at_ = {static_cast<int>(m), -1, "", -1};
      check_cycles("tile_interval", "tile_interval of " + words_of(memory), memory.tile_interval);
      if (memory.shared_tiles) check_shared_tiles(memory);
      if (!memory.moves_to.empty()) check_move(memory);
      check_formats(memory);
      for (std::size_t p = 0; p < memory.ports.size(); ++p) {
        const Port& port = memory.ports[p];
        at_.port = static_cast<int>(p);
        if (const std::string wrong = efficiency_problem(port.efficiency, words_of(port, memory));
            !wrong.empty())
          error("efficiency", wrong);
        if (!(port.overlap >= 0 && port.overlap <= 1))
          error("overlap",
                fmt::format("overlap of {} is {}; it must be from 0, nothing hides, to 1, all does",
                            words_of(port, memory), port.overlap));
        if (port.line) check_line(port, *port.line, words_of(port, memory));
        if (port.request) check_request(*port.request, "the request of " + words_of(port, memory));
      }
    }
    return std::move(problems_);
  }

 private:
  void error(const char* field, std::string message, std::string hint = "") {
    problems_.push_back(
        {Severity::error, {at_.memory, at_.port, field, -1}, std::move(message), std::move(hint)});
  }

  void check_cycles(const char* field, const std::string& what, double cycles) {
    if (!(cycles >= 0 && cycles <= static_cast<double>(largest_key_figure)))
      error(field,
            fmt::format("{} is {}; it must be from 0 to {} cycles", what, cycles, largest_key_figure));
  }

  void check_formats(const Memory& memory) {
    for (std::size_t i = 0; i < memory.formats.size(); ++i) {
      const std::string& operand = memory.formats[i].operand;
      if (operand != "O" && operand != "W" && operand != "I")
        error("format", fmt::format("format of {} names the operand '{}'", words_of(memory), operand),
              "those of layers: O, W or I");
      for (std::size_t before = 0; before < i; ++before)
        if (memory.formats[before].operand == operand)
          error("format", fmt::format("format of {} names {} twice", words_of(memory), operand));
    }
    if (has_format(memory) && accelerator_.array.imc)
      error("format", fmt::format("{} has a format, and the array computes in memory", words_of(memory)),
            "zeros are counted on arrays of units; leave the format out");
    for (const Port& port : memory.ports)
      if (has_format(memory) && port.request)
        error("format",
              fmt::format(
                  "{} has a format, and {} makes requests: what follows in memory then is not counted",
                  words_of(memory), words_of(port, memory)));
    if (!(memory.format_quantile >= 0.5 && memory.format_quantile <= 1))
      error("format_quantile",
            fmt::format(
                "format_quantile of {} is {}; it must be from 0.5 to 1, the share of the tiles in a format "
                "that find room",
                words_of(memory), memory.format_quantile));
  }

  void check_shared_tiles(const Memory& memory) {
    for (const char* input : {"I1", "I2"}) {
      const std::string what = words_of(memory) + " has shared_tiles, but ";
      if (!memory.holds(input))
        return error("shared_tiles", what + "does not hold " + input,
                     "tiles of I1 and I2 are loaded together");
      if (memory_above(input) == nullptr)
        return error("shared_tiles", what + input + " comes from no memory above");
    }
  }

  void check_move(const Memory& from) {
    const std::string what = fmt::format("{} moves to '{}', ", words_of(from), from.moves_to);
    std::vector<std::string> further_out;
    const Memory* to = nullptr;
    bool holds_between = false;
    for (auto m = static_cast<std::size_t>(at_.memory) + 1; m < accelerator_.memories.size(); ++m) {
      const Memory& memory = accelerator_.memories[m];
      further_out.push_back(memory.name);
      if (memory.name == from.moves_to) to = &memory;
      holds_between = holds_between || (to == nullptr && memory.holds("O"));
    }
    if (!from.holds("O"))
      return error("moves_to", what + "but holds no O", "finished outputs are what is moved");
    if (to == nullptr)
      return error("moves_to", what + "which no memory further out is called",
                   suggestion(from.moves_to, further_out));
    if (to->holds("O") || holds_between)
      return error("moves_to", what + "but O goes further out through another memory up to there anyway");
    for (const char* input : {"I1", "I2"})
      for (const Port& port : to->ports)
        for (const PortAllocation& served : port.allocation)
          if (served.operand == input && served.direction == Direction::write_from_high) return;
    error("moves_to", what + "into which no port writes inputs from further out",
          "what is moved is written by the port that writes inputs");
  }

  const Memory* memory_above(const std::string& operand) const {
    const auto& memories = accelerator_.memories;
    const auto above = std::find_if(memories.begin() + at_.memory + 1, memories.end(),
                                    [&](const Memory& other) { return other.holds(operand); });
    return above == memories.end() ? nullptr : &*above;
  }

  void check_line(const Port& port, const FirstTouch& line, const std::string& where) {
    if (line.bytes < 1 || line.bytes > largest_key_figure)
      error("line", bytes_words("the line of " + where, line.bytes));
    check_cycles("line", "cold_cycles in the line of " + where, line.cold_cycles);
    bool reads = false;
    for (const auto& [operand, direction] : port.allocation) {
      if (operand == "O" || direction != Direction::read_to_low) continue;
      reads = true;
      const Memory* const above = memory_above(operand);
      if (above == nullptr) continue;
      return error(
          "line",
          fmt::format("{} has a line, but {} comes from {} above", where, operand, words_of(*above)),
          "an input is touched for the first time in its topmost memory");
    }
    if (!reads) error("line", fmt::format("{} has a line, but reads no input towards the units", where));
  }

  void check_request(const PortRequests& request, const std::string& where) {
    const auto check = [&](const Request& one, const std::string& what) {
      if (one.bytes < 1 || one.bytes > largest_key_figure) error("request", bytes_words(what, one.bytes));
      if (!(one.cycles > 0 && one.cycles <= static_cast<double>(largest_key_figure)))
        error("request", fmt::format("{} takes {} cycles; it must take more than 0 and at most {}", what,
                                     one.cycles, largest_key_figure));
    };
    check({request.bytes, request.cycles}, where);
    if (request.store) check(*request.store, "store in " + where);
  }

  static std::string bytes_words(const std::string& what, std::int64_t bytes) {
    return fmt::format("{} has {} bytes; it must have from 1 to {}", what, bytes, largest_key_figure);
  }

  const Accelerator& accelerator_;
  std::vector<AcceleratorProblem> problems_;
  AcceleratorPart at_;
};

}  // namespace

std::string efficiency_problem(double share, const std::string& where) {
  constexpr double least = smallest_efficiency;
  if (share >= least && share <= 1) return "";
  return fmt::format("efficiency of {} is {}; it must be from {}, and no more than 1, the peak", where,
                     share, least);
}

std::vector<AcceleratorProblem> find_memory_key_problems(const Accelerator& accelerator) {
  return MemoryKeysCheck(accelerator).problems();
}

namespace {

/// Calls `visit(key, words)` for each key where it stands, until that says to stop.
template <class Visit>
void for_each_key(const Accelerator& accelerator, const Visit& visit) {
  bool goes_on = true;
  const auto look = [&](bool given, const char* key, const auto& where) {
    if (given && goes_on) goes_on = visit(key, where);
  };
  const auto array = [] { return std::string("the array"); };
  look(accelerator.array.fold.has_value(), "fold", array);
  look(accelerator.array.instruction.has_value(), "instruction", array);
  look(accelerator.array.efficiency != 1, "efficiency", array);
  look(!accelerator.array.on_zero.empty(), "on_zero", array);
  for (const Memory& memory : accelerator.memories) {
    const auto here = [&] { return words_of(memory); };
    look(memory.tile_interval != 0, "tile_interval", here);
    look(memory.shared_tiles, "shared_tiles", here);
    look(!memory.shared_with.empty(), "shared_with", here);
    look(has_format(memory), "format", here);
    for (const Port& port : memory.ports) {
      const auto at = [&] { return words_of(port, memory); };
      look(port.efficiency != 1, "efficiency", at);
      look(port.overlap != 1, "overlap", at);
      look(port.line.has_value(), "line", at);
      look(port.request.has_value(), "request", at);
    }
  }
}

}  // namespace

std::set<std::string> further_keys(const Accelerator& accelerator) {
  std::set<std::string> keys;
  for_each_key(accelerator, [&](const char* key, const auto&) { return keys.insert(key), true; });
  return keys;
}

std::string first_further_key(const Accelerator& accelerator) {
  std::string first;
  for_each_key(accelerator, [&](const char* key, const auto& where) {
    first = fmt::format("{} of {}", key, where());
    return false;
  });
  return first;
}

bool asks_for_layouts(const Accelerator& accelerator) {
  return further_keys(accelerator).contains("request");
}

}  // namespace zz::core
