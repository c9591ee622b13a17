#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugins/transformer/decoder.hpp"
#include "plugins/transformer/serving_costs.hpp"
#include "plugins/transformer/serving_plan.hpp"

namespace zz::plugins {

/// Names and facts that a bundle tells of itself.
struct Bundle {
  std::string hardware;  ///< the folder of the chip, and its name in the simulators
  std::string model;     ///< "meta-llama/Llama-3.1-8B"
  std::string variant;   ///< the folder of the types of numbers, "bf16"
  Decoder decoder;       ///< the whole model
  DecoderBits bits;
  std::vector<std::int64_t> degrees;
  ServingPoints grid;
  double clock_period = 0;  ///< ns
  std::string version;      ///< of zz
};

/// "bf16", "fp8-kvint8": as simulators call the types of weights and of keys and values.
std::string variant_of(const StoredBits& stored, const DecoderBits& bits);

/// The files of a bundle, each by its path in the bundle's folder:
/// * <hardware>/<model>/<variant>/ as LLMServingSim 2 reads it: meta.yaml, and in tp<degree>/ dense.csv,
///   per_sequence.csv, attention.csv and moe.csv, with microseconds;
/// * vidur/compute/<hardware>/<model>/ as Vidur reads it: mlp.csv and attention.csv, with milliseconds; not
///   of models with experts or latent attention, which it does not know;
/// * costs.json: every row, with cycles, energy and limits.
/// Rows without a cost are left out.
std::vector<std::pair<std::string, std::string>> bundle_files(const Bundle& facts, const ServingPlan& plan,
                                                              const std::vector<ServingCost>& layers,
                                                              const std::vector<ServingCost>& rows);

/// Vidur knows such models.
bool is_for_vidur(const Decoder& decoder);

}  // namespace zz::plugins
