#include "core/search/optimal/optimum_store.hpp"

#include <cstring>
#include <type_traits>

#include "core/search/optimal/detail/cost_relations.hpp"

namespace zz::core {
namespace {

bool same_rules(const Rules& a, const Rules& b) {
  static_assert(std::has_unique_object_representations_v<Rules>);
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// True if proofs depend on the same. Limits of time and memory do not matter once one is finished.
bool same_question(const JointOptions& a, const JointOptions& b) {
  return a.objective == b.objective && a.mixed == b.mixed && a.factors == b.factors &&
         a.model.same_data_free == b.model.same_data_free && same_rules(a.model.rules, b.model.rules) &&
         a.limits.gap == b.limits.gap;
}

/// Proven as far as was asked for.
bool is_finished(const JointOptimum& optimum, const JointOptions& options) {
  return optimum.certificate.gap() <= options.limits.gap + rounding_tolerance &&
         (!optimum.second || optimum.second->certificate.gap() <= options.limits.gap + rounding_tolerance);
}

std::size_t bytes_of(const JointOptimum& optimum) {
  constexpr std::size_t of_the_rest = 8192;
  return optimum.bounds.size() * sizeof(double) + of_the_rest;
}

std::uint64_t key_of_loops(const Layer& layer) {
  std::uint64_t key = layer.loops.size();
  for (const LoopDimension& loop : layer.loops)
    key = key * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(loop.size);
  return key;
}

}  // namespace

OptimumStore::Found OptimumStore::find(const Layer& layer, const Accelerator& accelerator,
                                       const JointOptions& options) const {
  Found found;
  if (options.allowed.any()) return found;
  const std::lock_guard lock(mutex_);
  const auto entries = entries_.find(key_of_loops(layer));
  if (entries == entries_.end()) return found;
  double most = -1;
  for (const Entry& entry : entries->second) {
    if (!same_question(options, entry.options) || !same_work(layer, entry.layer)) continue;
    const auto change = cost_change(entry.optimum->problem, accelerator);
    if (!change) continue;
    if (change->none && options.within == entry.options.within) return {entry.optimum, true};
    const double carried = change->kept * entry.optimum->certificate.lower_bound;
    if (carried <= most) continue;
    most = carried;
    found.optimum = entry.optimum;
  }
  return found;
}

void OptimumStore::add(const Layer& layer, const JointOptions& options, const JointOptimum& optimum) {
  if (options.allowed.any() || !is_finished(optimum, options)) return;
  const auto kept = std::make_shared<const JointOptimum>(optimum);
  JointOptions question = options;
  question.limits.cancelled = nullptr;  // it may refer to a stage that is gone
  const std::lock_guard lock(mutex_);
  if (bytes_ > most_bytes) {
    entries_.clear();
    bytes_ = 0;
  }
  std::deque<Entry>& entries = entries_[key_of_loops(layer)];
  if (entries.size() >= most_of_a_layer) {
    bytes_ -= bytes_of(*entries.back().optimum);
    entries.pop_back();
  }
  entries.push_front({layer, std::move(question), kept});
  bytes_ += bytes_of(*entries.front().optimum);
}

}  // namespace zz::core
