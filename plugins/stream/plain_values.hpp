#pragma once
#include <utility>

#include "core/value/value.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

/// A plain value that the core made, for the context.
inline Value from_core(const core::Value& value) { return Value::take(internal_tier().wrap(&value)); }

/// A setting or a part of the context as the core reads it. Valid as long as its source.
inline core::Ref to_core(Ref part) {
  const zz_ref raw = part.raw();
  return core::look_through({raw.word, static_cast<const core::Type*>(raw.type)});
}

}  // namespace zz::plugins
