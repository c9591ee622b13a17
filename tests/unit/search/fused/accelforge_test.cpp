#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/search/fused/fused_search.hpp"
#include "core/search/methods/processor_time.hpp"
#include "tests/unit/search/fused/einsums.hpp"
#include "tests/unit/worlds/layers.hpp"

/// Side by side with AccelForge, and with brute force that was recorded. Both are beside the checkout, or
/// the tests say that they were skipped.
namespace zz {
namespace {

const std::string folder = ZZ_SOURCE_DIR "/../shared/oracle/accelforge/";

nlohmann::json recorded(const std::string& file) {
  std::ifstream in(folder + file);
  return nlohmann::json::parse(in);
}

bool skipped(const std::string& file) {
  const bool there = std::filesystem::exists(folder + file);
  if (!there) MESSAGE("skipped: ", folder + file, " is not there");
  return !there;
}

std::string letters(const nlohmann::json& list) {
  std::string text;
  for (const auto& letter : list) text += letter.get<std::string>();
  return text;
}

test::EinsumNetwork network_of(const nlohmann::json& recorded) {
  test::EinsumNetwork network;
  network.kind = recorded["kind"];
  network.bits = network.sum_bits = recorded["bits"];
  for (const auto& [letter, size] : recorded["sizes"].items()) network.sizes[letter.front()] = size;
  for (const auto& einsum : recorded["einsums"]) {
    test::Einsum made{einsum["name"], {}, {einsum["out"][0], letters(einsum["out"][1])}};
    for (const auto& input : einsum["in"]) made.inputs.emplace_back(input[0], letters(input[1]));
    network.einsums.push_back(made);
  }
  return network;
}

/// A transformer layer as AccelForge has it: norms, residual additions and rotary positions are left out.
/// With cached tokens, keys and values are read from the cache, and the new ones are written.
test::EinsumNetwork transformer(bool gated, std::int64_t queries_of_head, std::int64_t heads,
                                std::int64_t hidden, std::int64_t inner, std::int64_t tokens,
                                std::int64_t cached) {
  test::EinsumNetwork network;
  network.bits = network.sum_bits = 16;
  network.sizes = {{'m', tokens},
                   {'p', cached > 0 ? cached : tokens},
                   {'n', tokens},
                   {'h', heads},
                   {'g', queries_of_head},
                   {'e', 128},
                   {'f', 128},
                   {'d', hidden},
                   {'z', hidden},
                   {'c', inner},
                   {'o', hidden}};
  // With cached tokens, scores and context read off-chip data of which the new part is small.
  const std::string made = cached > 0 ? "n" : "p";
  const std::string key = cached > 0 ? "cached_k" : "k", value = cached > 0 ? "cached_v" : "v";
  network.einsums = {{"V", {{"x", made + "d"}, {"wv", "dhf"}}, {"v", "h" + made + "f"}},
                     {"K", {{"x", made + "d"}, {"wk", "dhe"}}, {"k", "h" + made + "e"}},
                     {"Q", {{"x", "md"}, {"wq", "dhge"}}, {"q", "hgme"}},
                     {"QK", {{"q", "hgme"}, {key, "hpe"}}, {"s", "hgmp"}},
                     {"QK_softmax", {{"s", "hgmp"}}, {"t", "hgmp"}},
                     {"AV", {{"t", "hgmp"}, {value, "hpf"}}, {"a", "hgmf"}},
                     {"Z", {{"a", "hgmf"}, {"wz", "hgfz"}}, {"z", "mz"}}};
  const auto add = [&](test::Einsum einsum) { network.einsums.push_back(std::move(einsum)); };
  // The input is copied to the chip; where it stays off chip that would be free, and is left out.
  if (cached > 0) network.einsums.insert(network.einsums.begin(), {"I", {{"i", "nd"}}, {"x", "nd"}});
  if (gated) {
    add({"FFG", {{"z", "mz"}, {"w1", "zc"}}, {"fg", "mc"}});
    add({"FFU", {{"z", "mz"}, {"w2", "zc"}}, {"fu", "mc"}});
    add({"FFH", {{"fg", "mc"}, {"fu", "mc"}}, {"fh", "mc"}});
    add({"FFB", {{"fh", "mc"}, {"w3", "co"}}, {"y", "mo"}});
  } else {
    add({"FFA", {{"z", "mz"}, {"w1", "zc"}}, {"fa", "mc"}});
    add({"FFB", {{"fa", "mc"}, {"w3", "co"}}, {"y", "mo"}});
  }
  return network;
}

test::EinsumNetwork products(int count, std::int64_t rows, std::int64_t width) {
  test::EinsumNetwork network;
  network.sizes['m'] = rows;
  for (int i = 0; i < count; ++i) {
    const std::string in(1, static_cast<char>('a' + i)), out(1, static_cast<char>('b' + i));
    network.sizes[in.front()] = network.sizes[out.front()] = width;
    network.einsums.push_back({"Matmul" + std::to_string(i),
                               {{"t" + in, "m" + in}, {"w" + in, in + out}},
                               {"t" + out, "m" + out}});
  }
  return network;
}

/// Two inverted residuals of MobileNetV2 without their additions: 28 x 28, 24 channels inside of which
/// there are 192.
core::Workload inverted_residuals() {
  test::NetworkBuilder builder;
  const auto add = [&](std::int64_t id, test::ConvSizes sizes) {
    sizes.oy = sizes.ox = sizes.iy = sizes.ix = 28;
    core::Layer layer = test::conv_layer(id, sizes, id - 1);
    layer.operands[0].precision = 8;
    builder.add(layer);
  };
  for (const std::int64_t first : {0, 3}) {
    add(first, {.k = 192, .c = 24});
    add(first + 1, {.g = 192, .fy = 3, .fx = 3, .padding = 1});
    add(first + 2, {.k = 24, .c = 192});
  }
  return builder.workload();
}

}  // namespace

TEST_CASE("fused: two inverted residuals move what AccelForge's do, but no rows of padding") {
  const core::FusedNetwork network =
      test::fusable(inverted_residuals(), test::accelerator({8LL * 65536, 8}));
  const core::FusedOptimum found = core::find_fused_mapping(network, {});
  CHECK(found.value == 476160);
  CHECK(found.lower_bound == found.value);
  CHECK(found.unfused == 10411008);
}

TEST_CASE("fused: as recorded from brute force and from the prototype") {
  if (skipped("own_cases.json")) return;
  int equal = 0;
  const nlohmann::json cases = recorded("own_cases.json");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& recorded_case = cases[i];
    const std::string name = recorded_case["name"];
    CAPTURE(name);
    const test::EinsumNetwork network = network_of(recorded_case);
    const auto& given = recorded_case["accelerator"];
    const core::FusedNetwork fusable = test::fusable(
        test::workload(network),
        test::accelerator({given["capacity_bits"], network.bits, given["dram_read"], given["dram_write"],
                           given["buffer_read"], given["buffer_write"]}));
    const core::FusedOptimum found = core::find_fused_mapping(fusable, {});
    CHECK(found.value == doctest::Approx(recorded_case["fused_energy"].get<double>()).epsilon(1e-9));
    CHECK(found.unfused == doctest::Approx(recorded_case["unfused_energy"].get<double>()).epsilon(1e-9));
    CHECK(found.lower_bound == found.value);
    ++equal;
  }
  CHECK(equal == 28);
}

