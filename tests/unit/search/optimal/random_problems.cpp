#include "tests/unit/search/optimal/random_problems.hpp"

#include <algorithm>
#include <memory>
#include <random>

#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

namespace zz::test {

using namespace zz::core;
using namespace zz::test;

namespace {

MappingProblem problem_of(const Layer& layer, const Accelerator& accelerator, bool zigzag_compat) {
  return unrolled_problem(layer, std::make_shared<const Accelerator>(accelerator),
                          layer.mapping.spatial_mapping,
                          {.rules = rules_of(zigzag_compat ? "zigzag-3.8.5" : "")});
}

}  // namespace

void share_port(Memory& memory) {
  Port port = memory.ports.front();
  port.allocation.clear();
  for (const Port& other : memory.ports)
    port.allocation.insert(port.allocation.end(), other.allocation.begin(), other.allocation.end());
  memory.ports = {port};
}

Accelerator with_array_keys(Accelerator accelerator, ArrayKeys keys, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](auto values) { return *(values.begin() + random() % values.size()); };
  const auto operand = [&] { return pick(std::initializer_list<const char*>{"O", "I1", "I2"}); };
  const auto units = [&] {
    return pick(std::initializer_list<FoldUnits>{FoldUnits::none, FoldUnits::used, FoldUnits::whole});
  };
  if (keys != ArrayKeys::instruction) {
    accelerator.array.fold =
        ArrayFold{operand(), units(), units(), random() % 2 ? "D1" : "", random() % 3 == 0};
  }
  if (keys != ArrayKeys::fold) {
    ArrayInstruction& instruction = accelerator.array.instruction.emplace();
    instruction.operand = operand();
    instruction.along = random() % 2 ? std::vector<std::string>{"M", "OX", "OY"}
                                     : std::vector<std::string>{"C", "OY", "N", "K"};
    instruction.rows = pick(std::initializer_list<std::int64_t>{1, 2, 3, 16});
    instruction.min_cycles = pick(std::initializer_list<double>{0.0, 1.0, 2.0});
    instruction.reload_cycles = pick(std::initializer_list<double>{0.0, 3.0, 8.0});
    instruction.interval = pick(std::initializer_list<double>{0.0, 1.5, 2.75});
  }
  return accelerator;
}

MappingProblem with_array_keys(const MappingProblem& problem, ArrayKeys keys, std::uint32_t seed) {
  return unrolled_problem(
      *problem.layer,
      std::make_shared<const Accelerator>(with_array_keys(*problem.accelerator, keys, seed)),
      problem.layer->mapping.spatial_mapping, {.same_data_free = problem.options.same_data_free});
}

MappingProblem random_problem(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  Layer layer = random() % 2
                    ? gemm(pick({2, 4, 6}), pick({2, 4}), pick({2, 3, 4, 6}))
                    : convolution(pick({2, 4}), pick({1, 2}), pick({2, 4}), pick({1, 3}), pick({1, 2}));
  layer.operands[0].precision = pick({8, 16});
  Accelerator accelerator =
      small_accelerator(pick({8, 16, 64}), pick({128, 192, 256, 512, 4096}), pick({8, 16}));
  for (Memory& memory : accelerator.memories) {
    memory.read_cost = static_cast<double>(pick({1, 2, 3, 7}));
    memory.write_cost = static_cast<double>(pick({1, 2, 5}));
    if (random() % 2) share_port(memory);
  }
  if (random() % 2) {
    const std::string first = layer.loops[random() % 2].name;
    const std::int64_t factor = layer.loop_size(first) % 2 == 0 ? 2 : 1;
    if (factor > 1) layer.mapping.spatial_mapping.dimensions = {{"D1", {{first, factor}}}};
  }
  return problem_of(layer, accelerator, random() % 4 == 0);
}

