#include "tests/unit/search/fused/einsums.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "core/hardware/memories_in_common.hpp"
#include "tests/unit/worlds/accelerators.hpp"

namespace zz::test {
namespace {

std::vector<std::string> upper(const std::string& letters) {
  std::vector<std::string> names;
  for (const char letter : letters) names.emplace_back(1, static_cast<char>(letter - 'a' + 'A'));
  return names;
}

std::string brackets(const std::string& letters) {
  std::string text;
  for (const char letter : letters) text += std::string("[") + letter + "]";
  return text;
}

/// Bits of elements, and a buffer that holds little, some or all.
void finish(RandomGroup& group, std::mt19937_64& random, bool registers) {
  EinsumNetwork& network = group.network;
  const auto one_of = [&](std::vector<std::int64_t> choices) { return choices[random() % choices.size()]; };
  network.bits = 8;
  network.sum_bits = random() % 3 == 0 ? 16 : 8;
  std::int64_t elements = 0;
  for (const Einsum& einsum : network.einsums) {
    std::int64_t of_output = 1;
    for (const char letter : einsum.output.second) of_output *= network.size(einsum, letter);
    elements = std::max(elements, of_output);
  }
  group.unit.word = network.bits;
  group.unit.buffer_bits = 8 * one_of({6, 8, 10, 12, 16, 24, 32, 2 * elements, 4 * elements});
  group.unit.dram_read = static_cast<double>(one_of({1, 10}));
  group.unit.dram_write = static_cast<double>(one_of({1, 12}));
  if (random() % 2 == 0) group.unit.buffer_read = group.unit.buffer_write = 0.25;
  if (registers) group.unit.register_bits = 16 * one_of({1, 2, 4});
}

}  // namespace

core::Workload workload(const EinsumNetwork& network) {
  core::Workload workload;
  workload.name = network.kind;
  std::map<std::string, std::int64_t> writer;
  for (const Einsum& einsum : network.einsums) {
    auto layer = std::make_shared<core::Layer>();
    layer->id = static_cast<std::int64_t>(workload.node_order.size());
    layer->name = einsum.name;
    layer->type = "MatMul";
    layer->mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
    layer->final_output_precision = network.bits;
    std::string letters = einsum.output.second;
    for (const auto& [tensor, of] : einsum.inputs)
      for (const char letter : of)
        if (letters.find(letter) == std::string::npos) letters += letter;
    for (const char letter : letters)
      layer->loops.push_back({upper(std::string(1, letter)).front(), network.size(einsum, letter)});
    layer->operands = {{"O", upper(einsum.output.second), network.sum_bits, false, {}}};
    const auto blocks_of = [&](const std::string& of) {
      core::BlockScale blocks = network.block;
      if (blocks.any()) blocks.along = upper(std::string(1, EinsumNetwork::block_letter(of))).front();
      return blocks;
    };
    layer->final_output_scale = blocks_of(einsum.output.second);
    layer->equation = "O" + brackets(einsum.output.second) + " = ";
    for (std::size_t input = 0; input < 2; ++input) {
      const bool there = input < einsum.inputs.size();
      const std::string of = there ? einsum.inputs[input].second : einsum.inputs[0].second;
      core::LayerOperand operand{input == 0 ? "I" : "W", upper(of), there ? network.bits : 0, false, {}};
      if (there) operand.scale = blocks_of(of);
      if (const Window& window = einsum.window; window.filter != 0 && input == 0) {
        const std::string rows = upper(std::string(1, window.rows)).front();
        std::replace(operand.dimensions.begin(), operand.dimensions.end(), rows, std::string("Z"));
        const std::int64_t behind = window.stride * (network.size(einsum, window.rows) - 1) +
                                    network.sizes.at(window.filter) - window.padding - window.data;
        layer->relations = {{"Z", window.stride, rows, 1, upper(std::string(1, window.filter)).front(),
                             window.data, window.padding, std::max<std::int64_t>(behind, 0), true}};
      }
      layer->equation += (input == 0 ? "I" : " * W") + brackets(of);
      const auto from = there ? writer.find(einsum.inputs[input].first) : writer.end();
      if (from != writer.end()) {
        operand.sources = {from->second};
        workload.edges.emplace_back(from->second, layer->id);
      } else {
        operand.constant = there;
      }
      layer->operands.push_back(operand);
    }
    writer[einsum.output.first] = layer->id;
    workload.node_order.push_back(layer->id);
    workload.layers.push_back(layer);
    if (einsum.added.empty()) continue;
    core::PassThroughNode addition;
    addition.id = layer->id + 1;
    addition.name = einsum.name + "/add";
    addition.type = "add";
    for (const std::string& tensor : einsum.added) addition.sources.push_back(writer.at(tensor));
    addition.sources.push_back(layer->id);
    for (const std::int64_t source : addition.sources) workload.edges.emplace_back(source, addition.id);
    workload.node_order.push_back(addition.id);
    writer[einsum.output.first] = addition.id;
    workload.pass_through.push_back(std::move(addition));
  }
  return workload;
}

core::Accelerator accelerator(const BufferedUnit& sizes) {
  const std::vector<std::string> all = {"I1", "I2", "O"};
  std::vector<core::Memory> memories;
  if (sizes.register_bits > 0) {
    for (const std::string& operand : all) {
      memories.push_back(one_port_memory("register_" + operand, sizes.register_bits, {operand}, {"D1"},
                                         sizes.word, sizes.word));
      memories.back().read_cost = memories.back().write_cost = 0.125;
    }
  }
  std::vector<std::string> in_buffer = all;
  if (sizes.accumulator_bits > 0) {
    memories.push_back(
        one_port_memory("accumulator", sizes.accumulator_bits, {"O"}, {"D1"}, sizes.word, sizes.word));
    memories.back().read_cost = memories.back().write_cost = 0.125;
    memories.back().moves_to = "buffer";
    in_buffer = {"I1", "I2"};
  }
  memories.push_back(
      one_port_memory("buffer", sizes.buffer_bits, in_buffer, {"D1"}, sizes.word, sizes.word));
  memories.back().read_cost = sizes.buffer_read * static_cast<double>(sizes.word);
  memories.back().write_cost = sizes.buffer_write * static_cast<double>(sizes.word);
  if (sizes.store_bits > 0) {
    memories.push_back(one_port_memory("store", sizes.store_bits, all, {"D1"}, sizes.word, sizes.word));
    memories.back().read_cost = memories.back().write_cost =
        sizes.store_access * static_cast<double>(sizes.word);
  }
  memories.push_back(one_port_memory("dram", std::int64_t{1} << 45, all, {"D1"}, sizes.word, sizes.word));
  memories.back().read_cost = sizes.dram_read * static_cast<double>(sizes.word);
  memories.back().write_cost = sizes.dram_write * static_cast<double>(sizes.word);
  core::Accelerator made = accelerator_with("buffered", {1}, std::move(memories));
  made.array.unit_energy = 0;
  return made;
}

core::Accelerator vector_unit(const BufferedUnit& sizes) {
  BufferedUnit own = sizes;
  own.register_bits = 0;
  own.dram_read = 3 * sizes.dram_read;
  own.buffer_read = sizes.buffer_read + 0.5;
  if (sizes.store_bits > 0) own.buffer_bits = std::exchange(own.store_bits, 0);
  core::Accelerator made = accelerator(own);
  made.name = "unit";
  made.memories.front().name = "lanes";
  made.memories.front().shared_with = sizes.store_bits > 0 ? "store" : "buffer";
  return made;
}

core::FusedNetwork fusable(const core::Workload& workload, const core::Accelerator& accelerator,
                           core::Objective objective) {
  const auto shared = std::make_shared<const core::Accelerator>(accelerator);
  std::vector<core::NetworkLayer> layers;
  core::JointOptions options;
  options.objective = objective;
  for (const auto& layer : workload.layers)
    layers.emplace_back(
        core::mapped_alone(layer, core::find_joint_optimum(*layer, shared, options), options.objective));
  return core::fused_network(workload, std::move(layers));
}

core::FusedNetwork fusable_with_unit(const core::Workload& workload, const core::Accelerator& accelerator,
                                     const core::Accelerator& unit, core::Objective objective) {
  const auto array = std::make_shared<const core::Accelerator>(accelerator);
  const auto lanes = std::make_shared<const core::Accelerator>(unit);
  const std::vector<int> in_common = core::memories_in_common(accelerator, unit);
  std::vector<core::NetworkLayer> layers;
  core::JointOptions options;
  options.objective = objective;
  for (const auto& layer : workload.layers) {
    bool adds_up = false;
    for (int loop = 0; loop < static_cast<int>(layer->loops.size()); ++loop)
      adds_up = adds_up || layer->relevancy(0, loop) == core::Relevancy::irrelevant;
    layers.emplace_back(core::mapped_alone(
        layer, core::find_joint_optimum(*layer, adds_up ? array : lanes, options), options.objective));
    if (!adds_up) layers.back().in_common = in_common;
  }
  return core::fused_network(workload, std::move(layers));
}

RandomGroup random_group(std::uint64_t seed, bool registers) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::vector<std::int64_t> choices) { return choices[random() % choices.size()]; };
  RandomGroup group;
  EinsumNetwork& network = group.network;
  const std::vector<std::int64_t> small = {2, 2, 3, 4};
  for (const char letter : std::string("abcdefghmp")) network.sizes[letter] = one_of(small);
  network.sizes['g'] = network.sizes['h'] = network.sizes['e'] = network.sizes['f'] = 2;
  const std::string g = random() % 2 == 0 ? "g" : "";
  switch (seed % 8) {
    case 0:
      network = {"chain of two",
                 network.sizes,
                 {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                  {"second", {{"y", "mb"}, {"v", "bc"}}, {"z", "mc"}}}};
      break;
    case 1:
      for (const char letter : std::string("abcdm")) network.sizes[letter] = one_of({2, 2, 3});
      network = {"chain of three",
                 network.sizes,
                 {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                  {"second", {{"y", "mb"}, {"v", "bc"}}, {"z", "mc"}},
                  {"third", {{"z", "mc"}, {"w", "cd"}}, {"o", "md"}}}};
      break;
    case 2:
      network.sizes['m'] = one_of({2, 3});
      network.sizes['p'] = one_of({2, 3});
      network = {"attention",
                 network.sizes,
                 {{"scores", {{"q", "h" + g + "me"}, {"k", "hpe"}}, {"s", "h" + g + "mp"}},
                  {"context", {{"s", "h" + g + "mp"}, {"v", "hpf"}}, {"o", "h" + g + "mf"}}}};
      break;
    case 3:
      network.sizes['m'] = network.sizes['p'] = 2;
      network = {"attention with softmax",
                 network.sizes,
                 {{"scores", {{"q", "hme"}, {"k", "hpe"}}, {"s", "hmp"}},
                  {"softmax", {{"s", "hmp"}}, {"t", "hmp"}},
                  {"context", {{"t", "hmp"}, {"v", "hpf"}}, {"o", "hmf"}}}};
      break;
    case 4:
      for (const char letter : std::string("acm")) network.sizes[letter] = 2;
      network = {"gated feed-forward",
                 network.sizes,
                 {{"gate", {{"x", "ma"}, {"u", "ac"}}, {"y", "mc"}},
                  {"up", {{"x", "ma"}, {"v", "ac"}}, {"z", "mc"}},
                  {"product", {{"y", "mc"}, {"z", "mc"}}, {"t", "mc"}}}};
      break;
    case 5:
      network.sizes['m'] = network.sizes['p'] = network.sizes['a'] = 2;
      network.sizes['f'] = one_of({2, 3});
      network = {"attention with values",
                 network.sizes,
                 {{"values", {{"x", "pa"}, {"w", "af"}}, {"v", "pf"}},
                  {"scores", {{"q", "me"}, {"k", "pe"}}, {"s", "mp"}},
                  {"context", {{"s", "mp"}, {"v", "pf"}}, {"o", "mf"}}}};
      break;
    case 6:
      for (const char letter : std::string("abcdm")) network.sizes[letter] = one_of({2, 2, 3});
      network = {"residual without a cost",
                 network.sizes,
                 {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                  {"second", {{"y", "mb"}, {"v", "b"}}, {"z", "mb"}, {"y"}},
                  {"third", {{"z", "mb"}, {"w", "bd"}}, {"o", "md"}}}};
      // Half of the time what is added is read by nobody else.
      if (random() % 2 == 0) network.einsums[1].inputs = {{"r", "mc"}, {"v", "cb"}};
      break;
    default:
      for (const char letter : std::string("abm")) network.sizes[letter] = one_of({2, 2, 3});
      network = {"residual",
                 network.sizes,
                 {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                  {"second", {{"y", "mb"}, {"v", "bd"}}, {"z", "md"}},
                  {"add", {{"z", "md"}, {"y", "mb"}}, {"o", "md"}}}};
      // The addition reads what the first layer writes: its columns are those of the second.
      network.einsums[1] = {"second", {{"y", "mb"}, {"v", "b"}}, {"z", "mb"}};
      network.einsums[2] = {"add", {{"z", "mb"}, {"y", "mb"}}, {"o", "mb"}};
      break;
  }
  finish(group, random, registers);
  return group;
}

