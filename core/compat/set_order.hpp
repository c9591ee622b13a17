#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zz::core {

/// The class of a name; names of different classes hash differently.
enum class NameClass { layer_dimension, array_dimension };

/// ZigZag walks hash sets of dimensions in places where the order decides which of several equally good
/// candidates is kept. The order is a fixed function of the names: this computes it.
///
/// hash = (SHA-512 of the serialised name xor SHA-512 of the serialised class) mod 2^61 - 1.
std::uint64_t identifier_hash(const std::string& name, NameClass name_class);

/// The names (inserted in the given order, repeated ones count once) in the order in which the set is
/// walked (core/compat/set_walk.hpp).
std::vector<std::string> set_order(const std::vector<std::string>& names, NameClass name_class);

}  // namespace zz::core