void add_keys(Accelerator& accelerator, const MemoryKeys& keys, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<double> values) { return values[random() % values.size()]; };
  for (Memory& memory : accelerator.memories) {
    if (keys.shared_tiles && memory.name == "buffer") {
      const bool sums = random() % 2 == 0, one_port = memory.ports.size() == 1;
      const Memory before = memory;
      memory =
          test::memory("buffer", before.size, {"I1", "I2"}, {"D1", "D2"}, before.ports[0].bandwidth_max);
      if (sums)
        memory = test::memory("buffer", before.size, {"I1", "I2", "O"}, {"D1", "D2"},
                              before.ports[0].bandwidth_max);
      memory.read_cost = before.read_cost;
      memory.write_cost = before.write_cost;
      if (one_port) share_port(memory);
      memory.shared_tiles = true;
    }
    if (keys.tile_interval && random() % 2) memory.tile_interval = pick({1, 2.5, 7, 20});
    for (Port& port : memory.ports)
      if (keys.efficiency && random() % 2) port.efficiency = pick({0.3, 0.5, 0.85, 0.97});
    for (Port& port : memory.ports)
      if (keys.overlap && random() % 2) port.overlap = pick({0, 0.3, 0.8});
    // Mostly of the topmost memory, whose requests are long.
    const bool topmost = &memory == &accelerator.memories.back();
    for (Port& port : memory.ports) {
      if (!keys.request || random() % 4 < (topmost ? 1 : 3)) continue;
      PortRequests& request = port.request.emplace();
      request.bytes = static_cast<std::int64_t>(pick({1, 2, 3, 4, 8}));
      request.cycles = pick({0.5, 1, 2.25, 5});
      if (random() % 2) request.store = Request{static_cast<std::int64_t>(pick({1, 2, 5})), pick({1, 3})};
    }
  }
  if (keys.efficiency && !accelerator.array.imc) accelerator.array.efficiency = pick({1, 0.4, 0.8, 0.93});
  if (keys.zeros) {
    const auto does = [&] { return random() % 3 == 0 ? OnZero::gate : OnZero::skip; };
    if (random() % 4) accelerator.array.on_zero.push_back({"W", does()});
    if (random() % 4) accelerator.array.on_zero.push_back({"I", does()});
    accelerator.array.skip_together = random() % 2 == 0;
  }
  if (keys.formats) {
    for (Memory& memory : accelerator.memories) {
      for (const char* operand : {"O", "W", "I"})
        if (random() % 2) memory.formats.push_back({operand, static_cast<StoredFormat>(1 + random() % 3)});
      memory.format_quantile = pick({0.9, 0.999});
    }
  }
  for (Port& port : accelerator.memories.back().ports) {
    const bool reads =
        std::any_of(port.allocation.begin(), port.allocation.end(), [](const PortAllocation& one) {
          return one.operand != "O" && one.direction == Direction::read_to_low;
        });
    if (keys.line && reads)
      port.line = FirstTouch{static_cast<std::int64_t>(pick({1, 3, 8})), pick({2, 6.5, 20})};
  }
}

Layer with_blocks(Layer layer, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  const auto scale = [&](const LayerOperand& operand) {
    BlockScale chosen{pick({1, 2, 4, 8}), pick({2, 3, 4, 8}), ""};
    const std::string& along = operand.dimensions[random() % operand.dimensions.size()];
    const int loop = layer.loop_index(along);
    if (loop >= 0 && layer.relation_of_loop(along) < 0) chosen.along = along;
    return chosen;
  };
  layer.operands[1].precision = pick({3, 4, 8});
  if (random() % 4 != 0) layer.operands[1].scale = scale(layer.operands[1]);
  if (random() % 2 == 0) layer.operands[2].scale = scale(layer.operands[2]);
  if (random() % 2 == 0) layer.final_output_scale = scale(layer.operands[0]);
  if (random() % 4 == 0) layer.operands[0].scale = scale(layer.operands[0]);
  if (!layer.operands[1].scale.any()) layer.final_output_scale = scale(layer.operands[0]);
  // Results are nowhere wider than sums.
  if (layer.final_output_scale.any()) layer.operands[0].precision = 16;
  return layer;
}

