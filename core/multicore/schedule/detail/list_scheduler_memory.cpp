#include <algorithm>
#include <limits>

#include "core/multicore/schedule/detail/list_scheduler.hpp"

// Space in memories: what has to leave when a tensor comes, and when its space is free.

namespace zz::core {
namespace {

/// In segments the last copy of a constant on the cores comes over the off-chip link again; what else
/// leaves may wait on another core. Elsewhere constants would keep the results of samples in flight away:
/// with this weight eight samples of MobileNetV2 took 1.7 % longer than one by one. In a batch of
/// ResNet-50, weights of 204 million bits crossed this link as 259 without a weight, 243 with 2, 218 with
/// 4, and 217 with 16.
constexpr double loaded_again_weight = 4;

}  // namespace

double ListScheduler::earliest_fit(int memory, double bits, double time) const {
  if (!counts_use(memory)) return time;
  const double fit = state_.usage[memory].earliest_fit(bits, time);
  return rules_.memory_free_at_once ? fit : std::max(fit, time);
}

/// True of a constant in segments that is nowhere else but off-chip.
bool ListScheduler::last_on_cores(int copy) const {
  const int tensor = state_.copies[copy].tensor;
  if (!state_.in_segments || !tables_.is_shared[tensor]) return false;
  for (int other = state_.copies.first_of(tensor); other >= 0; other = state_.copies[other].next_of_tensor)
    if (other != copy && !is_offchip(state_.copies[other].memory)) return false;
  return true;
}

/// Reads of a copy that are still to come. Of a constant only those of samples that have begun: what they
/// need has to stay before what others will fetch again. In segments all samples follow soon, and the last
/// copy on the cores counts the reads of all cores: `last` is last_on_cores(). All samples are taken to
/// read a constant as often.
double ListScheduler::reads_to_come(int copy, bool last) const {
  const TensorCopy& entry = state_.copies[copy];
  // Stream looks at the uses of this memory alone.
  const bool only_copy =
      !rules_.repeated_transfers_free &&
      (last || (state_.copies.first_of(entry.tensor) == copy && entry.next_of_tensor < 0));
  const bool here = entry.priority >= 0 && !only_copy;
  const RemainingUses& uses = state_.uses;
  const auto reads = static_cast<double>(here ? uses.at(entry.priority) : uses.total(entry.tensor));
  if (state_.samples_to_come == 0 || !tables_.is_shared[entry.tensor]) return reads;
  const std::int64_t at_first = here ? uses.at_first(entry.priority) : uses.total_at_first(entry.tensor);
  return std::max(0.0,
                  reads - static_cast<double>(at_first) * state_.samples_to_come / tables_.graph->samples);
}

/// Constants that no sample which has begun still reads leave rather than that a tensor waits for space:
/// those that were read last, since the next sample needs them last. They are gone also where that does
/// not help.
void ListScheduler::shed_idle_constants(const Destination& to, double bits, double time) {
  if (state_.samples_to_come == 0 || is_offchip(to.memory)) return;
  for (double fit = earliest_fit(to.memory, bits, time); fit > time;
       fit = earliest_fit(to.memory, bits, time)) {
    int idle = -1;
    for (int copy = state_.copies.first_in(to.memory); copy >= 0; copy = state_.copies[copy].after) {
      const TensorCopy& entry = state_.copies[copy];
      if (!tables_.is_shared[entry.tensor] || state_.kept[entry.tensor] == state_.keeping ||
          state_.stays(entry.tensor, false) || entry.used_until >= fit ||
          reads_to_come(copy, last_on_cores(copy)) > 0)
        continue;
      const auto later = [&](int other) {
        const double best = state_.copies[other].used_until;
        return best <= time ? entry.used_until <= time && entry.used_until > best : entry.used_until < best;
      };
      if (idle < 0 || later(idle)) idle = copy;
    }
    if (idle < 0) return;
    release(idle, to.memory_operand, 0, false, RemovalCause::eviction, EnergyTerm::eviction_memory);
  }
}

/// Chooses the copies that have to leave so that the tensor fits from `time` on: those with the fewest bits
/// still to be read. False when even all of them are not enough.
bool ListScheduler::choose_victims(const Destination& to, double time) {
  state_.victims.clear();
  if (!counts_use(to.memory)) return true;
  const MemoryUsage& usage = state_.usage[to.memory];
  const double bits = tables_.tensor_bits[to.tensor];
  if (bits > usage.size()) {
    fail(Kind::tensor_too_large, to.tensor, to.memory, bits - usage.size());
    return false;
  }
  double missing = bits - (usage.size() - usage.at(time));
  if (missing <= 0) return true;
  int arrival = 0;
  for (int copy = state_.copies.first_in(to.memory); copy >= 0;
       copy = state_.copies[copy].after, ++arrival) {
    const TensorCopy& entry = state_.copies[copy];
    if (entry.reserved_from > time || state_.kept[entry.tensor] == state_.keeping ||
        state_.stays(entry.tensor, is_offchip(to.memory)))
      continue;
    const double size = tables_.tensor_bits[entry.tensor];
    const bool last = last_on_cores(copy), loaded_again = last && !is_offchip(to.memory);
    const double importance = reads_to_come(copy, last) * size * (loaded_again ? loaded_again_weight : 1);
    state_.victims.push_back({copy, entry.tensor, importance, size, arrival});
  }
  const auto more_important = [](const ScheduleState::Victim& a, const ScheduleState::Victim& b) {
    if (a.importance != b.importance) return a.importance > b.importance;
    return a.bits != b.bits ? a.bits > b.bits : a.arrival > b.arrival;
  };
  // Each pop moves the least important one behind the heap.
  auto rest = state_.victims.end();
  std::make_heap(state_.victims.begin(), rest, more_important);
  while (missing > 0 && rest != state_.victims.begin()) {
    std::pop_heap(state_.victims.begin(), rest, more_important);
    --rest;
    missing -= rest->bits;
  }
  if (missing > 0) {
    fail(is_offchip(to.memory) ? Kind::offchip_full : Kind::memory_full, to.tensor, to.memory, missing);
    return false;
  }
  state_.victims.erase(state_.victims.begin(), rest);
  std::reverse(state_.victims.begin(), state_.victims.end());
  return true;
}

/// The first cycle from `time` on at which there is space for the tensor; evicts what has to make room.
double ListScheduler::make_space(const Destination& to, double time) {
  const double bits = tables_.tensor_bits[to.tensor];
  int asked = to.memory;
  if (rules_.memory_free_at_once) {
    // Stream asks the memory for the tensor's operand at home, not for the one under which it arrives.
    if (const int own = tables_.top(to.core, tables_.tensor_operand[to.tensor]); own >= 0) asked = own;
  }
  shed_idle_constants(to, bits, time);
  const double fit = earliest_fit(asked, bits, time);
  if (!choose_victims(to, fit)) return time;
  if (state_.victims.empty()) return std::max(fit, time);
  if (is_offchip(to.memory)) {
    fail(Kind::offchip_full, to.tensor, to.memory);
    return time;
  }
  double free_from = rules_.memory_free_at_once ? time : fit;
  const double asked_from = free_from;
  // A victim goes where nothing has to leave for it, so that evictions do not nest.
  state_.leaving.swap(state_.victims);
  for (const ScheduleState::Victim& victim : state_.leaving) {
    double gone = 0;
    if (rules_.memory_free_at_once) {
      gone = remove_at_once(victim.tensor, to.core, to.memory_operand, asked_from, true,
                            RemovalCause::eviction, EnergyTerm::eviction_memory);
    } else {
      gone = release(victim.copy, to.memory_operand, asked_from, true, RemovalCause::eviction,
                     EnergyTerm::eviction_memory);
    }
    if (state_.failed()) return time;
    free_from = std::max(free_from, gone);
  }
  return std::max(fit, free_from);
}

/// Adds a copy that takes space from `from` on. Returns its index. A copy that is there already stays as it
/// is.
int ListScheduler::add_copy(int tensor, int memory, double from, double available) {
  if (const int there = state_.copies.find(tensor, memory); there >= 0) return there;
  const double bits = tables_.tensor_bits[tensor];
  if (counts_use(memory)) {
    if (!state_.usage[memory].change(from, bits)) fail(Kind::overflow, tensor, memory);
  } else {
    state_.offchip_sum += bits;
    if (state_.offchip_sum > tables_.memories[memory].size) fail(Kind::offchip_uncounted, tensor, memory);
  }
  TensorCopy copy;
  copy.tensor = tensor;
  copy.memory = memory;
  copy.priority = state_.uses.find(tensor, memory);
  copy.reserved_from = from;
  copy.available_from = available;
  copy.used_until = available;
  return state_.copies.add(copy);
}

void ListScheduler::drop(int copy, double time) {
  const TensorCopy entry = state_.copies[copy];
  state_.copies.remove(copy);
  if (counts_use(entry.memory)) state_.usage[entry.memory].change(time, -tables_.tensor_bits[entry.tensor]);
}

/// Stream: the space is free at `time`, also while the tensor is still read or written back. Returns when
/// the write-back has ended.
double ListScheduler::remove_at_once(int tensor, int core, int memory_operand, double time, bool write_back,
                                     RemovalCause cause, EnergyTerm purpose) {
  double end = time;
  bool written = false;
  if (write_back) {
    const int offchip = tables_.top(tables_.offchip_core, memory_operand);
    if (state_.copies.find(tensor, offchip) < 0) {
      const int home = tables_.top(core, tables_.tensor_operand[tensor]);
      const int source = home < 0 ? -1 : state_.copies.find(tensor, home);
      if (source < 0) {
        fail(Kind::nobody_has_it, tensor, home);
        return time;
      }
      end = std::max(time, transfer({tensor, tables_.offchip_core, memory_operand, offchip}, source,
                                    -std::numeric_limits<double>::infinity(), purpose));
      if (state_.failed()) return time;
      written = true;
    }
  }
  const int memory = tables_.top(core, memory_operand);
  if (record_) record_->removal(state_, cause, tensor, core, memory_operand, memory, time, written, end);
  if (const int copy = memory < 0 ? -1 : state_.copies.find(tensor, memory); copy >= 0) drop(copy, time);
  return end;
}

/// The copy leaves when its last use and its write-back have ended. It is written back when that is asked
/// for, the tensor is still needed, and this is its only copy. One that has to make room may wait elsewhere
/// instead. Returns when its space is free.
double ListScheduler::release(int copy, int memory_operand, double time, bool write_back,
                              RemovalCause cause, EnergyTerm purpose) {
  const int tensor = state_.copies[copy].tensor;
  const bool only_copy = state_.copies.first_of(tensor) == copy && state_.copies[copy].next_of_tensor < 0;
  const bool wanted = state_.uses.total(tensor) > 0 || tables_.is_result[tensor];
  bool written = write_back && only_copy && wanted;
  double end = time;
  if (written && (cause == RemovalCause::clearing || cause == RemovalCause::eviction)) {
    if (const Destination place = waiting_place(copy, time); place.memory >= 0) {
      const TensorCopy before = state_.copies[copy];
      end = transfer(place, copy, time, by_sender);
      if (state_.failed()) return time;
      // Where nobody reads it any more, it has left with the transfer.
      if (state_.copies.find(tensor, before.memory) != copy) return std::max(before.used_until, end);
      written = false;
    }
  }
  if (written) {
    const int operand = tables_.tensor_operand[tensor];
    end = transfer({tensor, tables_.offchip_core, operand, tables_.top(tables_.offchip_core, operand)},
                   copy, time, purpose);
    if (state_.failed()) return time;
  }
  const TensorCopy& entry = state_.copies[copy];
  const double gone = std::max(time, entry.used_until);
  if (record_)
    record_->removal(state_, cause, tensor, tables_.memories[entry.memory].owner, memory_operand,
                     entry.memory, gone, written, std::max(end, gone));
  drop(copy, gone);
  return gone;
}

}  // namespace zz::core
