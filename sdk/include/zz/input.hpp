// zz/input.hpp - input files of a stage: reads structs with a table of parameters, like that of a stage,
// from YAML, with the same checks, defaults and messages as settings.
//
//   struct Price {
//     std::string memory;
//     double per_bit = 0;
//     static constexpr auto params = zz::params(
//         zz::param<&Price::memory>("memory", "its name").required(),
//         zz::param<&Price::per_bit>("per_bit", "what one bit costs").unit("pJ").allowed("[0, inf]"));
//   };
//   ...
//   for (const Price& price : read_rows<Price>(file)) ...
//
// The functions are Stage::read_settings, read_rows and read_yaml. Mark the setting that names the file
// with .input_path(): its path then counts from the pipeline file.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "zz/parameters.hpp"
#include "zz/stage_abi.h"

#pragma GCC visibility push(hidden)
namespace zz {
namespace detail {

// The table of a struct as the host reads it, with the defaults that the members have.
template <class T>
std::span<const zz_param> settings_of() {
  static const auto table = [] {
    auto raw = std::apply(
        [](const auto&... param) { return std::array<zz_param, sizeof...(param)>{param.raw...}; },
        T::params);
    const T fresh{};
    std::size_t i = 0;
    std::apply([&](const auto&... param) { (fill_default(param, raw[i++], fresh), ...); }, T::params);
    return raw;
  }();
  return table;
}

inline Value read_input(zz_place* at, std::string_view path, int32_t form,
                        std::span<const zz_param> settings) {
  if (!runtime.input) throw Error(ZZ_E_UNSUPPORTED, "this host does not read files for stages");
  zz_value* read = runtime.input->read(at, {path.data(), path.size()}, form, settings.data(),
                                       static_cast<uint32_t>(settings.size()), sink());
  if (!read) throw_failed_call();
  return Value::take(read);
}

}  // namespace detail

// The struct from a map of its settings, such as Stage::read_settings gives.
template <class T>
T unpack(Ref settings) {
  T made{};
  std::apply([&](const auto&... param) { (detail::assign(param, made, settings), ...); }, T::params);
  return made;
}

}  // namespace zz
#pragma GCC visibility pop
