#pragma once
#include "core/hardware/accelerator_check.hpp"
#include "core/input/yaml/form.hpp"

/// The tables of the maps of an accelerator file. Some keys depend on others; each combination has its
/// table.
namespace zz::core {

/// `multipliers` in place of `operational_array`, as in older files.
const yaml::KeyTable& accelerator_keys(Units units, bool costs_are_open, bool multipliers);

enum class ArrayForm {
  plain,
  old_names,  ///< `multiplier_energy` and `multiplier_area`, as up to ZigZag 3.8.1
  imc
};
const yaml::KeyTable& array_keys(Units units, bool costs_are_open, ArrayForm form);
const yaml::KeyTable& fold_keys();
const yaml::KeyTable& instruction_keys();
/// Types of numbers beside the array, as in later versions of Stream.
const yaml::KeyTable& core_precision_keys();

/// `legacy_ports`: counted, as in ZigZag 3.1 to 3.8.1.
const yaml::KeyTable& memory_keys(bool costs_are_open, bool legacy_ports);
inline constexpr std::int64_t most_counted_ports = 64;
const yaml::KeyTable& port_keys();
const yaml::KeyTable& line_keys();
const yaml::KeyTable& request_keys();
const yaml::KeyTable& store_keys();

/// Names of those (named_number_type()).
const std::vector<std::string>& core_number_types();

}  // namespace zz::core