RandomGroup with_store(RandomGroup group, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::vector<std::int64_t> choices) { return choices[random() % choices.size()]; };
  group.unit.store_bits = group.unit.buffer_bits * one_of({1, 2, 3, 4});
  group.unit.buffer_bits = 8 * one_of({3, 4, 6, 8, 12});
  group.unit.store_access = 0.25 * static_cast<double>(one_of({1, 2, 3}));
  return group;
}

RandomGroup random_filters(std::uint64_t seed, bool registers) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::vector<std::int64_t> choices) { return choices[random() % choices.size()]; };
  RandomGroup group;
  EinsumNetwork& network = group.network;
  const std::int64_t rows = one_of({4, 4, 6});
  const std::int64_t filter = one_of({seed % 4 == 1 ? 1 : 2, 2, 3, 3});
  network.sizes = {{'a', 2}, {'b', one_of({2, 3})}, {'c', 2}, {'r', rows}, {'f', filter}, {'g', filter}};
  const Window slides{'r', 'f', rows, 1, 1};
  const Einsum point{"first", {{"x", "ra"}, {"u", "ab"}}, {"y", "rb"}};
  switch (seed % 4) {
    case 0:
      network.kind = "filter";
      network.einsums = {point, {"second", {{"y", "rb"}, {"v", "bcf"}}, {"z", "rc"}, {}, slides}};
      break;
    case 1: {
      network.kind = "filter with a stride";
      const Window steps{'r', 'f', rows, 2, one_of({0, 1})};
      const std::map<char, std::int64_t> half = {{'r', rows / 2}};
      network.einsums = {point,
                         {"second", {{"y", "rb"}, {"v", "bf"}}, {"z", "rb"}, {}, steps, half},
                         {"third", {{"z", "rb"}, {"w", "bc"}}, {"o", "rc"}, {}, {}, half}};
      break;
    }
    case 2:
      network.kind = "two filters";
      network.sizes['b'] = 2;
      network.einsums = {{"first", {{"x", "rb"}, {"u", "bf"}}, {"y", "rb"}, {}, slides},
                         {"second", {{"y", "rb"}, {"v", "bg"}}, {"z", "rb"}, {}, {'r', 'g', rows, 1, 1}}};
      break;
    default:
      network.kind = "filter and addition";
      network.einsums = {point,
                         {"second", {{"y", "rb"}, {"v", "bf"}}, {"z", "rb"}, {"y"}, slides},
                         {"third", {{"z", "rb"}, {"w", "bc"}}, {"o", "rc"}}};
      break;
  }
  finish(group, random, registers);
  return group;
}

RandomGroup random_blocks(std::uint64_t seed, bool registers) {
  RandomGroup group = seed % 3 == 0 ? random_filters(seed, registers) : random_group(seed, registers);
  group.network.block = {8, static_cast<std::int64_t>(2 + seed % 3), ""};
  group.network.sum_bits = 16;
  group.unit.buffer_bits += group.unit.buffer_bits / 2;
  return group;
}

}  // namespace zz::test
