#include "core/input/stream/channel_slices.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace zz::core {
namespace {

std::string slice_name(const std::string& tensor, std::int64_t piece) {
  return fmt::format("{}_split_{}", tensor, piece);
}

int counted(int axis, int axes) { return axis < 0 ? axis + axes : axis; }

/// The bytes of one slice: of every run of elements before the axis, a consecutive part.
std::string slice_of(const std::string& bytes, std::int64_t runs, std::int64_t piece, std::int64_t pieces) {
  const std::size_t run = bytes.size() / static_cast<std::size_t>(runs);
  const std::size_t part = run / static_cast<std::size_t>(pieces);
  std::string slice;
  slice.reserve(part * static_cast<std::size_t>(runs));
  for (std::size_t begin = 0; begin + run <= bytes.size(); begin += run)
    slice.append(bytes, begin + part * static_cast<std::size_t>(piece), part);
  return slice;
}

onnx::TensorProto slice_of(const onnx::TensorProto& tensor, int axis, std::int64_t piece,
                           std::int64_t pieces) {
  onnx::TensorProto slice;
  slice.set_name(slice_name(tensor.name(), piece));
  slice.set_data_type(tensor.data_type());
  std::int64_t runs = 1, elements = 1;
  for (int i = 0; i < tensor.dims_size(); ++i) {
    const std::int64_t length = tensor.dims(i);
    if (i < axis) runs *= length;
    elements *= length;
    slice.add_dims(i == axis ? length / pieces : length);
  }
  const std::string& bytes = tensor.raw_data();
  if (!bytes.empty() && elements > 0 && bytes.size() % static_cast<std::size_t>(elements) == 0)
    slice.set_raw_data(slice_of(bytes, runs, piece, pieces));
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

}  // namespace

const onnx::TensorProto* ChannelSlices::initializer(const std::string& name) const {
  return find_named(graph_.initializer(), name);
}

const onnx::ValueInfoProto* ChannelSlices::input(const std::string& name) const {
  return find_named(graph_.input(), name);
}

std::int64_t ChannelSlices::length(const std::string& tensor, int axis) const {
  if (const auto* constant = initializer(tensor)) {
    const int place = counted(axis, constant->dims_size());
    return place >= 0 && place < constant->dims_size() ? constant->dims(place) : 0;
  }
  const auto* listed = input(tensor);
  if (listed == nullptr) return 0;
  const auto& shape = listed->type().tensor_type().shape();
  const int place = counted(axis, shape.dim_size());
  return place >= 0 && place < shape.dim_size() ? shape.dim(place).dim_value() : 0;
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

}  // namespace zz::core
