#pragma once
#include "core/value/reflect.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// A computed map from the operands of a layer (by their names) to what `show` makes of (layer, position).
/// Its word is the layer.
template <auto show>
struct PerOperand {
  static const Layer& layer_at(std::uint64_t word) { return object_at<Layer>(word); }

  static constexpr Type type{
      .kind = Kind::map,
      .count =
          [](std::uint64_t word) { return static_cast<std::uint32_t>(layer_at(word).operands.size()); },
      .at =
          [](std::uint64_t word, std::uint32_t index, std::string_view& key) {
            key = layer_at(word).operands[index].name;
            return show(layer_at(word), static_cast<int>(index));
          },
      .get =
          [](std::uint64_t word, Name key) {
            const Layer& layer = layer_at(word);
            const std::string_view name = text_of(key);
            for (std::size_t i = 0; i < layer.operands.size(); ++i)
              if (layer.operands[i].name == name) return show(layer, static_cast<int>(i));
            return missing(key);
          },
      .clone = clone_object<Layer>};

  static Ref of(const Layer& layer) { return {word_of(&layer), &type}; }
};

}  // namespace zz::core
