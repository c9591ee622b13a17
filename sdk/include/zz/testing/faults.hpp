// zz/testing/faults.hpp - runs a stage over a chain with each kind of fault at each pull.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "zz/testing/host.hpp"

#pragma GCC visibility push(hidden)
namespace zz {
namespace testing {

// Runs the stage over host.below, in which the k-th pull fails, throws, is cancelled or ends the chain, for
// every k until the stage ends before it: each with 1, 2 and 64 results asked for at a time, and closed
// after 0, 1 and 2 pulls. It checks these rules of docs/abi.md:
//   P2  the end and a failure are final
//   P3  results do not depend on how many are asked for
//   P4  close releases everything, at any moment
//   F2  a failure has words; and a cancelled chain is a cancelled stage, unless that takes the interruption
// Returns a line for each broken rule; empty when there is none.
inline std::string wrong_under_faults(Host& host, const zz_plugin& plugin, std::string_view name,
                                      std::initializer_list<Entry> settings = {},
                                      const Value& ctx = make({{"layer", nullptr}})) {
  const Value given = make(nullptr, settings);
  std::string wrong;
  const auto check = [&](bool good, const std::string& where, const char* what) {
    if (!good) wrong += where + ": " + what + "\n";
  };
  const auto run = [&](const std::string& where, Pulling pulling) {
    const int64_t before = Host::live_references();
    std::pair<std::size_t, zz_status> seen;
    {
      const Outcome outcome = host.run(plugin, name, given, ctx, pulling);
      seen = {outcome.results.size(), outcome.code};
      check(outcome.is_final, where, "another pull after the end or the failure says something else (P2)");
      check(outcome.code == ZZ_OK || !outcome.message.empty(), where, "fails without words (F2)");
    }
    check(Host::live_references() == before, where, "references are not given back (P4, O2)");
    return seen;
  };
  static constexpr std::pair<Fault::Kind, const char*> kinds[] = {{Fault::fail, "the chain below fails"},
                                                                  {Fault::throws, "the chain below throws"},
                                                                  {Fault::cancel, "the run is cancelled"},
                                                                  {Fault::end, "the chain below ends"}};
  for (const auto& [kind, text] : kinds) {
    for (uint32_t k = 1;; ++k) {
      host.fault = {kind, k};
      const std::string where = std::string(text) + " at pull " + std::to_string(k);
      const auto one = run(where, {});
      if (!host.fault_struck()) break;
      check(kind != Fault::cancel || one.second == ZZ_E_CANCELLED || host.interruption_taken(), where,
            "the stage goes on (F4)");
      for (const uint32_t cap : {2u, 64u})
        check(run(where, {cap}) == one, where, "results depend on how many are asked for (P3)");
      for (const uint32_t most : {0u, 1u, 2u}) run(where + ", closed early", {1, most});
    }
  }
  host.fault = {};
  return wrong;
}

}  // namespace testing
}  // namespace zz
#pragma GCC visibility pop
