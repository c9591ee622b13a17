#include "core/input/zigzag/number_type_yaml.hpp"

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/input/yaml/document.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/zigzag/part_forms.hpp"
#include "core/mapping/layer_mapping.hpp"

namespace zz::core {
namespace {

using namespace yaml;

constexpr std::int64_t longest_block = std::int64_t{1} << 20;

const KeyTable& scale_keys() {
  static const KeyTable table{
      "scale of numbers",
      {{"bits", Need::required, whole(1, static_cast<double>(widest_number)),
        "bits of the scale of one block, with its zero point where there is one"},
       {"every", Need::required, whole(1, static_cast<double>(longest_block)), "elements of a block"},
       {"along", Need::optional, text_like(loop_pattern),
        "loop along which the elements of a block follow each other; without it: what both inputs have and "
        "the "
        "output has not"}}};
  return table;
}

const KeyTable& type_keys() {
  static const KeyTable table{
      "type of numbers",
      {{"bits", Need::required, whole(1, static_cast<double>(widest_number)), "bits per element"},
       {"scale", Need::optional, map_of(scale_keys()), "of numbers in blocks"}}};
  return table;
}

bool within(std::int64_t number, std::int64_t least, std::int64_t most, const Node& node,
            const std::string& what, const char* unit, Diagnostics& diagnostics) {
  if (number >= least && number <= most) return true;
  diagnostics.error(node.mark,
                    fmt::format("{} is {}, expected are {} ({} to {})", what, number, unit, least, most));
  return false;
}

bool read_scale(const Node& node, const std::string& what, BlockScale& scale, Diagnostics& diagnostics) {
  MapReader map(node, what, scale_keys(), diagnostics);
  if (!node.is_map()) return false;
  const bool has_bits = map.find("bits", scale.bits), has_every = map.find("every", scale.every);
  const bool named = node.find("along") == nullptr || map.find("along", scale.along);
  map.finish();
  return has_bits && has_every && named &&
         within(scale.bits, 1, widest_number, *node.find("bits"), map.what("bits"), "bits of a scale",
                diagnostics) &&
         within(scale.every, 1, longest_block, *node.find("every"), map.what("every"),
                "elements of a block", diagnostics);
}

/// "{bits: 4, scale: {bits: 8, every: 32}}" for 4.25.
std::string with_scale(double bits) {
  const double whole = std::floor(bits);
  const double every = std::nearbyint(8 / (bits - whole));
  const bool known = whole >= 1 && every >= 2 && every <= 4096 && std::abs(whole + 8 / every - bits) < 1e-9;
  return fmt::format("{{bits: {:.0f}, scale: {{bits: 8, every: {:.0f}}}}}", known ? whole : 4,
                     known ? every : 32);
}

bool is_whole(const Node& node, const std::string& what, Diagnostics& diagnostics) {
  const auto bits = node.as_double();
  if (!bits || node.as_int()) return true;
  diagnostics.error(
      node.mark,
      fmt::format("{} is {}: an element has whole bits; a part of one is that of a scale which a block "
                  "of elements shares",
                  what, node.text),
      fmt::format("say which, as {}, or name a type, as mxfp4", with_scale(*bits)));
  return false;
}

}  // namespace

std::optional<NumberType> read_number_type(const Node& node, const std::string& what,
                                           Diagnostics& diagnostics) {
  if (node.is_map()) {
    MapReader map(node, what, type_keys(), diagnostics);
    NumberType type;
    const Node* const said = node.find("bits");
    if (said != nullptr && !is_whole(*said, map.what("bits"), diagnostics)) return std::nullopt;
    const bool has_bits = map.find("bits", type.bits);
    const Node* const scale = map.find("scale");
    const bool has_scale =
        scale == nullptr || read_scale(*scale, map.what("scale"), type.scale, diagnostics);
    map.finish();
    if (!has_bits || !has_scale ||
        !within(type.bits, 1, widest_number, *node.find("bits"), map.what("bits"), "bits per element",
                diagnostics))
      return std::nullopt;
    return type;
  }
  if (const auto bits = node.as_int()) {
    if (!within(*bits, 0, widest_number, node, what, "bits per element", diagnostics)) return std::nullopt;
    return NumberType(*bits);
  }
  if (!is_whole(node, what, diagnostics)) return std::nullopt;
  const auto name = node.as_text();
  if (const auto named = name ? named_number_type(*name) : std::nullopt) return named;
  diagnostics.error(
      node.mark,
      fmt::format("{} must be a whole number of bits, a type of numbers or a map with its scale, but found "
                  "{}",
                  what, node.describe()),
      name ? suggestion(*name, number_type_names()) : number_hint(node));
  return std::nullopt;
}

Form number_type_form() {
  return either({whole(0, static_cast<double>(widest_number)),
                 text_like(fmt::format("^({}|int[0-9]+_g[0-9]+)$", fmt::join(number_type_names(), "|"))),
                 map_of(type_keys())});
}

NumberType number_type_of(const std::string& text, const std::string& what) {
  Diagnostics diagnostics;
  const std::optional<NumberType> type =
      read_number_type(load_text(text, "", diagnostics), what, diagnostics);
  if (type) return *type;
  const Diagnostic& problem = diagnostics.all().front();
  throw InputError(problem.hint.empty() ? problem.message
                                        : fmt::format("{}; {}", problem.message, problem.hint));
}

PrecisionChoice read_precision_choice(const std::string& text) {
  const std::optional<double> number = parse_float(text);
  const bool has_part = number && *number != std::floor(*number);
  if (text.find('{') == std::string::npos && !has_part) return precision_choice(text);
  return {PrecisionChoice::Kind::chosen, number_type_of(text, "the precision")};
}

}  // namespace zz::core
