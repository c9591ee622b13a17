// Stages of a library, whatever language they are written in, run in the in-memory host of zz/testing.hpp.
//   zz-rust-in-memory-test RUST.so
#include <cstdio>
#include <dlfcn.h>
#include <string>

#include "zz/testing.hpp"

namespace {

int failures = 0;

void expect(const std::string& found, const std::string& wanted) {
  if (found == wanted) return;
  std::printf("found:    %s\nexpected: %s\n", found.c_str(), wanted.c_str());
  ++failures;
}

// The sum of one kind of evaluation is that evaluation here.
const zz_evaluations evaluations{
    sizeof(zz_evaluations),
    [](zz_value* const* all, uint32_t, zz_error*) noexcept { return zz::Value::share(all[0]).release(); },
    [](zz_value* one, double, zz_error*) noexcept { return zz::Value::share(one).release(); }};

}  // namespace

int main(int, char** arguments) {
  void* const library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  const void* const symbol = library ? dlsym(library, ZZ_PLUGIN_SYMBOL) : nullptr;
  if (!symbol) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  const auto& plugin = *static_cast<const zz_plugin*>(symbol);
  zz::testing::Host host;
  host.extensions[ZZ_EVALUATIONS] = &evaluations;
  const int64_t before = zz::testing::Host::live_references();
  const auto run = [&](const char* prices) {
    host.inputs["prices.yaml"] = zz::make(zz::list({zz::Literal({{"memory", "l1"}, {"read", 0.5}}),
                                                    zz::Literal({{"memory", "dram"}, {"read", 2.0}})}));
    host.inputs["rows"] = zz::make(zz::list({1, 2}));
    return host.run(plugin, "RustServicesStage", {{"prices", prices}, {"panics_in", ""}});
  };
  host.program = [](std::span<const std::string> command, std::string_view input) {
    return zz::Answer{0, command[0] + " of " + std::string(input), ""};
  };
  host.chosen = [](zz::Ref, zz::Ref file) -> zz::Value {
    throw zz::Error(ZZ_E_TYPE, "no entries in " + file.json());
  };
  host.allocated = [](const zz::Value&, zz::Ref order) { return zz::make(zz::list({order.at(1)})); };
  host.wrong_with = [](const zz::Value&, zz::Ref mapping) { return "no room for " + mapping.at(0).json(); };
  expect(run("prices.yaml").message, "");
  expect(host.files["out/prices.json"],
         R"({"names": ["l1", "dram"], "total": [5], "said": "tr of loud", "mapped": "no room for 2", )"
         R"("chosen": "no entries in [1, 2]"})");
  expect(host.tables["prices"].json(), R"({"columns": ["memory", "price"], "rows": [1, 2]})");
  expect(host.log, "2 prices\n");
  expect(std::to_string(host.counts["prices"]), "2");
  expect(run("costs.yaml").message,
         "costs.yaml: error: the inputs of this host have no such file; known: prices.yaml, rows");
  host.wrong_with = nullptr;
  expect(run("prices.yaml").message, "this host does not offer that");
  host.inputs.clear();
  host.tables.clear();
  expect(std::to_string(zz::testing::Host::live_references() - before), "0");
  return failures;
}