/// Where sums spill, ZigZag's model reads as many back as it writes, and AccelForge leaves the first ones
/// out. The values by zz's rule are those of the README beside the runs.
TEST_CASE("fused: AccelForge's optima, side by side" * doctest::skip()) {
  if (skipped("runs.json")) return;
  int compared = 0;
  const nlohmann::json runs = recorded("runs.json");
  for (const auto& run : runs["runs"]) {
    const std::string name = run["name"];
    // Inverted residuals are above, and a setting that looks at one loop is no optimum.
    if (name == "mobilenet_28" || (run["fused"] && !run["max_fused_loops"].is_null())) continue;
    test::EinsumNetwork network;
    if (name == "gpt3_6.7B_2048") network = transformer(false, 1, 32, 4096, 16384, 2048, 0);
    if (name == "llama3_8B_2048") network = transformer(true, 4, 8, 4096, 14336, 2048, 0);
    if (name == "llama3_8B_decode2048") network = transformer(true, 4, 8, 4096, 14336, 1, 2048);
    if (name == "mm2_64_inf") network = products(2, 64, 64);
    if (name == "mm3_128") network = products(3, 128, 128);
    REQUIRE(!network.einsums.empty());
    const bool limited = !run["buffer_bytes"].is_null();
    const std::int64_t bits = limited ? 8 * run["buffer_bytes"].get<std::int64_t>() : std::int64_t{1} << 40;
    CAPTURE(name);
    CAPTURE(bits);
    const core::FusedNetwork fusable =
        test::fusable(test::workload(network), test::accelerator({bits, network.bits}));
    double expected = run["offchip_bits"];
    const bool fused = run["fused"];
    CAPTURE(fused);
    core::FusedOptions options;
    options.limits.gap = name == "llama3_8B_2048" ? 0.01 : 0;
    const core::ProcessorTime time;
    const core::FusedOptimum found = core::find_fused_mapping(fusable, options);
    MESSAGE(time.seconds(), " s; ", name, " ", bits, " bits: ", found.value, ", bound ", found.lower_bound,
            ", ", found.labels, " labels");
    if (fused && name == "gpt3_6.7B_2048" && bits == 8LL * 8388608) expected = 11408506880.0;
    if (fused && name == "mm3_128" && bits == 60000) expected = 1966080;
    if (fused && name == "mm3_128" && bits == 30000) expected = 2752512;
    CHECK((fused ? found.value : found.unfused) == doctest::Approx(expected).epsilon(1e-12));
    CHECK(found.gap() <= options.limits.gap);
    ++compared;
  }
  CHECK(compared == 11);
}

/// 2,048 tokens, as 2,052 with a last tile that is smaller than the others.
TEST_CASE("fused: a Llama layer takes less where tiles need not divide it" * doctest::skip()) {
  const test::EinsumNetwork network = transformer(true, 4, 8, 4096, 14336, 2048, 0);
  const core::FusedNetwork fusable =
      test::fusable(test::workload(network), test::accelerator({std::int64_t{1} << 24, network.bits}));
  core::FusedOptions options;
  options.limits.gap = 0.01;
  options.limits.bytes = std::size_t{1} << 31;
  const core::FusedOptimum even = core::find_fused_mapping(fusable, options);
  options.enlarge = 0.01;
  const core::FusedOptimum uneven = core::find_fused_mapping(fusable, options);
  MESSAGE(even.value, ", bound ", even.lower_bound, "; uneven: ", uneven.value, ", bound ",
          uneven.lower_bound);
  CHECK(uneven.network.lengths == std::pair<std::int64_t, std::int64_t>(2048, 2052));
  CHECK(uneven.value < even.lower_bound);
  CHECK(uneven.gap() <= options.limits.gap);
}

}  // namespace zz
