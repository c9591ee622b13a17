// zz/testing/below.hpp - the chain below a stage under test: what it answers, and where it goes wrong.
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

// What the chain below answers to one opening: results, and then perhaps a failure.
struct Answer {
  std::vector<Result> results;
  zz_status code = ZZ_OK;
  std::string message;
};
using ChainBelow = std::function<Answer(Value ctx)>;

// A chain that yields these evaluations, whatever the context:
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

// What goes wrong below, once, at the pull with this number, counted from 1 over all openings of a run. A
// chain that throws is one whose stage does: what arrives above is a failure with the text of the
// exception.
struct Fault {
  enum Kind { none, fail, throws, cancel, end };
  Kind kind = none;
  uint32_t at = 0;
};

// Counts pulls, and says whose turn it is.
class FaultClock {
 public:
  explicit FaultClock(Fault fault) : fault_(fault) {}
  // What is to happen at this pull.
  Fault::Kind tick() {
    return fault_.kind != Fault::none && ++pulls_ == fault_.at ? fault_.kind : Fault::none;
  }
  // Whether there were enough pulls for the fault to happen.
  bool struck() const { return fault_.kind != Fault::none && pulls_ >= fault_.at; }
  bool cancelled() const { return fault_.kind == Fault::cancel && struck(); }

 private:
  Fault fault_;
  uint32_t pulls_ = 0;
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
  // One result a pull, however many are asked for: faults come in between as they would with one at a time.
  zz_status pull(zz_result* out, uint32_t cap, uint32_t& n, zz_error* err) noexcept {
    n = 0;
    const bool over = next_ == answer_.results.size();
    if (!final_) {
      const zz_status code = disturb(err);
      if (code != ZZ_OK || final_) return code;
    } else if (broken_.code != ZZ_OK) {
      return testing::fail(err, broken_.code, broken_.text);
    }
    if (!final_ && !over && cap > 0) {
      Result& result = answer_.results[next_++];
      out[n++] = {result.evaluation.release(), result.extra.release()};
      return ZZ_OK;
    }
    final_ = true;
    if (answer_.code == ZZ_OK || broken_.code != ZZ_OK) return ZZ_OK;
    return break_with(answer_.code, answer_.message, err);
  }
  zz_status disturb(zz_error* err) noexcept {
    switch (clock_.tick()) {
      case Fault::fail:
        return break_with(ZZ_E_INVALID, "a failure on purpose", err);
      case Fault::throws: {
        const zz_status code = detail::guarded(err, [] { throw std::runtime_error("thrown on purpose"); });
        final_ = true, broken_ = {code, "thrown on purpose"};
        return code;
      }
      case Fault::cancel:
        return break_with(ZZ_E_CANCELLED, "interrupted", err);
      case Fault::end:
        answer_ = {};
        next_ = 0;
        final_ = true;
        return ZZ_OK;
      default:
        return ZZ_OK;
    }
  }
  zz_status break_with(zz_status code, const std::string& text, zz_error* err) noexcept {
    final_ = true;
    broken_ = {code, text};
    return testing::fail(err, code, text);
  }

  Answer answer_;
  FaultClock& clock_;
  std::size_t next_ = 0;
  bool final_ = false;
  zz_error broken_;
};

}  // namespace testing
}  // namespace zz
#pragma GCC visibility pop
