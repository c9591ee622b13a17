#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/transformer/decoder.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// For stages that make layers of a config.json: which model, in which bits.
struct DecoderSettings : PrecisionSetting {
  std::string workload;
  Value config;
  std::string mapping;
  Value weight_bits, activation_bits, kv_cache_bits;
  std::optional<std::int64_t> partial_sum_bits;
  std::string vector_unit;

  static constexpr auto workload_setting =
      param<&DecoderSettings::workload>("workload",
                                        "the model's config.json; empty: `config` says everything")
          .input_path()
          .alias("workload_path");
  static constexpr auto config_setting = param<&DecoderSettings::config>(
      "config", "keys of a config.json, as a map, in the place of those of the file");
  static constexpr auto mapping_setting =
      param<&DecoderSettings::mapping>("mapping", "the mapping file (YAML): what is prescribed per layer")
          .required()
          .input_path()
          .alias("mapping_path");
  static constexpr auto weight_bits_setting =
      param<&DecoderSettings::weight_bits>(
          "weight_bits",
          "of a weight, or its type of numbers, as mxfp4; empty: as `precision`, the "
          "file or the units say")
          .unit("bit");
  static constexpr auto activation_bits_setting =
      param<&DecoderSettings::activation_bits>("activation_bits",
                                               "of an activation, or its type; empty: as for a weight")
          .unit("bit");
  static constexpr auto kv_cache_bits_setting =
      param<&DecoderSettings::kv_cache_bits>("kv_cache_bits",
                                             "of an element of keys and values, or its type; empty: as for "
                                             "activations")
          .unit("bit")
          .alias("kv_bits");
  static constexpr auto partial_sum_bits_setting =
      param<&DecoderSettings::partial_sum_bits>(
          "partial_sum_bits", "of a sum; empty: of the units; 32, or as for activations if that is more")
          .unit("bit")
          .allowed("[1, 4096]");
  static constexpr auto vector_unit_setting =
      param<&DecoderSettings::vector_unit>("vector_unit",
                                           "the accelerator file of the vector unit, which "
                                           "AcceleratorParserStage reads; without it, work on elements "
                                           "costs nothing")
          .input_path();

  /// Throws for settings that contradict each other.
  void check_decoder_settings() const;
  /// Reads the model. Throws core::InputError.
  Decoder decoder(core::Diagnostics& diagnostics) const;
  /// Work on elements has layers: there is a vector unit, or the mapping file has an entry for it.
  bool has_vector_layers(const core::MappingFile& entries) const;
  /// By the settings, `precision`, the file, the units that the context has, and the usual.
  DecoderBits bits(const StoredBits& stored, const Value& ctx) const;
};

/// The accelerator of the context; null: none was read above.
std::shared_ptr<const core::Accelerator> accelerator_above(const Value& ctx);

}  // namespace zz::plugins
