#include "core/search/fused/detail/tensor_matches.hpp"

#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/search/fused/detail/axis_matches.hpp"
#include "core/search/fused/detail/tensor_origins.hpp"
#include "core/workload/layer_precision.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

/// A dimension of an operand's brackets.
struct DataDimension {
  int loop = -1;  ///< that walks it alone; -1: none
  std::int64_t size = 1;
  const DimensionRelation* window = nullptr;  ///< that slides along it
};

/// The loop of a window that is one element wide and moves by one: it walks the data alone. -1: none does.
int walking_loop(const Layer& layer, const DimensionRelation& window) {
  const int loop = layer.loop_index(window.output_loop);
  const bool alone = layer.loop_size(window.filter_loop) == 1 && window.stride == 1;
  return alone && loop >= 0 && layer.loops[loop].size == window.size ? loop : -1;
}

/// Those of an operand, in the order of its brackets.
std::vector<DataDimension> dimensions_of(const Layer& layer, int operand) {
  std::vector<DataDimension> dimensions;
  for (const std::string& name : layer.operands[operand].dimensions) {
    const int loop = layer.loop_index(name);
    const bool slides =
        loop >= 0 && layer.loops[loop].size > 1 && layer.relevancy(operand, loop) != Relevancy::relevant;
    if (loop >= 0) dimensions.push_back({slides ? -1 : loop, layer.loops[loop].size});
    for (const DimensionRelation& window : layer.relations)
      if (loop < 0 && window.data == name)
        dimensions.push_back({walking_loop(layer, window), window.size, &window});
  }
  return dimensions;
}

std::vector<std::int64_t> sizes_of(const std::vector<DataDimension>& dimensions) {
  std::vector<std::int64_t> sizes;
  for (const DataDimension& dimension : dimensions) sizes.push_back(dimension.size);
  return sizes;
}

std::int64_t elements_of(const std::vector<DataDimension>& dimensions) {
  std::int64_t elements = 1;
  for (const DataDimension& dimension : dimensions) elements *= dimension.size;
  return elements;
}

/// Each element of the layer's result comes from all elements of its row, as of a normalisation. Softmax
/// may go on with a part of a row, as an online softmax does.
bool normalises_rows(const Layer& layer) {
  static const std::set<std::string> others = {"logsoftmax", "hardmax", "cumsum", "cumprod"};
  return layer.vector_work &&
         (layer.type.find("norm") != std::string::npos || others.count(layer.type) > 0);
}

/// Numbers that a layer writes, or reads.
struct Numbers {
  const Layer& layer;
  const std::vector<DataDimension>& dimensions;
  int operand;
  std::int64_t bits;
  const BlockScale& scale;

  NumberType type() const { return {bits, scale}; }
  int along() const { return block_loop(layer, operand, scale); }
  std::string name_along() const {
    return along() < 0 ? scale.along : layer.loops[static_cast<std::size_t>(along())].name;
  }
};

/// "": the layers mean the same blocks, those of one loop.
std::string other_blocks(const Numbers& written, const Numbers& read) {
  if (!written.scale.any() && !read.scale.any()) return "";
  if (!same_numbers(written.type(), read.type()))
    return fmt::format("'{}' reads numbers of {} where '{}' writes {}", read.layer.name,
                       to_text(read.type()), written.layer.name, to_text(written.type()));
  for (const AxisMatch& match : match_axes(sizes_of(written.dimensions), sizes_of(read.dimensions))) {
    const DataDimension& from = written.dimensions[static_cast<std::size_t>(match.from)];
    const DataDimension& to = read.dimensions[static_cast<std::size_t>(match.to)];
    if (from.loop == written.along() && to.loop == read.along() && match.size == from.size &&
        match.size == to.size)
      return "";
  }
  return fmt::format("'{}' reads blocks along {} where '{}' writes them along {}, which is another axis",
                     read.layer.name, read.name_along(), written.layer.name, written.name_along());
}

/// Reads what layers exchange, layer by layer.
class MatchReader {
 public:
  MatchReader(const Workload& workload, const Numbered<NetworkLayer>& layers) : layers_(layers) {
    for (int i = 0; i < layers.count(); ++i) index_of_[layers[i].layer->id] = i;
    found_.at.assign(layers.size(), {-1, -1, -1});
    TensorOrigins origins(workload, index_of_);
    for (int i = 0; i < layers.count(); ++i) {
      const Layer& layer = *layers[i].layer;
      for (int operand = 1; operand < static_cast<int>(layer.operands.size()); ++operand) {
        const std::vector<TensorOrigin> read = origins.of(layer.operands[operand].sources);
        for (const TensorOrigin& origin : read) add_use(i, operand, origin, read.size() > 1);
      }
      for (const TensorOrigin& origin : origins.added(layer.id))
        add_use(i, NetworkTensor::added, origin, false);
    }
  }
  TensorMatches found() { return std::move(found_); }

