#include "tests/unit/worlds/tiny_networks.hpp"

#include <utility>

#include "tests/unit/worlds/searches.hpp"

namespace zz::test {

TinyNetwork::TinyNetwork(TinyKind kind, core::RandomNumbers& random, int most_layers)
    : kind_(kind), random_(random) {
  const bool on_four = kind != TinyKind::shared_memories && below(2) == 1;
  name_ = kind == TinyKind::shared_memories ? "shared_buffer_dual_core"
          : on_four                         ? "systolic_quad_core"
                                            : "heterogeneous_dual_core";
  products_ = on_four ? std::vector<std::int64_t>{0, 3} : std::vector<std::int64_t>{0, 1};
  simd_ = on_four ? 5 : 2;
  samples_ = kind == TinyKind::samples ? 2 + below(2) : 1;
  const bool are_products = below(2) == 0;
  const int layers = kind == TinyKind::two_readers ? most_layers : 2 + below(most_layers - 1);
  are_products ? products(layers) : filters(layers);
}

core::MultiCoreAccelerator TinyNetwork::accelerator() const {
  return accelerator_of(ZZ_SOURCE_DIR "/configs/accelerators/" + name_ + ".yaml");
}

void TinyNetwork::add(core::Layer layer) {
  layer.mapping.core_allocation = layer.type == "add" ? std::vector<std::int64_t>{simd_} : products_;
  if (layer.operands[2].sources == std::vector<std::int64_t>{-1}) {
    layer.operands[2].sources.clear();
    layer.operands[2].constant = true;
    layer.source_order = {2, 1};
  }
  network_.add(std::move(layer));
}

/// In a row, or the last one beside the one before it.
void TinyNetwork::products(int layers) {
  const std::int64_t rows = one_of({2, 3, 4});
  std::int64_t columns = one_of({8, 16, 32}), before = columns;
  for (int id = 0; id < layers; ++id) {
    const std::int64_t next = one_of({6, 8, 16, 64});
    const bool beside = id == layers - 1 && kind_ == TinyKind::two_readers;
    add(gemm_layer(id, rows, beside ? before : columns, next, beside ? id - 2 : id - 1));
    before = columns;
    columns = next;
  }
}

/// With strides and padding, or the last two summed up.
void TinyNetwork::filters(int layers) {
  std::int64_t rows = one_of({4, 6, 7});
  const std::int64_t channels = one_of({8, 16});
  const bool sum = kind_ == TinyKind::two_readers;
  const int filters = layers - (sum ? 1 : 0);
  for (int id = 0; id < filters; ++id) {
    const std::int64_t filter = one_of({1, 3}), padding = filter / 2, stride = sum ? 1 : one_of({1, 1, 2});
    const std::int64_t out = (rows + 2 * padding - filter) / stride + 1;
    core::Layer layer = conv_layer(id,
                                   {.k = channels,
                                    .c = channels,
                                    .oy = out,
                                    .ox = 4,
                                    .fy = filter,
                                    .fx = 1,
                                    .stride = stride,
                                    .padding = padding,
                                    .iy = rows,
                                    .ix = stride == 1 ? 4 : 8},
                                   id - 1);
    // Strides are for rows alone.
    for (core::DimensionRelation& relation : layer.relations)
      if (relation.data == "IX") {
        relation.stride = 1;
        relation.size = 4;
        relation.padding_low = relation.padding_high = 0;
      }
    add(std::move(layer));
    rows = out;
  }
  if (sum) add(add_layer(filters, filters - 1, channels, rows, 4, filters - 2, filters - 1));
}

std::vector<core::Cut> TinyNetwork::cuts(const core::Layer& layer, int count) {
  const std::string rows = layer.loop_index("D") >= 0 ? "D" : "OY";
  std::vector<core::Cut> all{
      {{rows, 2}}, {{rows, {}}}, {{"K", 2}}, {{"K", 2}, {rows, 2}}, {{rows, 2}, {"K", 2}}};
  if (layer.type != "add") {
    all.push_back({{"C", 2}});
    all.push_back({{rows, 2}, {"C", 2}});
  }
  if (kind_ == TinyKind::spread && layer.type != "add") {
    all = {{{rows, 2, true}}, {{rows, {}, true}}, {{"K", 2}, {rows, 2, true}}};
    if (layer.loops[static_cast<std::size_t>(layer.loop_index(rows))].size > 1) {
      all.push_back({{rows, 2, true, true}});
      all.push_back({{"K", 2}, {rows, 2, true, true}});
    }
  }
  std::vector<core::Cut> chosen{{}};
  for (int more = count + below(2); more > 0; --more)
    chosen.push_back(all[static_cast<std::size_t>(below(static_cast<int>(all.size())))]);
  return chosen;
}

}  // namespace zz::test
