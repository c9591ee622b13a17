#include "core/input/onnx/layer_splitting.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <onnx/onnx_pb.h>
#include <set>

#include "core/base/new_file.hpp"
#include "core/input/onnx/detail/onnx_model.hpp"
#include "core/input/onnx/operator_node.hpp"
#include "core/multicore/graph/cut.hpp"

namespace zz::core {
namespace {

std::string slice_name(const std::string& tensor, std::int64_t piece) {
  return fmt::format("{}_split_{}", tensor, piece);
}

int counted(int axis, int axes) { return axis < 0 ? axis + axes : axis; }

/// The bytes of one slice. The axes before the cut one divide the tensor into `blocks`; the slice has the
/// same part of each.
std::string slice_of(const std::string& bytes, std::int64_t blocks, std::int64_t piece,
                     std::int64_t pieces) {
  const std::size_t block = bytes.size() / static_cast<std::size_t>(blocks);
  const std::size_t part = block / static_cast<std::size_t>(pieces);
  std::string slice;
  slice.reserve(part * static_cast<std::size_t>(blocks));
  for (std::size_t begin = 0; begin + block <= bytes.size(); begin += block)
    slice.append(bytes, begin + part * static_cast<std::size_t>(piece), part);
  return slice;
}

onnx::TensorProto slice_of(const onnx::TensorProto& tensor, int axis, std::int64_t piece,
                           std::int64_t pieces) {
  onnx::TensorProto slice;
  slice.set_name(slice_name(tensor.name(), piece));
  slice.set_data_type(tensor.data_type());
  std::int64_t blocks = 1, elements = 1;
  for (int i = 0; i < tensor.dims_size(); ++i) {
    const std::int64_t length = tensor.dims(i);
    if (i < axis) blocks *= length;
    elements *= length;
    slice.add_dims(i == axis ? length / pieces : length);
  }
  const std::string& bytes = tensor.raw_data();
  if (!bytes.empty() && elements > 0 && bytes.size() % static_cast<std::size_t>(elements) == 0)
    slice.set_raw_data(slice_of(bytes, blocks, piece, pieces));
  return slice;
}

template <class List>
auto find_named(const List& list, const std::string& name) -> decltype(&*list.begin()) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.name() == name; });
  return found == list.end() ? nullptr : &*found;
}

template <class List>
void remove_named(List& list, const std::set<std::string>& names) {
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&](const auto& item) { return names.count(item.name()) != 0; }),
             list.end());
}

/// Cuts constant tensors of an ONNX graph into slices along one axis.
class ChannelSlices {
 public:
  /// Slices are added to `graph`, which must outlive this.
  explicit ChannelSlices(onnx::GraphProto& graph) : graph_(graph) {}

  /// Length of an axis of a constant tensor (an initializer, or a weight that is listed as an input);
  /// negative axes count from the end. 0 when there is no such tensor or axis.
  std::int64_t length(const std::string& tensor, int axis) const;
  /// Adds the slices, "<tensor>_split_0" and so on, and returns their names. The length of the axis must be
  /// a multiple of `pieces`.
  std::vector<std::string> cut(const std::string& tensor, int axis, std::int64_t pieces);
  /// Removes cut tensors that no node reads any more.
  void remove_unused();

 private:
  const onnx::TensorProto* initializer(const std::string& name) const;
  const onnx::ValueInfoProto* input(const std::string& name) const;

  onnx::GraphProto& graph_;
  std::vector<std::string> cut_;
};

const onnx::TensorProto* ChannelSlices::initializer(const std::string& name) const {
  return find_named(graph_.initializer(), name);
}

const onnx::ValueInfoProto* ChannelSlices::input(const std::string& name) const {
  return find_named(graph_.input(), name);
}

std::int64_t ChannelSlices::length(const std::string& tensor, int axis) const {
  if (const auto* constant = initializer(tensor)) {
    const int index = counted(axis, constant->dims_size());
    return index >= 0 && index < constant->dims_size() ? constant->dims(index) : 0;
  }
  const auto* listed = input(tensor);
  if (listed == nullptr) return 0;
  const auto& shape = listed->type().tensor_type().shape();
  const int index = counted(axis, shape.dim_size());
  return index >= 0 && index < shape.dim_size() ? shape.dim(index).dim_value() : 0;
}

