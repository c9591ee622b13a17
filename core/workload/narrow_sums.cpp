#include "core/workload/narrow_sums.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>

namespace zz::core {
namespace {

std::int64_t bits_of(const std::vector<OperandPrecision>& all, const char* operand) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const OperandPrecision& one) { return one.operand == operand; });
  return found == all.end() ? 0 : found->bits;
}

/// Several products are added up to one result.
bool adds_up(const Layer& layer) {
  for (int loop = 0; loop < static_cast<int>(layer.loops.size()); ++loop)
    if (layer.loops[static_cast<std::size_t>(loop)].size > 1 &&
        layer.relevancy(0, loop) == Relevancy::irrelevant)
      return true;
  return false;
}

/// Bits that are told, and not assumed, of the operands of a layer.
std::vector<OperandPrecision> told_bits(const Layer& layer) {
  std::vector<OperandPrecision> told;
  const auto tell = [&](const std::string& operand, std::int64_t bits) {
    const std::vector<std::string>& assumed = layer.assumed_precision;
    if (std::find(assumed.begin(), assumed.end(), operand) == assumed.end())
      told.push_back({operand, bits});
  };
  for (const LayerOperand& operand : layer.operands) tell(operand.name, operand.precision);
  tell("O_final", layer.final_output_precision);
  return told;
}

}  // namespace

std::string narrow_sums(const std::vector<OperandPrecision>& bits) {
  const std::int64_t sums = bits_of(bits, "O"), results = bits_of(bits, "O_final");
  if (sums < 1) return "";
  if (results > sums)
    return fmt::format("O has {} bits, fewer than O_final, the finished results, with {}", sums, results);
  const std::int64_t weights = bits_of(bits, "W"), inputs = bits_of(bits, "I");
  if (weights < 1 || inputs < 1) return "";
  const std::int64_t widest = std::max(weights, inputs);
  const std::int64_t product = widest > 8 ? widest : weights + inputs;
  if (sums >= product || (weights == 1 && inputs == 1)) return "";
  return fmt::format("O has {} bits, and a product of W and I, with {} and {} bits, takes {}", sums,
                     weights, inputs, product);
}

void warn_of_narrow_sums(const Workload& workload, const SourceMark& mark, Diagnostics& diagnostics) {
  std::map<std::string, std::vector<std::string>> layers;
  for (const auto& layer : workload.layers) {
    if (layer->operands.empty() || layer->vector_work || !adds_up(*layer)) continue;
    if (std::string sentence = narrow_sums(told_bits(*layer)); !sentence.empty())
      layers[std::move(sentence)].push_back(layer->name);
  }
  for (const auto& [sentence, names] : layers) {
    const std::string more =
        names.size() == 1 ? "" : fmt::format(" (and {} more layers)", names.size() - 1);
    diagnostics.warning(mark, fmt::format("layer '{}'{}: {}", names.front(), more, sentence),
                        "sums are counted and stored with too few bits");
  }
}

}  // namespace zz::core
