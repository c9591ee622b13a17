#include "plugins/transformer/config_bits.hpp"

#include <fmt/format.h>
#include <string>
#include <vector>

#include "core/base/nearest_name.hpp"

namespace zz::plugins {
namespace {

struct NamedBits {
  const char* name;
  std::int64_t bits;
};

constexpr NamedBits types[] = {{"float32", 32},    {"float", 32},          {"float16", 16},
                               {"half", 16},       {"bfloat16", 16},       {"float64", 64},
                               {"double", 64},     {"float8_e4m3fn", 8},   {"float8_e4m3fnuz", 8},
                               {"float8_e5m2", 8}, {"float8_e5m2fnuz", 8}, {"int8", 8}};

void read_type(ConfigMap& map, StoredBits& stored, core::Diagnostics& diagnostics) {
  const core::yaml::Node* node = map.find({"torch_dtype", "dtype"});
  std::string name;
  if (node == nullptr || !core::yaml::read(*node, "'torch_dtype' of " + map.what(), name, diagnostics))
    return;
  if (name.starts_with("torch.")) name.erase(0, std::string("torch.").size());
  if (name == "auto") return;
  std::vector<std::string> known;
  for (const NamedBits& type : types) {
    if (name == type.name) {
      stored.type = type.bits;
      stored.type_name = name;
      return;
    }
    known.emplace_back(type.name);
  }
  diagnostics.error(node->mark, fmt::format("unknown 'torch_dtype' '{}' of {}", name, map.what()),
                    core::suggestion(name, known));
}

/// Reads the parts of a `quantization_config`, which has many more keys than those that tell bits.
class QuantizationReader {
 public:
  QuantizationReader(const core::yaml::Node& node, const std::string& what, core::Diagnostics& diagnostics)
      : node_(node), what_("'quantization_config' of " + what), diagnostics_(diagnostics) {}

  void read(StoredBits& stored) {
    if (!core::yaml::expect_map(node_, what_, diagnostics_)) return;
    const std::string method = text(node_, "quant_method");
    if (method == "fp8" || method == "fbgemm_fp8") stored.weight = stored.activation = 8;
    if (method == "mxfp4") stored.weight = *core::named_number_type("mxfp4");
    if (is_true(node_, "load_in_8bit")) stored.weight = 8;
    if (is_true(node_, "load_in_4bit"))
      stored.weight = {4, {is_true(node_, "bnb_4bit_use_double_quant") ? 8 : 32, 64, ""}};
    bits(node_, "bits", stored.weight);
    bits(node_, "w_bit", stored.weight);
    const bool zero_points = method == "gptq" || is_true(node_, "zero_point");
    group(node_, zero_points, stored.weight);
    if (const core::yaml::Node* groups = node_.find("config_groups"); groups != nullptr && groups->is_map())
      for (const auto& [name, group] : groups->entries) {
        scheme(group, "weights", stored.weight);
        if (const core::yaml::Node* weights = group.is_map() ? group.find("weights") : nullptr;
            weights != nullptr && weights->is_map())
          this->group(*weights, !symmetric(*weights), stored.weight);
        scheme(group, "input_activations", stored.activation);
      }
    scheme(node_, "kv_cache_scheme", stored.cache);
  }

 private:
  static std::string text(const core::yaml::Node& node, const char* key) {
    const core::yaml::Node* const value = node.find(key);
    return value == nullptr ? "" : value->as_text().value_or("");
  }
  static bool is_true(const core::yaml::Node& node, const char* key) {
    const core::yaml::Node* const value = node.find(key);
    return value != nullptr && value->as_bool().value_or(false);
  }

  static bool symmetric(const core::yaml::Node& node) {
    const core::yaml::Node* const value = node.find("symmetric");
    return value == nullptr || value->as_bool().value_or(true);
  }

  /// Weights that share a scale; floating-point ones as MXFP4 and NVFP4 have them: one of 8 bits.
  void group(const core::yaml::Node& node, bool zero_points, core::NumberType& type) {
    constexpr std::int64_t scale = 16, scale_of_floats = 8, longest = std::int64_t{1} << 20;
    std::int64_t every = 0;
    for (const char* key : {"q_group_size", "group_size"}) {
      const core::yaml::Node* const value = node.find(key);
      if (value == nullptr || value->is_null()) continue;
      const std::string what = fmt::format("'{}' in {}", key, what_);
      if (!core::yaml::read(*value, what, every, diagnostics_)) return;
      if (every < -1 || every == 0 || every > longest)
        return diagnostics_.error(
            value->mark,
            fmt::format("{} is {}, expected are weights that share a scale (1 to {}), or -1: all of "
                        "a column",
                        what, every, longest));
    }
    if (every <= 0 || type.bits == 0) return;
    const bool floats = text(node, "type") == "float" && type.bits == 4;
    type.scale = {floats ? scale_of_floats : scale + (zero_points ? type.bits : 0), every, ""};
  }

  void bits(const core::yaml::Node& node, const char* key, core::NumberType& target) {
    const core::yaml::Node* const value = node.find(key);
    std::int64_t found = 0;
    const std::string what = fmt::format("'{}' in {}", key, what_);
    if (value == nullptr || value->is_null() || !core::yaml::read(*value, what, found, diagnostics_))
      return;
    constexpr std::int64_t widest = 64;
    if (found < 1 || found > widest)
      diagnostics_.error(value->mark,
                         fmt::format("{} is {}, expected are bits (1 to {})", what, found, widest));
    else
      target = found;
  }

  void scheme(const core::yaml::Node& parent, const char* key, core::NumberType& target) {
    if (!parent.is_map()) return;
    const core::yaml::Node* const part = parent.find(key);
    if (part != nullptr && part->is_map()) bits(*part, "num_bits", target);
  }

  const core::yaml::Node& node_;
  const std::string what_;
  core::Diagnostics& diagnostics_;
};

}  // namespace

StoredBits read_stored_bits(ConfigMap& map, core::Diagnostics& diagnostics) {
  StoredBits stored;
  read_type(map, stored, diagnostics);
  if (const core::yaml::Node* config = map.find({"quantization_config"}))
    QuantizationReader(*config, map.what(), diagnostics).read(stored);
  return stored;
}

}  // namespace zz::plugins
