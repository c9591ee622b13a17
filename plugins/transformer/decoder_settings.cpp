#include "plugins/transformer/decoder_settings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "core/input/zigzag/number_type_yaml.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/transformer/decoder_config.hpp"

namespace zz::plugins {
namespace {

// As for products of ONNX files: nearly all hardware sums narrow numbers up in words of 32 bits.
constexpr std::int64_t narrowest_sum = 32;
constexpr std::int64_t usual_bits = 8;
/// Floating-point numbers of so many bits are what networks are trained with, and run with fewer.
constexpr std::int64_t narrowest_trained = 16;

/// Nothing: the setting is not given.
std::optional<core::NumberType> type_of(const Value& given, const char* name) {
  if (given.is_null()) return std::nullopt;
  const std::string what = fmt::format("'{}'", name);
  core::NumberType type =
      core::number_type_of(given.kind() == ZZ_STR ? std::string(given.look().str()) : given.json(), what);
  if (type.bits == 0) throw Error(ZZ_E_INVALID, what + " is 0; expected are bits per element (1 to 4096)");
  return type;
}

}  // namespace

void DecoderSettings::check_decoder_settings() const {
  precision_choice();
  for (const auto& [given, name] : {std::pair(&weight_bits, "weight_bits"),
                                    {&activation_bits, "activation_bits"},
                                    {&kv_cache_bits, "kv_cache_bits"}})
    type_of(*given, name);
  if (workload.empty() && !config)
    throw Error(ZZ_E_INVALID,
                "nothing says what the model is: give `workload`, its config.json, or `config`");
  if (config && config.look().kind() != ZZ_MAP) {
    throw Error(ZZ_E_INVALID, fmt::format("'config' must be a map of the keys of a config.json, such as "
                                          "{{hidden_size: 4096}}; found {}",
                                          core::shown_text(config.look().json())));
  }
}

Decoder DecoderSettings::decoder(core::Diagnostics& diagnostics) const {
  return read_decoder(workload, config ? config.look().json() : "", diagnostics, files_of_run());
}

bool DecoderSettings::has_vector_layers(const core::MappingFile& entries) const {
  return !vector_unit.empty() || core::MappingSelection(entries).has_entry({"vector"});
}

DecoderBits DecoderSettings::bits(const StoredBits& stored, const Value& ctx) const {
  const core::PrecisionChoice choice = precision_choice();
  const bool chosen = choice.kind == core::PrecisionChoice::Kind::chosen;
  const bool by_units = choice.kind == core::PrecisionChoice::Kind::units;
  std::vector<core::OperandPrecision> units;
  if (const auto accelerator = accelerator_above(ctx)) units = accelerator->array.operand_precision;
  const auto of_units = [&](const char* operand, const ElementBits& otherwise) {
    for (const core::OperandPrecision& unit : units)
      if (unit.operand == operand && otherwise.assumed) return ElementBits(unit.type());
    return otherwise;
  };
  const auto of = [&](const std::optional<core::NumberType>& given, const core::NumberType& quantised,
                      const char* operand) {
    if (given) return ElementBits(*given);
    if (chosen) return ElementBits(choice.type);
    if (quantised.bits > 0) {
      ElementBits of_file(quantised);
      of_file.scale_assumed = quantised.scale.any();
      return of_file;
    }
    const bool trained = stored.type == 0 || stored.type >= narrowest_trained;
    const ElementBits told(stored.type > 0 ? stored.type : usual_bits, trained && by_units);
    return of_units(operand, told);
  };
  DecoderBits all;
  const std::optional<core::NumberType> cache = type_of(kv_cache_bits, "kv_cache_bits");
  all.weight = of(type_of(weight_bits, "weight_bits"), stored.weight, "W");
  all.activation = of(type_of(activation_bits, "activation_bits"), stored.activation, "I");
  all.cache = cache || stored.cache.bits > 0 ? of(cache, stored.cache, "W") : all.activation;
  const std::int64_t sum = std::max(chosen ? choice.sum_bits() : narrowest_sum, all.activation.bits);
  all.partial_sum = partial_sum_bits
                        ? ElementBits(*partial_sum_bits)
                        : of_units("O", {sum, choice.kind != core::PrecisionChoice::Kind::network});
  all.partial_sum.bits = std::max(all.partial_sum.bits, partial_sum_bits ? 1 : all.activation.bits);
  return all;
}

std::shared_ptr<const core::Accelerator> accelerator_above(const Value& ctx) {
  const Ref read = ctx["accelerator"_n];
  return read.is_null() ? nullptr : object_or_null<core::Accelerator>(ctx.hold(read));
}

}  // namespace zz::plugins
