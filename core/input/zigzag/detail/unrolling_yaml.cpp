#include "core/input/zigzag/detail/unrolling_yaml.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "core/base/text.hpp"
#include "core/hardware/accelerator_check.hpp"
#include "core/input/yaml/map_reader.hpp"

namespace zz::core {
namespace {

/// "K, 16", with any blanks around the parts.
std::optional<SpatialLoop> parse_spatial_loop(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto trimmed = [](std::string_view part) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    return part;
  };
  const std::string_view factor = trimmed(text.substr(comma + 1));
  SpatialLoop loop;
  loop.dimension = trimmed(text.substr(0, comma));
  const auto [end, problem] = std::from_chars(factor.data(), factor.data() + factor.size(), loop.factor);
  if (problem != std::errc{} || end != factor.data() + factor.size()) return std::nullopt;
  if (!is_loop_dimension_name(loop.dimension)) return std::nullopt;
  return loop;
}

}  // namespace

bool is_loop_dimension_name(const std::string& name) {
  const auto letters_end =
      std::find_if_not(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return letters_end != name.begin() &&
         std::all_of(letters_end, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool check_array_dimension_key(const std::string& name, const SourceMark& mark, const std::string& what,
                               Diagnostics& diagnostics) {
  if (is_array_dimension_name(name)) return true;
  diagnostics.error(mark, fmt::format("'{}' in {} is not the name of an array dimension", name, what),
                    "names are D with one digit, as D1");
  return false;
}

SpatialUnrolling read_unrolling(const yaml::Node& node, const std::string& what, Diagnostics& diagnostics) {
  SpatialUnrolling unrolling;
  if (!yaml::expect_short_map(node, what, diagnostics)) return unrolling;
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const auto& [name, list] = node.entries[i];
    if (!check_array_dimension_key(name, node.key_marks[i], what, diagnostics)) continue;
    ArrayUnrolling dimension;
    dimension.array_dimension = name;
    if (!yaml::expect_short_list(list, fmt::format("'{}' in {}", name, what), diagnostics)) continue;
    for (const yaml::Node& item : list.items) {
      const auto loop = item.is_scalar() ? parse_spatial_loop(item.text) : std::nullopt;
      if (!loop) {
        const bool split = item.is_scalar() && is_loop_dimension_name(item.text);
        const bool small = item.is_scalar() && parse_spatial_loop(upper_case(item.text));
        diagnostics.error(
            item.mark,
            fmt::format("an item of '{}' in {} must be a loop and a factor, as \"K, 16\", but found {}",
                        name, what, item.describe()),
            split   ? "between brackets, put loop and factor in quotes"
            : small ? "names of loops are written in capitals here"
                    : "");
        if (split) break;
        continue;
      }
      if (loop->factor < 1) {
        diagnostics.error(item.mark, fmt::format("the factor of {} on {} is {}; it must be 1 or more",
                                                 loop->dimension, name, loop->factor));
        continue;
      }
      const bool repeated =
          std::any_of(dimension.loops.begin(), dimension.loops.end(),
                      [&](const SpatialLoop& other) { return other.dimension == loop->dimension; });
      if (repeated) {
        diagnostics.error(item.mark,
                          fmt::format("the loop {} stands twice on {} in {}", loop->dimension, name, what));
        continue;
      }
      dimension.loops.push_back(*loop);
    }
    unrolling.dimensions.push_back(std::move(dimension));
  }
  return unrolling;
}

}  // namespace zz::core
