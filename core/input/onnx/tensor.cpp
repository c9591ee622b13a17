#include "core/input/onnx/tensor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <onnx/onnx_pb.h>

#include "core/input/onnx/operator_node.hpp"

namespace zz::core::onnx_import {
namespace {

enum class Kind { none, floating, integral };

struct Properties {
  std::string_view name;
  std::int64_t bits;
  Kind kind;
};

constexpr std::array<Properties, 27> properties = {{{"an unknown type", 0, Kind::none},
                                                    {"float32", 32, Kind::floating},
                                                    {"uint8", 8, Kind::integral},
                                                    {"int8", 8, Kind::integral},
                                                    {"uint16", 16, Kind::integral},
                                                    {"int16", 16, Kind::integral},
                                                    {"int32", 32, Kind::integral},
                                                    {"int64", 64, Kind::integral},
                                                    {"string", 0, Kind::none},
                                                    {"bool", 8, Kind::integral},
                                                    {"float16", 16, Kind::floating},
                                                    {"float64", 64, Kind::floating},
                                                    {"uint32", 32, Kind::integral},
                                                    {"uint64", 64, Kind::integral},
                                                    {"complex64", 64, Kind::none},
                                                    {"complex128", 128, Kind::none},
                                                    {"bfloat16", 16, Kind::floating},
                                                    {"float8e4m3fn", 8, Kind::floating},
                                                    {"float8e4m3fnuz", 8, Kind::floating},
                                                    {"float8e5m2", 8, Kind::floating},
                                                    {"float8e5m2fnuz", 8, Kind::floating},
                                                    {"uint4", 4, Kind::integral},
                                                    {"int4", 4, Kind::integral},
                                                    {"float4e2m1", 4, Kind::floating},
                                                    {"float8e8m0", 8, Kind::floating},
                                                    {"uint2", 2, Kind::integral},
                                                    {"int2", 2, Kind::integral}}};

const Properties& properties_of(ElementType type) { return properties[static_cast<std::size_t>(type)]; }

}  // namespace

ElementType element_type(std::int64_t number) {
  return number > 0 && number < static_cast<std::int64_t>(properties.size())
             ? static_cast<ElementType>(number)
             : ElementType::unknown;
}

ElementType element_type_named(std::string_view name) {
  for (std::size_t i = 1; i < properties.size(); ++i)
    if (properties[i].name == name) return static_cast<ElementType>(i);
  return ElementType::unknown;
}

std::string_view name_of(ElementType type) { return properties_of(type).name; }
std::int64_t bits_of(ElementType type) { return properties_of(type).bits; }
bool is_floating(ElementType type) { return properties_of(type).kind == Kind::floating; }
bool is_wide_floating(ElementType type) { return is_floating(type) && bits_of(type) >= 16; }
bool is_integral(ElementType type) { return properties_of(type).kind == Kind::integral; }

namespace {

template <class Stored, class Kept>
std::vector<Kept> from_bytes(const std::string& bytes) {
  std::vector<Kept> values(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored value;
    std::memcpy(&value, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = static_cast<Kept>(value);
  }
  return values;
}

template <class Kept, class Field>
std::vector<Kept> from_field(const Field& field) {
  return {field.begin(), field.end()};
}

template <class Stored>
Values integers(const onnx::TensorProto& tensor) {
  if (tensor.has_raw_data()) return from_bytes<Stored, std::int64_t>(tensor.raw_data());
  if (sizeof(Stored) == 8) return from_field<std::int64_t>(tensor.int64_data());
  return from_field<std::int64_t>(tensor.int32_data());
}

std::optional<Values> read_elements(const onnx::TensorProto& tensor) {
  const bool raw = tensor.has_raw_data();
  switch (element_type(tensor.data_type())) {
    case ElementType::int64:
      return integers<std::int64_t>(tensor);
    case ElementType::uint64:
      if (raw) return from_bytes<std::uint64_t, std::int64_t>(tensor.raw_data());
      return from_field<std::int64_t>(tensor.uint64_data());
    case ElementType::uint32:
      if (raw) return from_bytes<std::uint32_t, std::int64_t>(tensor.raw_data());
      return from_field<std::int64_t>(tensor.uint64_data());
    case ElementType::int32:
      return integers<std::int32_t>(tensor);
    case ElementType::int16:
      return integers<std::int16_t>(tensor);
    case ElementType::int8:
      return integers<std::int8_t>(tensor);
    case ElementType::uint16:
      return integers<std::uint16_t>(tensor);
    case ElementType::uint8:
    case ElementType::boolean:
      return integers<std::uint8_t>(tensor);
    case ElementType::float32:
      if (raw) return from_bytes<float, double>(tensor.raw_data());
      return from_field<double>(tensor.float_data());
    case ElementType::float64:
      if (raw) return from_bytes<double, double>(tensor.raw_data());
      return from_field<double>(tensor.double_data());
    default:
      return std::nullopt;
  }
}

// Real numbers and bytes are scales of images and bounds at most, where they decide about shapes; what is
// longer are weights. docs/limits.md names it.
constexpr std::int64_t most_numbers = 1024;

std::int64_t most_values_of(ElementType type) {
  const bool counts = is_integral(type) && (type == ElementType::boolean || bits_of(type) > 8);
  return counts ? most_values : most_numbers;
}

// Weights may be left out of a file; every other number of bytes is damage.
void check_bytes(const onnx::TensorProto& tensor, std::int64_t count) {
  const auto bytes = static_cast<std::int64_t>(tensor.raw_data().size());
  const std::int64_t bits = bits_of(element_type(tensor.data_type()));
  if (bytes == 0 || bits == 0) return;
  const bool enough = count <= bytes * 8 / bits;  // before a product that may be too large
  if (enough && bytes == (count * bits + 7) / 8) return;
  throw NodeProblem(
      fmt::format(
          "tensor '{}' has {} bytes of data, its type and shape are those of {} elements of {} bits",
          tensor.name(), bytes, count, bits),
      "the file is damaged; export the model again");
}

}  // namespace

bool Tensor::has_full_shape() const {
  return shape && std::all_of(shape->begin(), shape->end(), [](std::int64_t n) { return n >= 0; });
}

std::int64_t Tensor::elements() const { return element_count(*shape); }

std::shared_ptr<const UnknownLengths> unknown_lengths_of(const Tensor& tensor) {
  if (tensor.unknown_from != nullptr || tensor.has_full_shape()) return tensor.unknown_from;
  std::string setting;
  for (std::size_t axis = 0; axis < (tensor.shape ? tensor.shape->size() : 1); ++axis)
    if (!tensor.shape || (*tensor.shape)[axis] == unknown_length)
      setting += fmt::format("{}\"{}:{}\": LENGTH", setting.empty() ? "" : ", ", tensor.name, axis);
  return std::make_shared<const UnknownLengths>(UnknownLengths{
      tensor.unknown_because.empty() ? "the file does not tell it" : tensor.unknown_because, setting});
}

std::int64_t element_count(const Shape& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t product = 1;
  for (const std::int64_t length : shape) {
    if (product > std::numeric_limits<std::int64_t>::max() / length)
      return std::numeric_limits<std::int64_t>::max();
    product *= length;
  }
  return product;
}

std::shared_ptr<const Values> read_values(const onnx::TensorProto& tensor) {
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) return nullptr;
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t n) { return n < 0; }))
    throw NodeProblem(fmt::format("tensor '{}' has an axis of negative length", tensor.name()));
  const std::int64_t count = element_count(shape);
  check_bytes(tensor, count);
  if (count > most_values_of(element_type(tensor.data_type()))) return nullptr;
  std::optional<Values> values = read_elements(tensor);
  if (!values) return nullptr;
  const std::size_t found = std::visit([](const auto& list) { return list.size(); }, *values);
  if (found == 0 && count != 0) return nullptr;
  if (found != static_cast<std::size_t>(count))
    throw NodeProblem(
        fmt::format("tensor '{}' has {} elements, its shape asks for {}", tensor.name(), found, count),
        "the file is damaged; export the model again");
  return std::make_shared<const Values>(std::move(*values));
}

std::int64_t bits_of_whole_numbers(const onnx::TensorProto& tensor) {
  if (element_type(tensor.data_type()) != ElementType::float32 ||
      tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return 0;
  const std::optional<Values> values = read_elements(tensor);
  const auto& numbers = std::get<std::vector<double>>(*values);
  constexpr double largest = 1 << 24;  // up to here a float tells neighbours apart
  double least = 0, most = 0;
  for (const double number : numbers) {
    if (!(std::abs(number) <= largest) || number != std::floor(number)) return 0;
    least = std::min(least, number);
    most = std::max(most, number);
  }
  if (numbers.empty()) return 0;
  for (const int bits : {8, 16}) {
    const double values_of_bits = std::ldexp(1.0, bits);
    if (least < 0 ? least >= -values_of_bits / 2 && most < values_of_bits / 2 : most < values_of_bits)
      return bits;
  }
  return 32;
}

}  // namespace zz::core::onnx_import
