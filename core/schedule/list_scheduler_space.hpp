#pragma once
#include <algorithm>

#include "core/schedule/list_scheduler.hpp"

// Space in memories: who has to go when something comes, and when its space is free.

namespace zz::core {

template <class Rules, class Record>
double ListScheduler<Rules, Record>::earliest_fit(int memory, double bits, double time) const {
  if (!counts_use(memory)) return time;
  const double fit = s_.usage[memory].earliest_fit(bits, time);
  return physical ? std::max(fit, time) : fit;
}

/// Chooses the copies that have to go so that the tensor fits from `time` on: the least important ones.
template <class Rules, class Record>
bool ListScheduler<Rules, Record>::choose_victims(const Destination& to, double time) {
  s_.victims.clear();
  if (!counts_use(to.memory)) return true;
  const MemoryUsage& usage = s_.usage[to.memory];
  const double bits = t_.tensor_bits[to.tensor];
  if (bits > usage.size()) {
    fail(Kind::tensor_too_large, to.tensor, to.memory, bits - usage.size());
    return false;
  }
  double missing = bits - (usage.size() - usage.at(time));
  if (missing <= 0) return true;
  int place = 0;
  for (int copy = s_.copies.first_in(to.memory); copy >= 0; copy = s_.copies[copy].after, ++place) {
    const TensorCopy& entry = s_.copies[copy];
    if (entry.reserved_from > time || s_.kept[entry.tensor] == s_.keeping) continue;
    const double size = t_.tensor_bits[entry.tensor];
    const std::int64_t uses =
        entry.priority >= 0 ? s_.uses.at(entry.priority) : s_.uses.total(entry.tensor);
    s_.victims.push_back({copy, entry.tensor, static_cast<double>(uses) * size, size, place});
  }
  const auto more_important = [](const ScheduleState::Victim& a, const ScheduleState::Victim& b) {
    if (a.importance != b.importance) return a.importance > b.importance;
    return a.bits != b.bits ? a.bits > b.bits : a.place > b.place;
  };
  // The chosen ones gather at the end, the first one last.
  auto rest = s_.victims.end();
  std::make_heap(s_.victims.begin(), rest, more_important);
  while (missing > 0 && rest != s_.victims.begin()) {
    std::pop_heap(s_.victims.begin(), rest, more_important);
    --rest;
    missing -= rest->bits;
  }
  if (missing > 0) {
    fail(is_offchip(to.memory) ? Kind::offchip_full : Kind::memory_full, to.tensor, to.memory, missing);
    return false;
  }
  s_.victims.erase(s_.victims.begin(), rest);
  std::reverse(s_.victims.begin(), s_.victims.end());
  return true;
}

/// The cycle from `time` on at which there is space, after evictions if need be.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::make_space(const Destination& to, double time) {
  const double bits = t_.tensor_bits[to.tensor];
  int asked = to.memory;
  if constexpr (!physical) {
    // Stream asks the memory for the tensor's operand at home, not for the one under which it arrives.
    if (const int own = t_.top(to.core, t_.tensor_operand[to.tensor]); own >= 0) asked = own;
  }
  const double fit = earliest_fit(asked, bits, time);
  if (!choose_victims(to, fit)) return time;
  if (s_.victims.empty()) return std::max(fit, time);
  if (is_offchip(to.memory)) {
    fail(Kind::offchip_full, to.tensor, to.memory);
    return time;
  }
  double free_from = physical ? fit : time;
  const double asked_from = free_from;
  // Those who leave go where nothing has to leave for them: this happens once at a time.
  s_.leaving.swap(s_.victims);
  for (const ScheduleState::Victim& victim : s_.leaving) {
    double gone = 0;
    if constexpr (physical) {
      gone = release(victim.copy, to.memory_operand, asked_from, true, RemovalCause::eviction,
                     EnergyTerm::eviction_memory);
    } else {
      gone = remove(victim.tensor, to.core, to.memory_operand, asked_from, true, RemovalCause::eviction,
                    EnergyTerm::eviction_memory);
    }
    if (s_.failed()) return time;
    free_from = std::max(free_from, gone);
  }
  return std::max(fit, free_from);
}

/// Lists a copy and takes its space. An equal copy that is there already stays as it is.
template <class Rules, class Record>
int ListScheduler<Rules, Record>::add_copy(int tensor, int memory, double from, double available) {
  if (const int there = s_.copies.find(tensor, memory); there >= 0) return there;
  const double bits = t_.tensor_bits[tensor];
  if (counts_use(memory)) {
    if (!s_.usage[memory].change(from, bits)) fail(Kind::overflow, tensor, memory);
  } else {
    s_.offchip_sum += bits;
    if (s_.offchip_sum > t_.memories[memory].size) fail(Kind::offchip_uncounted, tensor, memory);
  }
  TensorCopy copy;
  copy.tensor = tensor;
  copy.memory = memory;
  copy.priority = s_.uses.find(tensor, memory);
  copy.reserved_from = from;
  copy.available_from = available;
  copy.used_until = available;
  return s_.copies.add(copy);
}