 private:
  /// `mixed`: the operand comes from several layers.
  void add_use(int i, int operand, const TensorOrigin& origin, bool mixed) {
    const int producer = index_of_.at(origin.layer);
    if (producer >= i) return;
    const Layer &layer = *layers_[i].layer, &from = *layers_[producer].layer;
    int& tensor = found_.at[producer][0];
    if (tensor < 0) {
      tensor = found_.tensors.count();
      found_.tensors.push_back({producer, {}, true, ""});
    }
    NetworkTensor& exchanged = found_.tensors[tensor];
    const auto forbid = [&](std::string why) {
      exchanged.exchangeable = false;
      if (exchanged.obstacle.empty()) exchanged.obstacle = std::move(why);
    };
    const bool added = operand == NetworkTensor::added;
    if (!added && !exchanged.uses.empty() && exchanged.uses.back().layer == i)
      forbid(fmt::format("'{}' reads it twice", layer.name));
    exchanged.uses.push_back({i, operand, {}});
    if (!added && found_.at[i][operand] < 0) found_.at[i][operand] = tensor;
    // A tensor that is added meets the layer's own result.
    const LayerOperand& reads = layer.operands[added ? 0 : operand];
    const std::int64_t bits = added ? layer.final_output_precision : reads.precision;
    const BlockScale& scale = added ? layer.final_output_scale : reads.scale;
    const std::vector<DataDimension> written = dimensions_of(from, 0);
    const std::vector<DataDimension> read = dimensions_of(layer, added ? 0 : operand);
    // A window with a stride may leave elements out: they are made, and nobody reads them.
    const bool same_elements = elements_of(written) == elements_of(read);
    const bool moved = origin.moved || (added && !origin.in_place);
    if (mixed) forbid(fmt::format("'{}' reads it mixed with others", layer.name));
    if (moved || (!added && reads.offchip_elements > 0) || !same_elements)
      forbid(fmt::format("'{}' reads other elements than '{}' writes", layer.name, from.name));
    if (from.final_output_precision != bits)
      forbid(fmt::format("'{}' reads {} bits where '{}' writes {}", layer.name, bits, from.name,
                         from.final_output_precision));
    const std::string blocks =
        other_blocks({from, written, 0, from.final_output_precision, from.final_output_scale},
                     {layer, read, added ? 0 : operand, bits, scale});
    if (!blocks.empty()) forbid(blocks);
    if (layers_[i].set != layers_[producer].set || layers_[i].set < 0)
      forbid(fmt::format("'{}' and '{}' may not be fused", from.name, layer.name));
    if (mixed || moved || !same_elements) return;
    const bool whole_rows = origin.rows || (!added && normalises_rows(layer));
    match_loops(tensor, producer, written, i, read, whole_rows);
  }

  /// `whole_rows`: all of a row must be there before the reader can begin with it.
  void match_loops(int tensor, int producer, const std::vector<DataDimension>& written, int reader,
                   const std::vector<DataDimension>& read, bool whole_rows) {
    const Layer &from = *layers_[producer].layer, &to = *layers_[reader].layer;
    const int use = static_cast<int>(found_.tensors[tensor].uses.size()) - 1;
    for (const AxisMatch& match : match_axes(sizes_of(written), sizes_of(read))) {
      const int from_loop = written[match.from].loop, to_loop = read[match.to].loop;
      if (whole_rows && match.to + 1 == static_cast<int>(read.size())) continue;
      if (normalises_rows(from) && match.from + 1 == static_cast<int>(written.size())) continue;
      if (from_loop < 0) continue;
      if (to_loop >= 0) {
        found_.loops.push_back({tensor, use, producer, from_loop, reader, to_loop, match.from_inside,
                                match.to_inside, match.size});
      } else if (const DimensionRelation* slides = read[match.to].window; slides != nullptr) {
        const int rows = to.loop_index(slides->output_loop);
        if (rows < 0 || match.size != slides->size || match.size != written[match.from].size) continue;
        const std::int64_t reach = slides->dilation * (to.loop_size(slides->filter_loop) - 1);
        found_.windows.push_back({tensor,
                                  use,
                                  producer,
                                  from_loop,
                                  reader,
                                  rows,
                                  {-1, slides->stride, reach, slides->padding_low}});
      }
    }
  }

  const Numbered<NetworkLayer>& layers_;
  std::map<std::int64_t, int> index_of_;
  TensorMatches found_;
};

}  // namespace

TensorMatches match_tensors(const Workload& workload, const Numbered<NetworkLayer>& layers) {
  return MatchReader(workload, layers).found();
}

}  // namespace zz::core
