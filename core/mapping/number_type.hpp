#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zz::core {

/// Bits that the numbers of a *block* have in common, stored beside them: a scale, and a zero point where
/// there is one. A block is so many elements that follow each other along one loop.
struct BlockScale {
  std::int64_t bits = 0;   ///< of one block; 0: numbers are by themselves
  std::int64_t every = 0;  ///< elements of a block
  std::string along = {};  ///< loop dimension; "": the axis of the operand (scale_axis())

  bool operator==(const BlockScale&) const = default;
  bool any() const { return bits > 0; }
};

/// The type of an operand's numbers, as far as it bears on bits.
struct NumberType {
  std::int64_t bits = 0;  ///< of an element
  BlockScale scale = {};

  NumberType(std::int64_t element_bits = 0, BlockScale of_block = {})
      : bits(element_bits), scale(std::move(of_block)) {}
  bool operator==(const NumberType&) const = default;
};

/// "int8", "bf16", "mxfp4", "int4_g128"; nothing for another text. `int4_g128` stands for any whole number
/// of bits up to 16 and any length of block, with a scale of 16 bits.
std::optional<NumberType> named_number_type(const std::string& name);
/// Names for messages.
const std::vector<std::string>& number_type_names();
/// "8 bits", or "4 bits and a scale of 8 for each 32 along C".
std::string to_text(const NumberType& type);

}  // namespace zz::core
