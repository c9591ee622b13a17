#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>

#include "host/chain/place.hpp"
#include "zz/stage_abi.h"

#include "tools/check_plugin/fake_chain.hpp"
#include "tools/check_plugin/findings.hpp"
#include "tools/check_plugin/reference_ledger.hpp"

namespace zz::host {

/// Doings of a stage with contexts.
struct ContextUse {
  std::set<std::string> read;                 ///< keys that it asked for, each the first step of a path
  std::map<std::string, core::Value> handed;  ///< set for the chain below
  std::set<std::string> visible;              ///< seen by the chain below, whoever set it
  bool opened_below = false;                  ///< the chain below, not one in a setting
};

/// The host as a plugin that is checked sees it: the real one, which keeps account of references, findings
/// which context keys are used, and has a made-up chain below. There is one per process.
class CheckingHost {
 public:
  explicit CheckingHost(Findings& findings);
  ~CheckingHost();
  CheckingHost(const CheckingHost&) = delete;
  CheckingHost& operator=(const CheckingHost&) = delete;

  /// The table that `init` and `create` are given.
  const zz_host& table() const { return table_; }

  /// Contexts that the plugin looks at, so that reading from them can be told from reading elsewhere.
  void know_context(zz_ref ref);
  bool is_context_ref(zz_ref ref) const;
  /// Remembers which keys of a context were set by the stage.
  void note_handed_down(const core::Value& context);

  Findings& findings;
  ReferenceLedger ledger;
  FakeChain below;
  ContextUse use;
  zz_place* place = nullptr;     ///< of the stage that is checked
  bool backwards_loops = false;  ///< loops of zz.parallel/0 take their indices from the last one

 private:
  std::set<std::pair<std::uint64_t, const void*>> contexts_;
  zz_host table_;
};

}  // namespace zz::host
