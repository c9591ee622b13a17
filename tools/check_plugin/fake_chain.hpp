#pragma once
#include <set>
#include <string>
#include <vector>

#include "host/chain/failure.hpp"
#include "zz/stage_abi.h"

#include "tools/check_plugin/findings.hpp"
#include "tools/check_plugin/reference_ledger.hpp"

namespace zz::host {

/// Plan of the made-up chain below a stage.
struct Plan {
  int results = 3;           ///< of each opening
  int fault_at = -1;         ///< results, over all openings, after which it fails; -1: never
  zz_status code = ZZ_OK;    ///< with which it fails; ZZ_OK: everything ends there
  bool refuse_open = false;  ///< the fault comes at the next opening instead of the next pull

  /// "over a chain that fails after 2 results".
  std::string text() const;
};

/// The chain below a stage that is being checked: gives made-up results, fails, ends or cancels as planned,
/// and watches how the stage uses it.
class FakeChain {
 public:
  FakeChain(ReferenceLedger& ledger, Findings& findings) : ledger_(ledger), findings_(findings) {}
  ~FakeChain();
  FakeChain(const FakeChain&) = delete;
  FakeChain& operator=(const FakeChain&) = delete;

  /// Starts afresh.
  void begin(const Plan& plan);
  /// `is_below`: as the chain below the stage, and not as one that stands in a setting of it.
  zz_status open(const std::string& label, bool is_below, zz_stream* out, zz_error* error);
  /// Tells what is still open.
  void settle(const std::string& when);

  int openings() const { return openings_; }
  int given() const { return given_; }
  bool faulted() const { return faulted_; }
  /// The evaluations that the chain below gave so far, as JSON, in their order.
  const std::vector<std::string>& results() const { return results_; }
  /// The message of its failures.
  static constexpr const char* words = "made-up failure of the chain below";

 private:
  struct Stream;
  static zz_status pull(zz_stream* stream, zz_result* out, std::uint32_t cap, std::uint32_t* n,
                        zz_error* error) noexcept;
  static void close(zz_stream* stream) noexcept;
  bool at_fault() const { return plan_.fault_at >= 0 && given_ >= plan_.fault_at; }
  FailurePointer fault(const std::string& label);

  ReferenceLedger& ledger_;
  Findings& findings_;
  Plan plan_;
  int openings_ = 0, given_ = 0;
  bool faulted_ = false;
  std::vector<std::string> results_;
  std::set<Stream*> open_, closed_;
};

}  // namespace zz::host
