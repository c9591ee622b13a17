// zz/services.hpp - services of the host for a running stage. Stage has a shorter form of most of them. A
// host may lack some: it then shows nothing, never cancels, and has one thread; other services throw
// Error(ZZ_E_UNSUPPORTED).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zz/result.hpp"

#pragma GCC visibility push(hidden)
namespace zz {

enum class Level : int32_t { trace, debug, info, warning, error };

// The progress display of a place, from construction to destruction: one at a time. `total` 0: unknown.
// [any]
class Progress {
 public:
  Progress(zz_place* at, std::string_view label, uint64_t total) : at_(at) {
    if (detail::runtime.progress) detail::runtime.progress->begin(at_, label.data(), label.size(), total);
  }
  ~Progress() {
    if (detail::runtime.progress) detail::runtime.progress->end(at_);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void advance(uint64_t steps = 1) {
    if (detail::runtime.progress) detail::runtime.progress->advance(at_, steps);
  }

 private:
  zz_place* at_;
};

// Metrics of many candidates without a result object each; see zz_score in stage_abi.h. One call at a
// time; it lives no longer than its stage.
class RowScorer {
 public:
  // Nothing when the chain below cannot be scored: open it per row instead.
  static std::optional<RowScorer> bind(zz_place* at, const Value& ctx, Name vary,
                                       std::span<const Name> metrics) {
    if (!detail::runtime.score) return std::nullopt;
    std::vector<zz_name> names;
    for (const Name metric : metrics) names.push_back(metric.id());
    zz_scorer* bound = nullptr;
    const zz_status code =
        detail::runtime.score->bind(at, ctx.handle(), vary.id(), names.data(),
                                    static_cast<uint32_t>(names.size()), &bound, detail::sink());
    if (code == ZZ_E_UNSUPPORTED) return std::nullopt;
    if (code != ZZ_OK) detail::throw_last_failure<Below>(code, "the chain below cannot be scored");
    return RowScorer(bound);
  }
  RowScorer(RowScorer&& other) noexcept : scorer_(std::exchange(other.scorer_, nullptr)) {}
  RowScorer& operator=(RowScorer&& other) noexcept {
    std::swap(scorer_, other.scorer_);
    return *this;
  }
  ~RowScorer() {
    if (scorer_) detail::runtime.score->unbind(scorer_);
  }

  // out[j * n + i]: metric j of row first + i; NaN in every column of an infeasible row. Throws Below.
  void score(Ref rows, uint32_t first, uint32_t n, double* out) {
    const zz_status code = detail::runtime.score->score(scorer_, rows.raw(), first, n, out, detail::sink());
    if (code != ZZ_OK) detail::throw_last_failure<Below>(code, "the chain below failed");
  }

  // The same for temporal mappings in numbers, of a scorer that was bound with "temporal_mapping": out[j *
  // n
  // + i] is metric j of order i. No value is made; see zz_score.orders. Throws Below.
  void score(std::span<const zz_order> orders, double* out) {
    const zz_status code =
        later().orders(scorer_, orders.data(), static_cast<uint32_t>(orders.size()), out, detail::sink());
    if (code != ZZ_OK) detail::throw_last_failure<Below>(code, "the chain below failed");
  }
  // The mapping that such an order is, to be handed down. Throws Error, ZZ_E_NO_RESULT where it does not
  // fit.
  Value mapping(const zz_order& order) {
    zz_value* const made = later().mapping(scorer_, &order, detail::sink());
    if (!made) detail::throw_failed_call();
    return Value::take(made);
  }

 private:
  static const zz_score& later() {
    if (!ZZ_HAS(detail::runtime.score, mapping))
      throw Error(ZZ_E_UNSUPPORTED, "this host does not score orders in numbers");
    return *detail::runtime.score;
  }
  explicit RowScorer(zz_scorer* scorer) : scorer_(scorer) {}
  zz_scorer* scorer_;
};

// Calls f(i) for every i < n on the host's pool and this thread, and returns when all calls have returned.
// f must only write data indexed by i. Of several failures it throws that of the lowest index, for any
// number of threads.
template <class Function>
void for_each(uint32_t n, Function&& f) {
  struct Loop {
    Function& f;
    std::atomic<uint32_t> failed_at;
    std::mutex mutex;
    detail::Failure failure;

    void call(uint32_t i) noexcept {
      if (i > failed_at.load(std::memory_order_relaxed)) return;
      const detail::SinkScope scope(nullptr);  // a sink belongs to the thread that was called with it
      try {
        f(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i >= failed_at) return;
        failed_at = i;
        failure.capture();
      }
    }
  } loop{f, UINT32_MAX, {}, {}};
  if (detail::runtime.parallel)
    detail::runtime.parallel->for_each(
        n, +[](void* user, uint32_t i) noexcept { static_cast<Loop*>(user)->call(i); }, &loop);
  else
    for (uint32_t i = 0; i < n; ++i) loop.call(i);
  if (loop.failure) loop.failure.rethrow();
}

// Threads that the loops of this stage may use: 1 when a stage below cannot be opened concurrently.
inline uint32_t threads() { return detail::runtime.parallel ? detail::runtime.parallel->width() : 1; }

// True when the run was asked to stop, or the time is over that a stage above gave. Takes nanoseconds: poll
// it in long loops.
inline bool cancelled() { return detail::runtime.cancel && detail::runtime.cancel->requested(); }

// For a search that was interrupted and hands up the best that it has: from now on cancelled() is false,
// until the run is interrupted again; see zz_cancel.take.
inline void take_interruption() {
  if (detail::runtime.cancel && ZZ_HAS(detail::runtime.cancel, take)) detail::runtime.cancel->take();
}

// The sum of evaluations, added in order from zero: what SumStage yields.
inline Value sum(std::span<const Value> evaluations) {
  if (!detail::runtime.evaluations) throw Error(ZZ_E_UNSUPPORTED, "this host does not add evaluations");
  std::vector<zz_value*> handles;
  for (const Value& evaluation : evaluations) handles.push_back(evaluation.handle());
  zz_value* total = detail::runtime.evaluations->sum(handles.data(), static_cast<uint32_t>(handles.size()),
                                                     detail::sink());
  if (!total) detail::throw_failed_call();
  return Value::take(total);
}

// An evaluation repeated `factor` times in sequence.
inline Value scale(const Value& evaluation, double factor) {
  if (!detail::runtime.evaluations) throw Error(ZZ_E_UNSUPPORTED, "this host does not scale evaluations");
  zz_value* scaled = detail::runtime.evaluations->scale(evaluation.handle(), factor, detail::sink());
  if (!scaled) detail::throw_failed_call();
  return Value::take(scaled);
}

// The result of another program, see Stage::execute.
struct Answer {
  int64_t status = 0;  // exit code; 128 + n when signal n ended it
  std::string output;
  std::string errors;
};

// One metric of many results, NaN where it is missing, to compare them in bulk.
inline std::vector<double> metric(std::span<const Result> results, Name name) {
  std::vector<zz_value*> handles;
  for (const Result& result : results) handles.push_back(result.evaluation.handle());
  std::vector<double> column(handles.size());
  const zz_name id = name.id();
  detail::values().table(handles.data(), static_cast<uint32_t>(handles.size()), &id, 1, column.data());
  return column;
}

}  // namespace zz
#pragma GCC visibility pop
