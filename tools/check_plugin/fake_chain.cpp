#include "tools/check_plugin/fake_chain.hpp"

#include <fmt/format.h>

#include "core/value/read.hpp"
#include "host/base/cancellation.hpp"
#include "host/chain/stage_call.hpp"
#include "host/values/handles.hpp"

#include "tools/check_plugin/sample_values.hpp"

namespace zz::host {

struct FakeChain::Stream {
  FakeChain* chain = nullptr;
  std::string label;
  bool is_below = true;
  int given = 0;
  bool ended = false;
  FailurePointer failure;
};

std::string Plan::text() const {
  if (fault_at < 0) return fmt::format("over a chain with {} results", results);
  const std::string what = code == ZZ_OK            ? "ends"
                           : code == ZZ_E_CANCELLED ? "is cancelled"
                                                    : fmt::format("fails with the code {}", code);
  if (refuse_open && fault_at == 0) return fmt::format("over a chain that {} when it is opened", what);
  return fmt::format("over a chain that {} after {} results", what, fault_at);
}

FakeChain::~FakeChain() {
  for (Stream* stream : open_) delete stream;
  for (Stream* stream : closed_) delete stream;
}

void FakeChain::begin(const Plan& plan) {
  plan_ = plan;
  openings_ = given_ = 0;
  faulted_ = false;
  results_.clear();
}

FailurePointer FakeChain::fault(const std::string& label) {
  faulted_ = true;
  if (plan_.code == ZZ_E_CANCELLED) request_cancel();
  return make_failure(plan_.code, words, label);
}

zz_status FakeChain::open(const std::string& label, bool is_below, zz_stream* out, zz_error* error) {
  ++openings_;
  if (at_fault() && plan_.refuse_open && plan_.code != ZZ_OK) return tell_caller(fault(label), error);
  auto* stream = new Stream;
  stream->chain = this;
  stream->label = label;
  stream->is_below = is_below;
  open_.insert(stream);
  *out = {stream, pull, close, nullptr};
  return ZZ_OK;
}

zz_status FakeChain::pull(zz_stream* outer, zz_result* out, std::uint32_t cap, std::uint32_t* n,
                          zz_error* error) noexcept {
  auto* stream = outer != nullptr ? static_cast<Stream*>(outer->impl) : nullptr;
  if (n != nullptr) *n = 0;
  if (stream == nullptr || n == nullptr) {
    return tell_caller(make_failure(ZZ_E_INTERNAL, "pulled from no stream", ""), error);
  }
  FakeChain& chain = *stream->chain;
  if (chain.closed_.count(stream) != 0) {
    chain.findings_.failed("P4",
                           chain.findings_.current() + ": pulls from a stream below that it has closed");
    return tell_caller(make_failure(ZZ_E_INTERNAL, "the stream is closed", ""), error);
  }
  if (out == nullptr || cap == 0) {
    chain.findings_.failed("P1",
                           chain.findings_.current() + ": pulls from below without room for a result");
    return tell_caller(make_failure(ZZ_E_INTERNAL, "no room for a result", ""), error);
  }
  if (stream->failure != nullptr) return tell_caller(stream->failure, error);
  for (; *n < cap && !stream->ended; ++*n) {
    if (chain.at_fault()) {
      if (chain.plan_.code == ZZ_OK) {
        chain.faulted_ = stream->ended = true;
        break;
      }
      if (*n > 0) break;
      stream->failure = chain.fault(stream->label);
      return tell_caller(stream->failure, error);
    }
    if (stream->given == chain.plan_.results) {
      stream->ended = true;
      break;
    }
    zz_value* evaluation = new_handle(sample_evaluation(stream->given++));
    ++chain.given_;
    if (stream->is_below) chain.results_.push_back(core::to_json(evaluation->value.ref()));
    chain.ledger_.give(evaluation, "a pull from below");
    out[*n] = {evaluation, nullptr};
  }
  return ZZ_OK;
}

void FakeChain::close(zz_stream* outer) noexcept {
  auto* stream = outer != nullptr ? static_cast<Stream*>(outer->impl) : nullptr;
  if (stream == nullptr) return;
  FakeChain& chain = *stream->chain;
  if (chain.open_.erase(stream) != 0)
    chain.closed_.insert(stream);
  else
    chain.findings_.failed("P4", chain.findings_.current() + ": closes a stream below twice");
}

void FakeChain::settle(const std::string& when) {
  if (open_.empty()) return;
  findings_.failed("P4", fmt::format("{}: {} stream{} below still open", when, open_.size(),
                                     open_.size() == 1 ? " is" : "s are"));
  closed_.insert(open_.begin(), open_.end());
  open_.clear();
}

}  // namespace zz::host