MappingProblem problem_with_blocks(std::uint32_t seed, bool uneven) {
  const MappingProblem plain = uneven ? problem_with_uneven_rounds(seed) : random_problem(seed);
  Accelerator accelerator = *plain.accelerator;
  for (Memory& memory : accelerator.memories) memory.size += memory.size < 64 ? 24 : 0;  // for a scale
  return unrolled_problem(
      with_blocks(*plain.layer, seed), std::make_shared<const Accelerator>(std::move(accelerator)),
      plain.layer->mapping.spatial_mapping, {.same_data_free = plain.options.same_data_free});
}

Layer with_layouts(Layer layer, std::uint32_t seed) {
  std::mt19937 random(seed);
  layer.mapping.layout.clear();
  for (const LayerOperand& operand : layer.operands)
    layer.mapping.layout.push_back(
        {operand.name, {"..", operand.dimensions[random() % operand.dimensions.size()]}});
  return layer;
}

Layer with_zeros(Layer layer, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<double> values) { return values[random() % values.size()]; };
  layer.sparsity = {
      {"W", pick({0, 0.1, 0.4, 0.75, 1})}, {"I", pick({0.05, 0.3, 0.6, 0.9})}, {"O", pick({0.2, 0.7})}};
  return layer;
}

MappingProblem problem_with_keys(std::uint32_t seed, const MemoryKeys& keys) {
  const MappingProblem problem = random_problem(seed);
  Accelerator accelerator = *problem.accelerator;
  add_keys(accelerator, keys, seed);
  Layer layer = keys.request ? with_layouts(*problem.layer, seed) : *problem.layer;
  if (keys.zeros || keys.formats) layer = with_zeros(std::move(layer), seed);
  return problem_of(layer, accelerator, false);
}

MappingProblem without_memories_of_inputs(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  const Layer layer = random() % 2 ? gemm(pick({2, 4, 6}), pick({2, 4}), pick({2, 3, 4, 6}))
                                   : convolution(pick({2, 4}), pick({1, 2}), pick({2, 4}), 3, 1);
  Accelerator accelerator = small_accelerator(pick({8, 16}), 4096, pick({8, 16}));
  Accelerator small = accelerator;
  small.memories.clear();
  for (const Memory& memory : accelerator.memories) {
    const bool sums = memory.operands.size() == 1 && memory.operands.front() == "O";
    if (sums || &memory == &accelerator.memories.back()) small.memories.push_back(memory);
  }
  return problem_of(layer, small, random() % 4 == 0);
}

MappingProblem in_memory_problem(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  ImcProperties properties;
  properties.imc_type = random() % 2 ? "analog" : "digital";
  properties.activation_precision = properties.weight_precision = 8;
  properties.adc_resolution = properties.imc_type == "analog" ? 4 : 0;
  properties.bit_serial_precision = static_cast<double>(pick({1, 2, 8}));
  Layer layer = gemm(pick({2, 4, 6}), pick({4, 6}), pick({2, 4, 6}));
  layer.operands[0].precision = 16;
  layer.mapping.spatial_mapping.dimensions = {{"D1", {{"N", 2}}}, {"D2", {{"C", 2}}}};
  const Accelerator accelerator = imc_accelerator(properties, 2, 2, pick({8, 16, 64}));
  return problem_of(layer, accelerator, random() % 4 == 0);
}

