#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/workload.hpp"
#include "plugins/transformer/decoder.hpp"

namespace zz::plugins {

/// The points of the tables of a bundle. Each list grows.
struct ServingPoints {
  std::vector<std::int64_t> tokens;     ///< new tokens of all sequences
  std::vector<std::int64_t> sequences;  ///< that decode
  std::vector<std::int64_t> chunks;     ///< new tokens of a sequence in prefill
  std::vector<std::int64_t> decoding;   ///< sequences that decode beside it
  std::vector<std::int64_t> contexts;   ///< tokens whose keys and values are there
};

/// `first`, `first * factor`, ... up to `last`, which ends the list.
std::vector<std::int64_t> geometric_axis(std::int64_t first, std::int64_t last, std::int64_t factor);

enum class ServingTable {
  dense,         ///< axis: tokens
  per_sequence,  ///< axis: sequences
  attention,     ///< axes: chunk, its earlier tokens, decoding sequences, tokens of each
  experts,       ///< axes: tokens, experts that they need
  kernels        ///< axis: tokens; the work of `dense` as another simulator divides it up
};

/// Layers that run one after the other, each once.
struct ServingPiece {
  std::vector<std::uint32_t> layers;               ///< indices into ServingPlan::layers
  std::shared_ptr<const core::Workload> together;  ///< with their data flow; null: it is one layer
};

/// A row of a table. Its cost is that of its pieces, each so many times.
struct ServingRow {
  std::int64_t degree = 1;
  ServingTable table = ServingTable::dense;
  std::string layer;  ///< as the simulator calls it: "qkv_proj"
  std::vector<std::int64_t> axes;
  struct Use {
    std::uint32_t piece = 0;  ///< index into ServingPlan::pieces
    double times = 1;
  };
  std::vector<Use> uses;  ///< none: it costs nothing
  double in_step = 1;     ///< so often a simulator takes it for one pass through the model
};

/// All rows of a bundle over their different layers.
struct ServingPlan {
  std::vector<std::shared_ptr<const core::Layer>> layers;
  std::vector<ServingPiece> pieces;
  std::vector<ServingRow> rows;
};

/// The rows of all degrees. Layers are those of outline_step():
/// * a row of n tokens has the layers of n sequences that decode one token each;
/// * attention of a chunk is that of one sequence in prefill, whose context are chunk and earlier tokens;
///   decoding sequences follow it, each with a context of so many tokens, the new one included;
/// * a row is work of one block: what differs from block to block is averaged;
/// * experts are those of the whole model, once, with the lowest degree.
/// `vector_layers`: work on elements is layers; else rows of it cost nothing. Throws core::InputError.
ServingPlan plan_serving_rows(const Decoder& decoder, const std::vector<std::int64_t>& degrees,
                              const ServingPoints& grid, const DecoderBits& bits, bool vector_layers,
                              const core::MappingFile& mapping, const core::Rules& rules,
                              core::Diagnostics& diagnostics);

}  // namespace zz::plugins
