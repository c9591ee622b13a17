#include "core/search/temporal/mapping_check.hpp"

#include <doctest/doctest.h>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/temporal/loop_allocator.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// M 12 (2 of them unrolled), N 4 and C 3 on memories of 64 and 4096 bits.
struct Mapped {
  Layer layer = gemm(12, 4, 3);
  Accelerator accelerator = small_accelerator(64, 4096, 8);
  SpatialMapping spatial;
  TemporalMapping temporal;

  Mapped() {
    layer.mapping.spatial_mapping = {{{"D1", {{"M", 2}}}}};
    spatial = convert_spatial_mapping(layer, accelerator, {}).fractional;
    temporal = allocate_loop_order(layer, accelerator, spatial, {{"C", 3}, {"M", 6}, {"N", 4}},
                                   MappingType::uneven, {});
  }

  std::string problem() const {
    try {
      MappingCheck(layer, accelerator, spatial, {}).check(temporal);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }
};

bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("mapping check: what the allocator makes is right") { CHECK(Mapped().problem() == ""); }

TEST_CASE("mapping check: loops are exactly what remains in time") {
  Mapped less, more, other;
  less.temporal.loops[1].size = 3;
  CHECK(says(less.problem(), "temporal_mapping.loops: its entries cover 3 of the 6 iterations of M"));
  more.temporal.loops[1].size = 12;
  CHECK(says(more.problem(), "its entries ask for 12 iterations of M, of which 6 remain in time"));
  other.temporal.loops[1].dimension = "K";
  CHECK(says(other.problem(), "'K' is no loop of the layer"));
}

TEST_CASE("mapping check: no memory holds more than fits") {
  Mapped mapped;
  for (OperandTemporalMapping& operand : mapped.temporal.operands)
    operand.allocated.front() = operand.stationary.front() = 3;
  CHECK(says(mapped.problem(), "bits) is too small for"));
  CHECK(says(mapped.problem(), "it is to hold"));
}

// 16 outputs are added up in an accumulator, three operands each: 16 partial sums of 32 bits, not 16
// results of 8.
TEST_CASE("mapping check: a memory in which outputs are added up holds partial sums") {
  Mapped mapped;
  mapped.layer = gemm(4, 4, 3);
  mapped.layer.operands[0].precision = 32;
  mapped.layer.final_output_precision = 8;
  const auto with_accumulator = [&](std::int64_t bits) {
    mapped.accelerator = accelerator_with(
        "adding", {1},
        {memory("accumulator", bits, {"O"}, {"D1"}), memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"})});
    mapped.spatial = convert_spatial_mapping(mapped.layer, mapped.accelerator, {}).fractional;
  };
  with_accumulator(512);
  mapped.temporal = allocate_loop_order(mapped.layer, mapped.accelerator, mapped.spatial,
                                        {{"M", 4}, {"N", 4}, {"C", 3}}, MappingType::uneven, {});
  CHECK(mapped.temporal.operands[0].stationary == std::vector<int>{3, 3});
  CHECK(mapped.problem() == "");
  with_accumulator(511);
  CHECK(says(mapped.problem(), "memory 'accumulator' (511 bits) is too small for operand O"));
  CHECK(says(mapped.problem(), "it is to hold 512 bits"));
}

TEST_CASE("mapping check: cuts are there for every memory, the last at all loops") {
  Mapped mapped;
  mapped.temporal.operands[0].allocated.pop_back();
  CHECK(says(mapped.problem(), "temporal_mapping.operands[O].allocated: must have a cut for each of"));
  mapped = {};
  for (int& cut : mapped.temporal.operands[0].stationary) cut = 2;
  CHECK(says(mapped.problem(), "the topmost memory of O does not hold all loops"));
}

TEST_CASE("mapping check: unrollings stay within the loops, and every operand has the same") {
  Mapped mapped;
  for (OperandSpatialMapping& operand : mapped.spatial.operands)
    for (auto& level : operand.levels)
      for (UnrolledLoop& loop : level) loop.factor = 64;
  CHECK(says(mapped.problem(), "spatial_mapping.operands[O]: unrolls over 64 units"));
  mapped = {};
  for (auto& level : mapped.spatial.operands[1].levels) level.clear();
  CHECK(says(mapped.problem(), "unrolls M 1 times, O does so 2 times"));
}
