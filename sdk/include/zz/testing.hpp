// zz/testing.hpp - a stage's unit test, with nothing but the SDK: an in-memory host, and under the stage a
// chain that the test makes up, healthy or not.
//
//   zz::testing::Host host;
//   host.below = zz::testing::evaluations({{{"edp", 3.0}}, {{"edp", 1.0}}});
//   const auto run = host.run(zz_plugin_v0, "KeepFirst", {{"keep", 1}});
//   CHECK(run.results.size() == 1);
//   CHECK(zz::testing::wrong_under_faults(host, zz_plugin_v0, "KeepFirst") == "");
//
// `host.below` may be any function from a context to an Answer; `host.fault` lets the k-th pull of it fail,
// throw, be cancelled or end the chain. A stage that reads files finds the values of `host.inputs`:
//   host.inputs["costs.yaml"] = make(list({Literal({{"memory", "l1"}, {"read", 0.5}})}));
// A file itself, its checks and its messages are tested with zz-host, which reads YAML. Chains of stages
// that are settings are made up in `host.chains["mapper"]`, like `host.below`. What the stage writes, logs
// and counts is in `host.files`, `host.log` and `host.counts`. Values are plain trees: make and with accept
// any type and check nothing, and settings and files get no defaults. One Host at a time; everything on the
// calling thread. `live_values()` tells whether a stage gave back what it took.
#pragma once

#include "zz/testing/below.hpp"   // chains
#include "zz/testing/faults.hpp"  // every fault at every pull
#include "zz/testing/host.hpp"    // the host