std::vector<std::string> ChannelSlices::cut(const std::string& tensor, int axis, std::int64_t pieces) {
  std::vector<std::string> names;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    names.push_back(slice_name(tensor, piece));
    if (const auto* listed = input(tensor)) {
      onnx::ValueInfoProto slice = *listed;
      slice.set_name(names.back());
      auto& shape = *slice.mutable_type()->mutable_tensor_type()->mutable_shape();
      auto& length = *shape.mutable_dim(counted(axis, shape.dim_size()));
      length.set_dim_value(length.dim_value() / pieces);
      *graph_.add_input() = std::move(slice);
    }
    if (const auto* constant = initializer(tensor)) {
      onnx::TensorProto slice = slice_of(*constant, counted(axis, constant->dims_size()), piece, pieces);
      *graph_.add_initializer() = std::move(slice);
    }
  }
  cut_.push_back(tensor);
  return names;
}

void ChannelSlices::remove_unused() {
  std::set<std::string> unused(cut_.begin(), cut_.end());
  for (const auto& node : graph_.node())
    for (const auto& name : node.input()) unused.erase(name);
  for (const auto& output : graph_.output()) unused.erase(output.name());
  remove_named(*graph_.mutable_initializer(), unused);
  remove_named(*graph_.mutable_input(), unused);
  cut_.clear();
}

/// Where a node keeps the weights of its output channels.
struct ChannelAxes {
  int weight = 1, weight_axis = 0;
  int bias = 2;
  int output_axis = 1;  ///< negative: from the end
};

ChannelAxes channel_axes_of(const onnx::NodeProto& node) {
  const std::string& type = node.op_type();
  if (type == "Conv") return {};
  if (type == "QLinearConv") return {3, 0, 8, 1};
  if (type == "MatMul") return {1, -1, 2, -1};
  const bool transposed = onnx_import::Attributes(node, nullptr).integer("transB", 0) != 0;
  return {1, transposed ? 0 : 1, 2, -1};
}

class ModelSplitter {
 public:
  ModelSplitter(onnx::GraphProto& graph, SourceMark mark, Diagnostics& diagnostics)
      : graph_(graph), slices_(graph), mark_(std::move(mark)), diagnostics_(diagnostics) {}

  void split(std::map<std::string, std::int64_t> pieces_of) {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    for (int place = 0; place < graph_.node_size(); ++place) {
      onnx::NodeProto& node = *graph_.mutable_node(place);
      const auto split = pieces_of.find(node.name().empty() ? fmt::format("Op{}", place) : node.name());
      const std::int64_t pieces = split == pieces_of.end() ? 1 : split->second;
      if (pieces > 1) {
        node.set_name(split->first);
        pieces_of.erase(split);
      }
      if (pieces == 1 || !check(node, pieces)) {
        *nodes.Add() = node;
      } else {
        add_pieces(node, pieces, nodes);
      }
    }
    for (const auto& [name, pieces] : pieces_of)
      diagnostics_.error(mark_,
                         fmt::format("layer '{}' cannot be split into {} layers: it is no node of the "
                                     "graph itself",
                                     name, pieces));
    graph_.mutable_node()->Swap(&nodes);
    slices_.remove_unused();
  }

 private:
  bool check(const onnx::NodeProto& node, std::int64_t pieces) {
    const auto refuse = [&](const std::string& reason, const std::string& hint) {
      diagnostics_.error(mark_,
                         fmt::format("node '{}' ({}) cannot be split into {} layers: {}", node.name(),
                                     node.op_type(), pieces, reason),
                         hint);
      return false;
    };
    const std::string& type = node.op_type();
    if (type != "Conv" && type != "QLinearConv" && type != "Gemm" && type != "MatMul")
      return refuse("only Conv, QLinearConv, Gemm and MatMul have output channels", "");
    if (onnx_import::Attributes(node, nullptr).integer("group", 1) != 1)
      return refuse("its channels are in groups", "cut it with cn_define_mode 4 instead");
    const ChannelAxes inputs = channel_axes_of(node);
    const std::int64_t channels = slices_.length(node.input(inputs.weight), inputs.weight_axis);
    if (channels == 0) return refuse("its weights are no constant of the file", "");
    if (channels % pieces != 0)
      return refuse(fmt::format("its {} output channels are no multiple", channels), "");
    if (node.input_size() > inputs.bias && !node.input(inputs.bias).empty() &&
        slices_.length(node.input(inputs.bias), -1) == 0)
      return refuse("its bias is no constant of the file", "fold it into an initializer");
    return true;
  }

