#pragma once
#include <cstdint>
#include <string_view>

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
/// Integers of any width, and truth values.
bool is_integral(ElementType type);

}  // namespace zz::core::onnx_import
