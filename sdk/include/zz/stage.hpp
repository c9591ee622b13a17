// zz/stage.hpp - write a stage in C++. This header brings the whole SDK.
//
//   struct KeepFirst : zz::Stage {
//     static constexpr zz::Description description{
//         .id = "org.example.KeepFirst", .name = "KeepFirst", .summary = "Passes on the first results"};
//     int64_t keep = 1;
//     static constexpr auto params = zz::params(zz::param<&KeepFirst::keep>("keep", "how many"));
//
//     zz::Results run(zz::Value ctx) {
//       int64_t left = keep;
//       for (zz::Result& r : substage(ctx)) {
//         if (left-- <= 0) break;
//         co_yield std::move(r);
//       }
//     }
//   };
//   ZZ_PLUGIN("org.example.keep_first", KeepFirst)
//
// A stage class is default-constructed (once when the library is loaded, to read the defaults of its
// settings, and once per place in a pipeline), so its constructor must be cheap and must not use the host.
// Afterwards
//
//   Results run(Value ctx)        one iteration; or `Result run(Value ctx)`: exactly one result
//
// and optionally
//
//   description, params, consumes, provides, writes
//                                 static tables, see ports.hpp and parameters.hpp
//   void prepare()                called once, when the settings are set; may throw
//                                 Error(ZZ_E_INVALID) to refuse them
//   zz_demand demand() const      what a reducer keeps of an opening (ability "zz.stage.demand/0")
//   struct Scorer                 a leaf's fast way (ability "zz.stage.score/0"), with
//     Scorer(S& stage, Value ctx, Name vary, std::span<const Name> metrics)
//                                 may throw Error(ZZ_E_UNSUPPORTED): the host then opens per row
//     void score(Ref rows, uint32_t first, uint32_t n, double* out)
//                                 fills all of out; see zz_score in stage_abi.h
//
// Threads: with ZZ_STAGE_PARALLEL_OPEN among its flags, `run` and Scorer are called from several threads at
// once and must treat the stage's members as constant; without it, one call at a time. Each pull may come
// from another thread. Failures: whatever is thrown is caught at the boundary, see error.hpp. Ownership:
// settings are the stage's own copies; what `run` yields belongs to whoever pulls it.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "zz/chain.hpp"
#include "zz/error.hpp"
#include "zz/input.hpp"
#include "zz/make.hpp"
#include "zz/name.hpp"
#include "zz/ordered.hpp"
#include "zz/parameters.hpp"
#include "zz/ports.hpp"
#include "zz/result.hpp"
#include "zz/services.hpp"
#include "zz/value.hpp"

#pragma GCC visibility push(hidden)
namespace zz {

namespace detail {
struct Access;
}

class Stage {
 public:
  Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Starts the chain below over ctx. Throws Below.
  Substage substage(const Value& ctx, uint32_t batch = 1) const { return Substage(place_, ctx, batch); }
  // Runs the chain below over n contexts on the whole pool, results in the order of the contexts; see
  // ordered.hpp.
  template <class ContextOf>
  [[nodiscard]] Ordered<ContextOf> ordered(uint32_t n, ContextOf context_of, Progress* display = nullptr,
                                           AfterFailure after = AfterFailure::stop) const {
    return Ordered<ContextOf>(place_, n, std::move(context_of), display, after);
  }
  // For extensions that the SDK does not wrap. Null in the constructor.
  zz_place* place() const { return place_; }

  // Lines on standard error, with the name of the stage in front. [any]
  bool logs(Level level) const {
    return detail::runtime.log && detail::runtime.log->enabled(static_cast<int32_t>(level));
  }
  void log(Level level, std::string_view text) const {
    if (logs(level))
      detail::runtime.log->write(place_, static_cast<int32_t>(level), text.data(), text.size());
  }
  [[nodiscard]] Progress progress(std::string_view label, uint64_t total = 0) const {
    return Progress(place_, label, total);
  }
  // Adds to a counter of the run's summary, for example "mappings evaluated".
  void count(std::string_view what, uint64_t amount = 1) const {
    if (detail::runtime.progress) detail::runtime.progress->count(place_, what.data(), what.size(), amount);
  }
  bool cancelled() const { return zz::cancelled(); }
  // Writes a file that appears whole or not at all; creates missing folders. A relative path counts from
  // the working directory. Throws Error. [any]
  void output(std::string_view path, std::string_view text) const {
    if (!detail::runtime.output) throw Error(ZZ_E_UNSUPPORTED, "this host does not write files");
    const zz_status code = detail::runtime.output->write(place_, {path.data(), path.size()}, text.data(),
                                                         text.size(), detail::sink());
    if (code != ZZ_OK) detail::throw_last_failure<Error>(code, "a file could not be written");
  }
  // YAML files of the stage's own, see input.hpp. Throw Error with line and column of what is wrong.
  // One map with the settings of T, complete and checked; `unpack` makes a T of it.
  template <class T>
  Value read_settings(std::string_view path) const {
    return detail::read_input(place_, path, ZZ_MAP, detail::settings_of<T>());
  }
  // A list of such maps.
  template <class T>
  std::vector<T> read_rows(std::string_view path) const {
    const Value list = detail::read_input(place_, path, ZZ_LIST, detail::settings_of<T>());
    std::vector<T> rows;
    for (const Ref row : list) rows.push_back(unpack<T>(row));
    return rows;
  }
  // Anything, unchecked.
  Value read_yaml(std::string_view path) const { return detail::read_input(place_, path, ZZ_NULL, {}); }
  // f(i) for every i < n on the host's pool; see services.hpp.
  template <class Function>
  void for_each(uint32_t n, Function&& f) const {
    zz::for_each(n, std::forward<Function>(f));
  }
  // What the reducers above need from one opening of this stage; keep 0: everything.
  zz_demand demanded() const {
    zz_demand demand{};
    if (detail::runtime.demands) detail::runtime.demands->of(place_, &demand);
    return demand;
  }
  // Metrics of many candidates from the chain below: candidate i is ctx with `vary` set to row i. Nothing
  // where the chain below cannot be scored. Throws Below.
  std::optional<RowScorer> scorer(const Value& ctx, Name vary, std::span<const Name> metrics) const {
    return RowScorer::bind(place_, ctx, vary, metrics);
  }
  // True when the chain below is known to score each row over `a` as over `b`; see zz_score.same.
  bool same_scores(const Value& a, const Value& b, Name vary) const {
    const zz_score* const score = detail::runtime.score;
    return score && ZZ_HAS(score, same) && score->same(place_, a.handle(), b.handle(), vary.id()) == 1;
  }

 private:
  friend struct detail::Access;
  zz_place* place_ = nullptr;
};

}  // namespace zz
#pragma GCC visibility pop

#include "zz/plugin.hpp"
