#pragma once
#include <string>

#include "core/cost/cost_parts.hpp"

/// Words for what limits an evaluation, and for its parts.
namespace zz::core {

/// "reads of W", "writes of O"; of sums that return, "reads of O's sums". `direction`: of direction_names.
std::string words_of_use(const std::string& operand, const std::string& direction);

/// "dram rw_port_1" of "dram.rw_port_1"; "not known" of "".
std::string limiter_words(const std::string& limiter);

/// The same of a limit of limits_of(). "idle units and dram rw_port_1 together" where the array is not full
/// in most of its cycles: neither a fuller array nor a wider port by itself saves these.
std::string words_of(const Limit& limit, const Evaluation& evaluation);

/// "dram rw_port_1 84 % (reads of W)": the first limit, its share of the latency, and the use of the port
/// that takes more than half of that, if one does. "not known" without parts.
std::string limit_words(const Evaluation& evaluation);

/// Event in the cycles of a part, and its place: "waiting" and "dram rw_port_1, reads of W: bandwidth".
struct PartWords {
  std::string what, where;
};
PartWords words_of(const LatencyPart& part);

}  // namespace zz::core
