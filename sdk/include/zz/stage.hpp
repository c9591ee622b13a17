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
//   description, params, consumes, provides, metrics, writes
//                                 static tables, see ports.hpp and parameters.hpp
//   void prepare()                called once, when the settings are set; may throw
//                                 Error(ZZ_E_INVALID) to refuse them
//   zz_demand demand() const      what a reducer keeps of an opening (ability "zz.stage.demand/0")
//   zz_limits limits() const      what results must keep to be handed up (ability "zz.stage.limits/0")
//   void check(Value ctx) const   for `zz-host check`: throws what `run` would over ctx before it opens
//                                 anything below (ability "zz.stage.check/0"); or `Value check(Value ctx)
//                                 const`, which also gives the first context for the stage below
//   Value makes() const           what it makes of its openings, a map {makes: word, ...}, or an empty
//   Value
//                                 (ability "zz.stage.makes/0"); docs/abi.md has the words
//   struct Scorer                 a leaf's fast way (ability "zz.stage.score/0"), with
//     Scorer(S& stage, Value ctx, Name vary, std::span<const Name> metrics)
//                                 may throw Error(ZZ_E_UNSUPPORTED): the host then opens per row
//     void score(Ref rows, uint32_t first, uint32_t n, double* out)
//                                 fills all of out; see zz_score in stage_abi.h
//
// Threads: with ZZ_STAGE_PARALLEL_OPEN among its flags, `run` and Scorer are called from several threads at
// once and must treat the stage's members as constant; without it, one call at a time. Each pull may come
// from another thread. Failures: the SDK catches every exception at the boundary, see error.hpp. Ownership:
// settings are copies that belong to the stage; results belong to the caller that pulls them.
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
  // Read YAML files of the stage, see input.hpp. Throw Error with line and column of the problem.
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
  // Read a text, or a file, in the format of the built-in readers: an "accelerator", a "mapping_file", a
  // "workload" (YAML; choose_entries gives its layers their mapping), or a plain tree from "yaml" or
  // "json". `name` stands for the file in messages. Throw Error with line and column of the problem. [any]
  Value parse(std::string_view type, std::string_view text, std::string_view name) const {
    if (!detail::runtime.input || !ZZ_HAS(detail::runtime.input, parse))
      throw Error(ZZ_E_UNSUPPORTED, "this host does not read texts for stages");
    return given(detail::runtime.input->parse(place_, raw(type), raw(text), raw(name), detail::sink()));
  }
  Value load(std::string_view type, std::string_view path) const {
    if (!detail::runtime.input || !ZZ_HAS(detail::runtime.input, load))
      throw Error(ZZ_E_UNSUPPORTED, "this host does not read files for stages");
    return given(detail::runtime.input->load(place_, raw(type), raw(path), detail::sink()));
  }
  // All that is in a file, of at most 256 MiB of UTF-8, or of any bytes and at most 2 GiB. A file that a
  // program brought in memory is read from there; a folder, a pipe or a device is refused. A relative path
  // counts from the working directory; that of a setting with .input_path() from the pipeline file. Throw
  // Error that names the file. [any]
  std::string text(std::string_view path) const { return content(path, true); }
  std::string bytes(std::string_view path) const { return content(path, false); }
  // A layer or workload with what a mapping file says of it, as the built-in readers choose it: each layer
  // gets the first entry with its name, else with its type, else "default". Throws Error. [any]
  Value choose_entries(Ref network, Ref mapping_file) const {
    if (!detail::runtime.input || !ZZ_HAS(detail::runtime.input, choose))
      throw Error(ZZ_E_UNSUPPORTED, "this host does not choose mapping entries for stages");
    return given(detail::runtime.input->choose(place_, network.raw(), mapping_file.raw(), detail::sink()));
  }
  // The temporal mapping of a loop order, a list of {dimension, size} from the innermost out, over the
  // layer, accelerator and spatial_mapping of ctx. Throws Error, ZZ_E_NO_RESULT when it does not fit the
  // memories. [any]
  Value allocate(const Value& ctx, Ref order, bool even = false) const {
    if (!detail::runtime.mappings) throw Error(ZZ_E_UNSUPPORTED, "this host does not allocate loop orders");
    return given(
        detail::runtime.mappings->allocate(place_, ctx.handle(), order.raw(), even, detail::sink()));
  }
  // Empty when the temporal mapping is legal over ctx. Else the problem: missing or surplus iterations, or
  // a memory that is too small. Throws Error when the mapping is of another layer. [any]
  std::string why_not(const Value& ctx, Ref mapping) const {
    if (!detail::runtime.mappings) throw Error(ZZ_E_UNSUPPORTED, "this host does not check mappings");
    const zz_status code =
        detail::runtime.mappings->check(place_, ctx.handle(), mapping.raw(), detail::sink());
    if (code == ZZ_OK) return "";
    try {
      detail::throw_last_failure<Error>(code, "the mapping cannot be");
    } catch (const Error& problem) {
      if (code == ZZ_E_NO_RESULT) return problem.what();
      throw;
    }
  }
  // Shows a table after those of the run; see zz_report in stage_abi.h. Throws Error. [any]
  void report(std::string_view title, Ref columns, Ref rows) const {
    if (!detail::runtime.report) return;
    const zz_status code =
        detail::runtime.report->table(place_, raw(title), columns.raw(), rows.raw(), detail::sink());
    if (code != ZZ_OK) detail::throw_last_failure<Error>(code, "the table cannot be shown");
  }
  // Runs a program with arguments, without a shell, and waits for it; ends it when the run is asked to
  // stop. Throws Error when it cannot be started or takes longer than `seconds`. [any]
  Answer execute(std::span<const std::string> command, std::string_view input = {},
                 std::string_view folder = {}, double seconds = 0) const {
    if (!detail::runtime.process) throw Error(ZZ_E_UNSUPPORTED, "this host does not run programs");
    std::vector<zz_str> words;
    for (const std::string& word : command) words.push_back(raw(word));
    const Value answer =
        given(detail::runtime.process->run(place_, words.data(), static_cast<uint32_t>(words.size()),
                                           raw(input), raw(folder), seconds, detail::sink()));
    return {answer["status"].i64(), std::string(answer["output"].str()),
            std::string(answer["errors"].str())};
  }
  // f(i) for every i < n on the host's pool; see services.hpp.
  template <class Function>
  void for_each(uint32_t n, Function&& f) const {
    zz::for_each(n, std::forward<Function>(f));
  }
  // Needs of the reducers above from one opening of this stage. keep 0: everything, also when a stage above
  // sets limits.
  zz_demand demanded() const {
    zz_demand demand{};
    if (detail::runtime.demands) detail::runtime.demands->of(place_, &demand);
    return demand;
  }
  // The same for a stage that knows limits. It may leave out every result beyond a limit, and of the others
  // those that the demand does not need. Without limits n is 0.
  zz_demand demanded_within(zz_limits& limits) const {
    limits = {};
    const zz_demands* const demands = detail::runtime.demands;
    if (!demands || !ZZ_HAS(demands, within)) return demanded();
    zz_demand demand{};
    demands->within(place_, &demand, &limits);
    return demand;
  }
  // Metrics of many candidates from the chain below. Candidate i is ctx with `vary` set to row i. Empty
  // when the chain below cannot be scored. Throws Below.
  std::optional<RowScorer> scorer(const Value& ctx, Name vary, std::span<const Name> metrics) const {
    return RowScorer::bind(place_, ctx, vary, metrics);
  }
  // What a stage of this kind has kept under an equal question, a map of all that decides the answer, in
  // this run or in the store; empty when there is nothing. What comes from a store is input: check it. See
  // zz_answers. Throw Error. [any]
  Value find_answer(Ref question, std::string_view store = {}) const {
    if (!detail::runtime.answers) return {};
    zz_value* found = nullptr;
    const zz_status code =
        detail::runtime.answers->find(place_, question.raw(), raw(store), &found, detail::sink());
    if (code != ZZ_OK) detail::throw_last_failure<Error>(code, "answers cannot be looked up");
    return Value::take(found);
  }
  // Keeps a plain tree; objects within become maps.
  void keep_answer(Ref question, Ref answer, std::string_view store = {}) const {
    if (!detail::runtime.answers) return;
    const zz_status code =
        detail::runtime.answers->keep(place_, question.raw(), answer.raw(), raw(store), detail::sink());
    if (code != ZZ_OK) detail::throw_last_failure<Error>(code, "the answer cannot be kept");
  }
  // True when the chain below is known to score each row over `a` as over `b`; see zz_score.same.
  bool same_scores(const Value& a, const Value& b, Name vary) const {
    const zz_score* const score = detail::runtime.score;
    return score && ZZ_HAS(score, same) && score->same(place_, a.handle(), b.handle(), vary.id()) == 1;
  }

 private:
  friend struct detail::Access;
  static zz_str raw(std::string_view text) { return {text.data(), text.size()}; }
  std::string content(std::string_view path, bool is_text) const {
    const zz_input* const input = detail::runtime.input;
    if (!input || !ZZ_HAS(input, bytes))
      throw Error(ZZ_E_UNSUPPORTED, "this host does not read whole files for stages");
    const auto read = is_text ? input->text : input->bytes;
    return std::string(given(read(place_, raw(path), detail::sink())).str());
  }
  static Value given(zz_value* value) {
    if (!value) detail::throw_failed_call();
    return Value::take(value);
  }
  zz_place* place_ = nullptr;
};

}  // namespace zz
#pragma GCC visibility pop

#include "zz/plugin.hpp"
