#include "core/mapping/number_type.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace zz::core {
namespace {

// Blocks of the MX types: 32 elements, one scale of 8 bits (E8M0). OCP Microscaling Formats (MX)
// Specification 1.0.
constexpr std::int64_t mx_scale = 8, mx_block = 32;
// NVFP4: 16 elements, one scale of 8 bits (E4M3). Its one scale of 32 bits for the whole tensor is not
// counted.
constexpr std::int64_t nv_scale = 8, nv_block = 16;
constexpr std::int64_t group_scale = 16;

const std::map<std::string, NumberType>& types() {
  static const std::map<std::string, NumberType> all = {
      {"int2", {2}},
      {"int4", {4}},
      {"uint4", {4}},
      {"int8", {8}},
      {"uint8", {8}},
      {"int16", {16}},
      {"uint16", {16}},
      {"int24", {24}},
      {"int32", {32}},
      {"fp4", {4}},
      {"fp6", {6}},
      {"fp8", {8}},
      {"fp16", {16}},
      {"bf16", {16}},
      {"tf32", {32}},
      {"fp32", {32}},
      {"fp64", {64}},
      {"mxfp4", {4, {mx_scale, mx_block, ""}}},
      {"mxfp6", {6, {mx_scale, mx_block, ""}}},
      {"mxfp8", {8, {mx_scale, mx_block, ""}}},
      {"mxint8", {8, {mx_scale, mx_block, ""}}},
      {"nvfp4", {4, {nv_scale, nv_block, ""}}},
  };
  return all;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || read != end) return std::nullopt;
  return number;
}

/// "int4_g128".
std::optional<NumberType> grouped_type(std::string_view name) {
  constexpr std::string_view begin = "int", middle = "_g";
  constexpr std::int64_t widest = 16, longest = 1 << 20;
  const std::size_t at = name.find(middle);
  if (name.substr(0, begin.size()) != begin || at == std::string_view::npos) return std::nullopt;
  const auto bits = whole_number(name.substr(begin.size(), at - begin.size()));
  const auto every = whole_number(name.substr(at + middle.size()));
  if (!bits || !every || *bits < 1 || *bits > widest || *every < 1 || *every > longest) return std::nullopt;
  return NumberType{*bits, {group_scale, *every, ""}};
}

}  // namespace

std::optional<NumberType> named_number_type(const std::string& name) {
  const auto found = types().find(name);
  return found == types().end() ? grouped_type(name) : found->second;
}

const std::vector<std::string>& number_type_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, type] : types()) all.push_back(name);
    all.emplace_back("int4_g128");
    std::sort(all.begin(), all.end());
    return all;
  }();
  return names;
}

std::string to_text(const NumberType& type) {
  if (!type.scale.any()) return fmt::format("{} bits", type.bits);
  return fmt::format("{} bits and a scale of {} for each {}{}", type.bits, type.scale.bits,
                     type.scale.every, type.scale.along.empty() ? "" : " along " + type.scale.along);
}

}  // namespace zz::core
