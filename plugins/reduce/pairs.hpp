#pragma once
#include <string>

#include "zz/stage.hpp"

namespace zz::plugins {

/// A result as a value: [evaluation, extra]. The result is left as it is.
inline Value pair_of(const Result& result) {
  return make(nullptr, list({result.evaluation, result.extra}));
}

/// The message of a reducer that got nothing. Names the layer where the context has one.
inline std::string nothing_found(const Value& ctx) {
  const Ref name = ctx["layer"_n]["name"_n];
  return name.is_null() ? "no result to reduce"
                        : "no result to reduce for layer '" + std::string(name.str()) + "'";
}

}  // namespace zz::plugins
