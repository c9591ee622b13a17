#include "core/input/onnx/element_type.hpp"

#include <array>

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
bool is_integral(ElementType type) { return properties_of(type).kind == Kind::integral; }

}  // namespace zz::core::onnx_import