  void add_pieces(const onnx::NodeProto& node, std::int64_t pieces,
                  google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
    const ChannelAxes inputs = channel_axes_of(node);
    const std::int64_t channels = slices_.length(node.input(inputs.weight), inputs.weight_axis);
    const std::vector<std::string> weights =
        slices_.cut(node.input(inputs.weight), inputs.weight_axis, pieces);
    std::vector<std::string> biases;
    const bool has_bias = node.input_size() > inputs.bias && !node.input(inputs.bias).empty();
    // A bias for all channels serves every piece unchanged.
    if (has_bias && slices_.length(node.input(inputs.bias), -1) == channels)
      biases = slices_.cut(node.input(inputs.bias), -1, pieces);

    const std::string& output = node.output(0);
    onnx::NodeProto concat;
    concat.set_name(node.name() + "_concat");
    concat.set_op_type("Concat");
    concat.add_output(output);
    auto& attribute = *concat.add_attribute();
    attribute.set_name("axis");
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(inputs.output_axis);
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const auto index = static_cast<std::size_t>(piece);
      onnx::NodeProto& copy = *nodes.Add();
      copy = node;
      copy.set_name(fmt::format("{}_{}", node.name(), piece));
      copy.set_output(0, fmt::format("{}_split_{}", output, piece));
      copy.set_input(inputs.weight, weights[index]);
      if (!biases.empty()) copy.set_input(inputs.bias, biases[index]);
      concat.add_input(copy.output(0));
      add_shape(copy.output(0), output, inputs.output_axis, pieces);
    }
    *nodes.Add() = std::move(concat);
  }

  // Without a known shape the pieces get none: reading the file infers it.
  void add_shape(const std::string& piece, const std::string& whole, int axis, std::int64_t pieces) {
    const auto is_whole = [&](const onnx::ValueInfoProto& value) { return value.name() == whole; };
    const auto& known = graph_.value_info();
    const auto& results = graph_.output();
    auto found = std::find_if(known.begin(), known.end(), is_whole);
    if (found == known.end()) {
      found = std::find_if(results.begin(), results.end(), is_whole);
      if (found == results.end()) return;
    }
    onnx::ValueInfoProto value = *found;
    value.set_name(piece);
    auto& shape = *value.mutable_type()->mutable_tensor_type()->mutable_shape();
    const int index = counted(axis, shape.dim_size());
    if (index < 0 || index >= shape.dim_size()) return;
    auto& length = *shape.mutable_dim(index);
    if (length.dim_value() > 0) length.set_dim_value(length.dim_value() / pieces);
    *graph_.add_value_info() = std::move(value);
  }

  onnx::GraphProto& graph_;
  ChannelSlices slices_;
  const SourceMark mark_;
  Diagnostics& diagnostics_;
};

bool has_constant_weight(const Layer& layer) {
  const int weight = layer.operand_index("W");
  return weight >= 0 && layer.operands[static_cast<std::size_t>(weight)].constant;
}

}  // namespace

std::vector<SplitLayer> layers_to_split(const Workload& workload, const MultiCoreAccelerator& accelerator,
                                        double share) {
  SplitOptions options;
  options.weight_share = share;
  Diagnostics problems;
  std::vector<SplitLayer> found;
  for (const auto& layer : workload.layers) {
    if (!has_constant_weight(*layer)) continue;
    try {
      const std::int64_t pieces = weight_pieces(*layer, accelerator, options);
      if (pieces > 1) found.push_back({layer->name, pieces, layer->id});
    } catch (const InputError& problem) {
      problems.error({}, problem.what());
    }
  }
  problems.throw_if_errors();
  return found;
}

void write_split_model(const std::string& path, const std::vector<SplitLayer>& layers,
                       const std::string& split_path, Diagnostics& diagnostics, const Files& files) {
  const SourceMark mark{path};
  onnx::ModelProto model = onnx_import::load_model(path, diagnostics, files);
  std::map<std::string, std::int64_t> pieces_of;
  for (const SplitLayer& layer : layers) pieces_of[layer.name] = layer.pieces;
  ModelSplitter(*model.mutable_graph(), mark, diagnostics).split(pieces_of);
  diagnostics.throw_if_errors();

  NewFile file(split_path);
  file.write(model.SerializeAsString());
  file.commit();
}

}  // namespace zz::core
