#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "zz/stage_abi.h"

#include "tools/check_plugin/findings.hpp"

namespace zz::host {

/// Keeps account of the references that a plugin holds: what it was given and what it gave back. A value
/// that it knows is kept alive until the end of the account, so that a reference too few is an observation
/// instead of a crash.
///
/// [any]
class ReferenceLedger {
 public:
  explicit ReferenceLedger(Findings& findings) : findings_(findings) {}
  ReferenceLedger(const ReferenceLedger&) = delete;
  ReferenceLedger& operator=(const ReferenceLedger&) = delete;

  /// The plugin now holds one reference more. `from`: "zz_values.make".
  void give(zz_value* value, const std::string& from);
  /// The plugin hands one over. False, and told, when it holds none.
  bool take(zz_value* value, const std::string& to);
  /// The plugin may look at the value until `end_loan`.
  void lend(zz_value* value);
  void end_loan(zz_value* value);
  /// False, and told, when the plugin may not use the value any more, or never could.
  bool usable(const zz_value* value, const std::string& by);

  /// Tells what the plugin still holds, and forgets it. `when`: "after destroy".
  void settle(const std::string& when);
  /// Number of references that were given to the plugin so far.
  std::size_t given() const { return given_; }

 private:
  struct Account {
    int held = 0, lent = 0;
    std::string from;
  };
  Account& account_of(zz_value* value);
  /// Lets go of the values that the plugin may not use any more.
  void drop_the_dead();

  Findings& findings_;
  std::mutex mutex_;
  std::map<zz_value*, Account> accounts_;
  std::size_t given_ = 0;
};

}  // namespace zz::host
