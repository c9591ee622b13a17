#include "core/cost/part_words.hpp"

#include <fmt/format.h>
#include <map>

#include "core/cost/evaluation.hpp"

namespace zz::core {
namespace {

/// The port, and what it moves.
std::string place_of(const LatencyPart& part) {
  std::string words = part.memory;
  if (!part.port.empty()) words += " " + part.port;
  if (!part.direction.empty()) return words + ", " + words_of_use(part.operand, part.direction);
  return part.operand.empty() ? words : words + ", tiles of " + part.operand;
}

/// The use of a port that takes more than half of what the limiter does, or "".
std::string main_use(const Evaluation& evaluation, const Limit& limit) {
  std::map<std::string, double> cycles;
  for (const LatencyPart& part : evaluation.latency_parts)
    if (!part.direction.empty() && part.limiter() == limit.limiter)
      cycles[words_of_use(part.operand, part.direction)] += part.cycles;
  for (const auto& [use, its_cycles] : cycles)
    if (its_cycles > limit.cycles / 2) return use;
  return "";
}

}  // namespace

std::string words_of_use(const std::string& operand, const std::string& direction) {
  const bool reads = direction.starts_with("rd");
  const bool down = direction == direction_names[static_cast<int>(Direction::read_to_low)] ||
                    direction == direction_names[static_cast<int>(Direction::write_from_high)];
  return fmt::format("{} of {}{}", reads ? "reads" : "writes", operand,
                     down && operand == "O" ? "'s sums" : "");
}

std::string limiter_words(const std::string& limiter) {
  if (limiter.empty()) return "not known";
  std::string words = limiter;
  if (const std::size_t dot = words.rfind('.'); dot != words.npos) words[dot] = ' ';
  return words;
}

std::string words_of(const Limit& limit, const Evaluation& evaluation) {
  double beside_idle = 0;
  for (const LatencyPart& part : evaluation.latency_parts)
    if (!part.behind.empty() && part.behind == limit.limiter) beside_idle += part.cycles;
  const std::string words = limiter_words(limit.limiter);
  return beside_idle > limit.cycles / 2 ? fmt::format("idle units and {} together", words) : words;
}

std::string limit_words(const Evaluation& evaluation) {
  const std::vector<Limit> limits = limits_of(evaluation);
  if (limits.empty() || limits.front().limiter.empty()) return limiter_words("");
  const Limit& first = limits.front();
  const std::string use = main_use(evaluation, first);
  return fmt::format("{} {:.0f} %{}", words_of(first, evaluation),
                     100 * first.cycles / evaluation.latency_total2, use.empty() ? "" : " (" + use + ")");
}

PartWords words_of(const LatencyPart& part) {
  const std::string behind = part.behind.empty() ? "" : ", behind " + limiter_words(part.behind);
  if (part.cause == "ideal") return {"units at work", ""};
  if (part.cause == "idle") return {"idle units", "array dimension " + part.array_dimension + behind};
  if (part.cause == "remainder")
    return {"round not full", (part.loop.empty() ? "array" : "loop " + part.loop) + behind};
  if (part.cause == "array")
    return {"array", part.because == "fold"         ? "fill and drain at each change of what stays"
                     : part.because == "efficiency" ? "share of its peak that it does not reach"
                     : part.because == "zeros"      ? "waits of units for others that skip fewer zeros"
                                                    : "blocks of few rows, gaps between them"};
  if (part.cause == "drain") return {"drain", "systolic array"};
  std::string where = place_of(part);
  if (!part.because.empty()) where += ": " + part.because;
  if (part.cause == "onloading") return {"first data", where};
  if (part.cause == "offloading") return {"last results", where};
  if (part.cause == "wait") return {"waiting at the end", where};
  return {"waiting", where};
}

}  // namespace zz::core
