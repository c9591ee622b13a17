#include "core/multicore/check/detail/memory_rules.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace zz::core::check {
namespace {

struct Stay {
  double start = 0, end = 0;
  int tensor = 0;
};

struct MemoryChange {
  double time = 0;
  std::int64_t bits = 0;
  int tensor = 0;

  bool operator<(const MemoryChange& other) const {
    return std::tie(time, bits, tensor) < std::tie(other.time, other.bits, other.tensor);
  }
};

void check_removals(const Facts& facts, Findings& findings) {
  for (const Removal* removal : facts.groundless) {
    // What is written back leaves with the transfer, and a streamed result never was there.
    if (removal->written_back || removal->cause == RemovalCause::final_output) continue;
    findings.add("removal", fmt::format("{} is removed from {} at cycle {}, where it is not",
                                        facts.tensor_name(removal->tensor),
                                        facts.memory_name(removal->memory), removal->time));
  }
  const Removal* reported = nullptr;
  for (std::size_t tensor = 0; tensor < facts.copies.size(); ++tensor) {
    for (const Copy& copy : facts.copies[tensor]) {
      if (!copy.removal || copy.removal == reported) continue;
      const std::string what =
          fmt::format("{} is removed from {} at cycle {}", facts.tensor_name(static_cast<int>(tensor)),
                      facts.memory_name(copy.memory), copy.removed);
      if (above(copy.ready, copy.removed)) {
        findings.add("removal", fmt::format("{}, before it is there at {}", what, copy.ready));
        reported = copy.removal;
      }
      if (copy.removal->written_back && above(copy.removal->write_back_end, copy.removed)) {
        findings.add("write-back", fmt::format("{}, before it is written back at {}", what,
                                               copy.removal->write_back_end));
        reported = copy.removal;
      }
    }
  }
}

/// Stays of one tensor in one memory that overlap are one.
std::vector<std::vector<Stay>> stays_by_memory(const Facts& facts) {
  std::vector<std::vector<Stay>> stays(facts.accelerator.top_memories.size());
  for (std::size_t tensor = 0; tensor < facts.copies.size(); ++tensor) {
    std::vector<Copy> copies = facts.copies[tensor];
    std::sort(copies.begin(), copies.end(), [](const Copy& a, const Copy& b) {
      return std::tie(a.memory, a.start) < std::tie(b.memory, b.start);
    });
    int last_memory = -1;
    for (const Copy& copy : copies) {
      double end = std::max(copy.removed, copy.used_until);
      if (copy.removal && copy.removal->written_back) end = std::max(end, copy.removal->write_back_end);
      std::vector<Stay>& list = stays[copy.memory];
      if (copy.memory == last_memory && copy.start <= list.back().end) {
        list.back().end = std::max(list.back().end, end);
      } else {
        list.push_back({copy.start, end, static_cast<int>(tensor)});
      }
      last_memory = copy.memory;
    }
  }
  return stays;
}

void check_capacity(const Facts& facts, Findings& findings) {
  const std::vector<std::vector<Stay>> stays = stays_by_memory(facts);
  for (std::size_t memory = 0; memory < stays.size(); ++memory) {
    std::vector<MemoryChange> changes;
    for (const Stay& stay : stays[memory]) {
      const std::int64_t bits = facts.graph.tensors[stay.tensor].bits;
      changes.push_back({stay.start, bits, stay.tensor});
      if (stay.end < never) changes.push_back({stay.end, -bits, stay.tensor});
    }
    std::sort(changes.begin(), changes.end());
    const std::int64_t size = facts.accelerator.top_memories[memory].size;
    std::int64_t use = 0;
    bool over = false;
    for (const MemoryChange& change : changes) {
      use += change.bits;
      if (use > size && !over) {
        findings.add("memory", fmt::format("{} of {} bits holds {} from cycle {} on, when {} comes in",
                                           facts.memory_name(static_cast<int>(memory)), size, use,
                                           change.time, facts.tensor_name(change.tensor)));
      }
      over = use > size;
    }
  }
}

/// The step functions that the schedule states follow from its lists.
void check_traces(const Facts& facts, Findings& findings) {
  if (facts.schedule.memory.empty()) return;
  std::vector<std::vector<MemoryChange>> changes(facts.accelerator.top_memories.size());
  for (std::size_t tensor = 0; tensor < facts.copies.size(); ++tensor) {
    const std::int64_t bits = facts.graph.tensors[tensor].bits;
    const Copy* before = nullptr;
    for (const Copy& copy : facts.copies[tensor]) {
      // What arrives while it is there takes no space a second time.
      const bool held = before && before->memory == copy.memory && before->removal == copy.removal;
      before = &copy;
      if (held || bits == 0) continue;
      changes[copy.memory].push_back({copy.start, bits, static_cast<int>(tensor)});
      if (copy.removed < never)
        changes[copy.memory].push_back({copy.removed, -bits, static_cast<int>(tensor)});
    }
  }
  for (const MemoryTrace& trace : facts.schedule.memory) {
    if (trace.memory < 0 || static_cast<std::size_t>(trace.memory) >= changes.size()) {
      findings.add("entry", fmt::format("a trace names memory {}, which does not exist", trace.memory));
      continue;
    }
    std::vector<MemoryChange>& list = changes[trace.memory];
    std::sort(list.begin(), list.end());
    std::size_t next = 0;
    std::int64_t use = 0, peak = 0;
    const auto stated_otherwise = [&](double time, std::int64_t stated) {
      findings.add("memory trace", fmt::format("{} holds {} bits from cycle {} on, the trace says {}",
                                               facts.memory_name(trace.memory), use, time, stated));
    };
    std::int64_t stated = 0;
    bool wrong = false;
    const auto advance = [&](double until, bool inclusive) {
      while (next < list.size() && (list[next].time < until || (inclusive && list[next].time == until))) {
        const double time = list[next].time;
        while (next < list.size() && list[next].time == time) use += list[next++].bits;
        if (time < until && use != stated && !wrong) {
          stated_otherwise(time, stated);
          wrong = true;
        }
      }
    };
    for (const auto& step : trace.bits) {
      advance(step.first, true);
      stated = step.second;
      peak = std::max(peak, stated);
      if (use != stated && !wrong) {
        stated_otherwise(step.first, stated);
        wrong = true;
      }
    }
    advance(never, false);
    if (!wrong && (trace.peak != peak || trace.last != stated)) {
      findings.add("memory trace",
                   fmt::format("{} peaks at {} and ends with {} bits, stated are {} and {}",
                               facts.memory_name(trace.memory), peak, stated, trace.peak, trace.last));
    }
  }
}

}  // namespace

void check_memories(const Facts& facts, Findings& findings) {
  check_removals(facts, findings);
  check_capacity(facts, findings);
  check_traces(facts, findings);
}

}  // namespace zz::core::check