template <class Rules, class Record>
void ListScheduler<Rules, Record>::drop(int copy, double time) {
  const TensorCopy entry = s_.copies[copy];
  s_.copies.remove(copy);
  if (counts_use(entry.memory)) s_.usage[entry.memory].change(time, -t_.tensor_bits[entry.tensor]);
}

/// Stream: the space is free at `time`, whatever is still going on. Returns when the write-back has ended.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::remove(int tensor, int core, int memory_operand, double time,
                                            bool write_back, RemovalCause cause, EnergyTerm purpose) {
  double end = time;
  bool written = false;
  if (write_back) {
    const int offchip = t_.top(t_.offchip_core, memory_operand);
    if (s_.copies.find(tensor, offchip) < 0) {
      const int home = t_.top(core, t_.tensor_operand[tensor]);
      const int source = home < 0 ? -1 : s_.copies.find(tensor, home);
      if (source < 0) {
        fail(Kind::nobody_has_it, tensor, home);
        return time;
      }
      end = std::max(time, transfer({tensor, t_.offchip_core, memory_operand, offchip}, source,
                                    -std::numeric_limits<double>::infinity(), purpose));
      if (s_.failed()) return time;
      written = true;
    }
  }
  const int memory = t_.top(core, memory_operand);
  record_.removal(s_, cause, tensor, core, memory_operand, memory, time, written, end);
  if (const int copy = memory < 0 ? -1 : s_.copies.find(tensor, memory); copy >= 0) drop(copy, time);
  return end;
}

/// Where all that still read the tensor of a copy will look for it, when that is one memory, another one,
/// and it has space: whoever has to go goes there. Else its memory is -1.
template <class Rules, class Record>
typename ListScheduler<Rules, Record>::Destination ListScheduler<Rules, Record>::only_reader(
    int copy, double time) const {
  const TensorCopy& entry = s_.copies[copy];
  Destination reader{entry.tensor, -1, -1, -1};
  if (t_.is_result[entry.tensor]) return reader;
  // What is streamed has to be off-chip.
  for (const int consumer : t_.consumers[entry.tensor]) {
    const NodeCost& cost = t_.node_cost(consumer, s_.group_core[t_.group_of[consumer]]);
    for (const NeededTensor& need : t_.needs[consumer]) {
      if (need.tensor == entry.tensor && (cost.streamed >> need.operand & 1u)) return reader;
    }
  }
  for (const TensorReader& other : t_.readers[entry.tensor]) {
    const int core = s_.group_core[other.group];
    const int memory = t_.top(core, other.memory_operand);
    const int uses = s_.uses.find(entry.tensor, memory);
    if (uses < 0 || s_.uses.at(uses) <= 0 || memory == reader.memory) continue;
    if (reader.memory >= 0 || memory == entry.memory || is_offchip(memory))
      return {entry.tensor, -1, -1, -1};
    reader = {entry.tensor, core, other.memory_operand, memory};
  }
  if (reader.memory < 0) return reader;
  const MemoryUsage& usage = s_.usage[reader.memory];
  const double bits = t_.tensor_bits[entry.tensor];
  const bool fits = usage.earliest_fit(bits, time) <= time && usage.bits().back() + bits <= usage.size();
  if (!fits) reader.memory = -1;
  return reader;
}

/// Physical rules: the copy goes when its last user has ended and it was written back, if that is asked for
/// and nobody else has what is still needed. Returns when its space is free.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::release(int copy, int memory_operand, double time, bool write_back,
                                             RemovalCause cause, EnergyTerm purpose) {
  const int tensor = s_.copies[copy].tensor;
  const bool only_copy = s_.copies.first_of(tensor) == copy && s_.copies[copy].next_of_tensor < 0;
  const bool wanted = s_.uses.total(tensor) > 0 || t_.is_result[tensor];
  const bool written = write_back && only_copy && wanted;
  double end = time;
  if (written && (cause == RemovalCause::clearing || cause == RemovalCause::eviction)) {
    const Destination reader = only_reader(copy, time);
    const double used_until = s_.copies[copy].used_until;
    if (reader.memory >= 0) return std::max(used_until, transfer(reader, copy, time, by_sender));
  }
  if (written) {
    const int operand = t_.tensor_operand[tensor];
    end =
        transfer({tensor, t_.offchip_core, operand, t_.top(t_.offchip_core, operand)}, copy, time, purpose);
    if (s_.failed()) return time;
  }
  const TensorCopy& entry = s_.copies[copy];
  const double gone = std::max(time, entry.used_until);
  record_.removal(s_, cause, tensor, t_.memories[entry.memory].owner, memory_operand, entry.memory, gone,
                  written, std::max(end, gone));
  drop(copy, gone);
  return gone;
}

}  // namespace zz::core
