#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/mapping/number_type.hpp"

namespace onnx {
class TensorProto;
}

namespace zz::core::onnx_import {

/// Element types of tensors, with the numbers of ONNX files (TensorProto.DataType). The installed library
/// may be older than the file, so the list is kept here.
enum class ElementType : int {
  unknown = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8e4m3fn = 17,
  float8e4m3fnuz = 18,
  float8e5m2 = 19,
  float8e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4e2m1 = 23,
  float8e8m0 = 24,
  uint2 = 25,
  int2 = 26,
};

/// The type of that number, or `unknown`.
ElementType element_type(std::int64_t number);

/// The type of that name ("float16"), or `unknown`.
ElementType element_type_named(std::string_view name);

/// "float16"; "an unknown type" for `unknown`.
std::string_view name_of(ElementType type);

/// Bits of one element as it is stored; 0 for text and unknown types.
std::int64_t bits_of(ElementType type);

bool is_floating(ElementType type);
/// Floating-point numbers of 16 bits and more: networks are trained with them, and run with fewer bits.
bool is_wide_floating(ElementType type);
/// Integers of any width, and truth values.
bool is_integral(ElementType type);

/// Length of each axis of a tensor.
using Shape = std::vector<std::int64_t>;

/// A length that is known at run time only.
inline constexpr std::int64_t unknown_length = -1;

/// The elements of a tensor in row-major order: integers (truth values are 0 and 1) or real numbers.
using Values = std::variant<std::vector<std::int64_t>, std::vector<double>>;

// docs/limits.md names it: nothing that decides about shapes has more elements.
inline constexpr std::int64_t most_values = std::int64_t{1} << 20;

/// Why lengths are unknown, from the tensor on with which that begins.
struct UnknownLengths {
  std::string because;  ///< "its length depends on the data"
  std::string setting;  ///< the setting for them, as an entry of `dimensions`: "\"places:1\": LENGTH"
};

/// Knowledge of a tensor before the network runs.
struct Tensor {
  std::string name;  ///< as in the file; within functions and bodies with the names of the nodes around
  ElementType type = ElementType::unknown;
  std::optional<Shape> shape;            ///< none: not even the number of axes is known
  std::shared_ptr<const Values> values;  ///< null when they are not known, or too many
  /// No data determine it: a weight, or computed from weights and lengths.
  bool constant = false;
  /// The file alone determines it, without lengths of inputs: it can be computed once, before the first
  /// run.
  bool of_file = false;
  /// Number of different elements of a tensor that is known before the run, beside what fills up, as of a
  /// scale that is repeated for each row. 0 where that does not follow.
  std::int64_t repeated = 0;
  /// Holder of its elements in the file, of an initialiser; else null.
  const onnx::TensorProto* initialiser = nullptr;
  /// The type in which it is kept in memory: that before DequantizeLinear, if nothing but a rearrangement
  /// of elements follows it; else `type`.
  ElementType stored = ElementType::unknown;
  std::int64_t stored_bits = 0;   ///< of one element; differs from the type's where several share a byte
  BlockScale stored_scale = {};   ///< of blocks, as DequantizeLinear with a block_size has them
  int stored_axis = -1;           ///< along which they lie; -1: that does not follow
  bool scale_of_channel = false;  ///< `stored_scale` is that of a whole row, which is no block
  /// Members of a sequence of tensors: their indices in Network::tensors; null for a tensor, and when they
  /// are not known.
  std::shared_ptr<const std::vector<std::int64_t>> sequence;
  std::int64_t producer = -1;   ///< index of the node that computes it; -1 for inputs and initialisers
  std::string unknown_because;  ///< why lengths are unknown: "the rows of ... are known at run time only"
  /// Where its unknown lengths begin, or those that its elements count; null for what data alone tell.
  std::shared_ptr<const UnknownLengths> unknown_from;

  bool has_full_shape() const;
  /// It needs no data of the network's inputs, or its elements are known in advance.
  bool is_known_before_run() const { return constant || values != nullptr; }
  /// Product of the lengths. Only for a full shape; the largest std::int64_t stands for any beyond it.
  std::int64_t elements() const;
  /// At most so many of its elements differ. Only for a full shape.
  std::int64_t different() const { return repeated > 0 ? repeated : elements(); }
};

/// `unknown_from`; of a tensor without one, whose lengths are unknown, what it says itself. Null where they
/// are known.
std::shared_ptr<const UnknownLengths> unknown_lengths_of(const Tensor& tensor);

/// Product of the lengths, at most the largest std::int64_t.
std::int64_t element_count(const Shape& shape);

/// The elements that the file holds of a tensor, if there are few; null otherwise, and for data that lie
/// outside the file. Throws NodeProblem when the data are fewer or more than the shape asks for.
std::shared_ptr<const Values> read_values(const onnx::TensorProto& tensor);

/// The bits of the narrowest usual integers, 8, 16 or 32, that hold all elements of a tensor of float32, if
/// these are whole numbers that the file holds; else 0.
std::int64_t bits_of_whole_numbers(const onnx::TensorProto& tensor);

}  // namespace zz::core::onnx_import
