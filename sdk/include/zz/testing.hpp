// zz/testing.hpp - unit tests of a stage with the SDK alone: a host in memory, and a chain below the stage
// that the test defines, with or without faults.
//
//   zz::testing::Host host;
//   host.below = zz::testing::evaluations({{{"edp", 3.0}}, {{"edp", 1.0}}});
//   const auto run = host.run(zz_plugin_v0, "KeepFirst", {{"keep", 1}});
//   CHECK(run.results.size() == 1);
//   CHECK(zz::testing::wrong_under_faults(host, zz_plugin_v0, "KeepFirst") == "");
//
// `host.below` may be any function from a context to an Answer. With `host.fault`, the k-th pull fails,
// throws, is cancelled or ends the chain. A stage that reads files gets the values of `host.inputs`:
//   host.inputs["costs.yaml"] = make(list({Literal({{"memory", "l1"}, {"read", 0.5}})}));
// Test the file, its checks and its messages with zz-host, which reads YAML. `host.chains["mapper"]` is the
// chain of a setting, like `host.below`. `host.files`, `host.log` and `host.counts` hold what the stage
// wrote, logged and counted. Values are plain trees: make and with accept any type and check nothing;
// settings and files get no defaults. Use one Host at a time; everything runs on the calling thread.
// `live_values()` counts the values that the stage has not released.
#pragma once

#include "zz/testing/below.hpp"   // chains
#include "zz/testing/faults.hpp"  // every fault at every pull
#include "zz/testing/host.hpp"    // the host
