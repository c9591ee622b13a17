// zz/testing/below.hpp - the chain below a stage under test: its answers and its faults.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "zz/stage.hpp"
#include "zz/testing/values.hpp"

#pragma GCC visibility push(hidden)
namespace zz {
namespace testing {

// The answer of the chain below to one opening: results, and then a failure if there is one.
struct Answer {
  std::vector<Result> results;
  zz_status code = ZZ_OK;
  std::string message;
};
using ChainBelow = std::function<Answer(Value ctx)>;

// A chain that yields these evaluations for every context:
//   host.below = zz::testing::evaluations({{{"edp", 3.0}}, {{"edp", 1.0}}});
inline ChainBelow evaluations(std::initializer_list<std::initializer_list<Entry>> list) {
  std::vector<Value> values;
  for (const auto& metrics : list) values.push_back(make("evaluation", metrics));
  return [values](Value) {
    Answer answer;
    for (const Value& value : values) answer.results.emplace_back(value);
    return answer;
  };
}

// A fault of the chain below, at the pull with this number, counted from 1 over all openings. In a chain
// that throws, a stage throws; the stage under test gets a failure with the text of the exception.
struct Fault {
  enum Kind { none, fail, throws, cancel, end };
  Kind kind = none;
  uint32_t at = 0;
};

// Counts pulls and decides which one has the fault.
class FaultClock {
 public:
  explicit FaultClock(Fault fault) : fault_(fault) {}
  // The fault of this pull.
  Fault::Kind tick() {
    return fault_.kind != Fault::none && ++pulls_ == fault_.at ? fault_.kind : Fault::none;
  }
  // True if there were enough pulls for the fault to happen.
  bool struck() const { return fault_.kind != Fault::none && pulls_ >= fault_.at; }
  // True after the fault `cancel`, until the stage takes the interruption.
  bool cancelled() const { return fault_.kind == Fault::cancel && struck() && !taken_; }
  void take() { taken_ = taken_ || cancelled(); }
  bool taken() const { return taken_; }

 private:
  Fault fault_;
  uint32_t pulls_ = 0;
  bool taken_ = false;
};

// The stream of one opening.
class Answering {
 public:
  static zz_stream open(Answer answer, FaultClock& clock) {
    return {new Answering(std::move(answer), clock), &pull,
            [](zz_stream* stream) noexcept { delete static_cast<Answering*>(stream->impl); }, nullptr};
  }

 private:
  Answering(Answer answer, FaultClock& clock) : answer_(std::move(answer)), clock_(clock) {}

  static zz_status pull(zz_stream* stream, zz_result* out, uint32_t cap, uint32_t* n,
                        zz_error* err) noexcept {
    return static_cast<Answering*>(stream->impl)->pull(out, cap, *n, err);
  }
  // Counts each result as one pull, so that the outcome does not depend on how many are asked for.
  zz_status pull(zz_result* out, uint32_t cap, uint32_t& n, zz_error* err) noexcept {
    n = 0;
    if (over_) return broken_.code == ZZ_OK ? ZZ_OK : testing::fail(err, broken_.code, broken_.text);
    while (n < cap && (n == 0 || next_ < answer_.results.size())) {
      if (pending_ == Fault::none) pending_ = clock_.tick();
      if (pending_ != Fault::none) return n > 0 ? ZZ_OK : strike(err);
      if (next_ == answer_.results.size()) return end_with(answer_.code, answer_.message, err);
      Result& result = answer_.results[next_++];
      out[n++] = {result.evaluation.release(), result.extra.release()};
    }
    return ZZ_OK;
  }
  zz_status strike(zz_error* err) noexcept {
    if (pending_ == Fault::fail) return end_with(ZZ_E_INVALID, "a failure on purpose", err);
    if (pending_ == Fault::cancel) return end_with(ZZ_E_CANCELLED, "interrupted", err);
    if (pending_ == Fault::end) return end_with(ZZ_OK, "", err);
    const char* const text = "thrown on purpose";
    return end_with(detail::guarded(err, [&] { throw std::runtime_error(text); }), text, err);
  }
  zz_status end_with(zz_status code, const std::string& text, zz_error* err) noexcept {
    over_ = true;
    broken_ = {code, text};
    return code == ZZ_OK ? ZZ_OK : testing::fail(err, code, text);
  }

  Answer answer_;
  FaultClock& clock_;
  std::size_t next_ = 0;
  Fault::Kind pending_ = Fault::none;
  bool over_ = false;
  zz_error broken_;
};

}  // namespace testing
}  // namespace zz
#pragma GCC visibility pop