MappingProblem problem_with_uneven_ports(std::uint32_t seed, bool one_narrow) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  Layer layer = random() % 2
                    ? gemm(pick({2, 4, 12}), pick({4, 16, 18}), pick({4, 6, 20}))
                    : convolution(pick({4, 12}), pick({2, 4}), pick({2, 4}), pick({1, 2}), pick({1, 2}));
  layer.operands[0].precision = pick({8, 16});
  Accelerator accelerator = small_accelerator(pick({16, 64, 256}), pick({2048, 8192, 32768}), 8);
  // Memories of single operands below the shared one: transfers that hide on different ports.
  if (random() % 4) {
    accelerator.memories.insert(accelerator.memories.begin() + 2,
                                memory("weights", pick({256, 4096}), {"I2"}, {"D1", "D2"}, 8));
  }
  if (random() % 4) {
    accelerator.memories.insert(accelerator.memories.end() - 2,
                                memory("sums", pick({256, 4096}), {"O"}, {"D1", "D2"}, 8));
  }
  const bool narrow = random() % 2;
  for (Memory& memory : accelerator.memories) {
    const bool outermost = &memory == &accelerator.memories.back();
    // About as many cycles for the tensors as for the computation.
    std::int64_t word = outermost || narrow ? pick({1, 2, 4}) : pick({2, 8, 64});
    const auto index = static_cast<std::size_t>(&memory - accelerator.memories.data());
    if (one_narrow)
      word = index == seed % accelerator.memories.size() ? std::min<std::int64_t>(word, 4) : 1024;
    if (random() % 2) share_port(memory);
    for (Port& port : memory.ports) port.bandwidth_min = port.bandwidth_max = word;
  }
  if (random() % 2) layer.mapping.spatial_mapping.dimensions = {{"D1", {{layer.loops[0].name, 2}}}};
  return problem_of(layer, accelerator, random() % 4 == 0);
}

MappingProblem problem_with_uneven_rounds(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  Layer layer = gemm(pick({2, 3, 5}), pick({3, 4, 5}), pick({3, 5, 7}));
  layer.operands[0].precision = pick({16, 32});
  Accelerator accelerator =
      small_accelerator(pick({32, 48, 64}), pick({96, 160, 256, 384, 4096}), pick({4, 8, 16}));
  for (Memory& memory : accelerator.memories) {
    memory.read_cost = static_cast<double>(pick({1, 2, 3, 7}));
    memory.write_cost = static_cast<double>(pick({1, 2, 5}));
    if (random() % 2) share_port(memory);
  }
  const std::size_t first = random() % 3, second = (first + 1 + random() % 2) % 3;
  layer.mapping.spatial_mapping.dimensions = {{"D1", {{layer.loops[first].name, 2}}},
                                              {"D2", {{layer.loops[second].name, 2}}}};
  return problem_of(layer, accelerator, random() % 4 == 0);
}

MappingProblem problem_with_dealt_ports(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  const Layer layer = gemm(pick({4, 8, 12, 16}), pick({4, 6, 8, 16}), pick({1, 1, 1, 2}));
  Accelerator accelerator = small_accelerator(8, 8, 8);
  accelerator.memories = {
      memory("buffer", pick({48, 64, 96, 160, 256}), {"I1", "I2", "O"}, {"D1", "D2"}, 8),
      accelerator.memories.back()};
  if (random() % 4 == 0)
    accelerator.memories.insert(accelerator.memories.begin(), memory("register", 16, {"I2"}, {}, 8));
  for (Memory& memory : accelerator.memories) {
    share_port(memory);
    Port other = memory.ports.front();
    other.name += " too";
    other.allocation.clear();
    Port& first = memory.ports.front();
    for (std::size_t i = first.allocation.size(); i-- > 1;) {
      const PortAllocation transfer = first.allocation[i];
      const bool sums_back = transfer.operand == "O" && transfer.direction == Direction::read_to_low;
      const bool from_above = transfer.direction == Direction::write_from_high;
      if (random() % 8 < (sums_back || from_above ? 1 : 7)) continue;
      other.allocation.push_back(transfer);
      first.allocation.erase(first.allocation.begin() + static_cast<std::ptrdiff_t>(i));
    }
    first.bandwidth_min = first.bandwidth_max = pick({1, 2, 4, 8});
    other.bandwidth_min = other.bandwidth_max = pick({1, 2, 4, 8});
    if (!other.allocation.empty()) memory.ports.push_back(other);
  }
  return problem_of(layer, accelerator, random() % 4 == 0);
}

}  // namespace zz::test
