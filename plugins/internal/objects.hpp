#pragma once
#include <memory>
#include <string>

#include "core/value/type.hpp"
#include "core/value/value.hpp"
#include "plugins/internal/internal_tier.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The C++ object that a value shows; shares its ownership. nullptr when it is of another type or null.
template <class T>
std::shared_ptr<const T> object_or_null(const Value& value) {
  if (!value) return nullptr;
  return static_cast<const core::Value*>(internal_tier().value(value.handle()))->as<T>();
}

/// The C++ object under a key of the context, never null. Throws Error naming the key and what is there
/// instead.
template <class T>
std::shared_ptr<const T> object(const Value& ctx, Name key, const char* type) {
  const Ref part = ctx[key];
  if (!part.is_null()) {
    if (auto found = object_or_null<T>(ctx.hold(part))) return found;
  }
  throw_no_object(ctx, part, key, type);
}

/// The C++ object that a reference shows, valid as long as what it was read from; nullptr when it is of
/// another type. The host's references are those of the core, word for word, which this build relies on.
template <class T>
const T* borrowed(Ref part) {
  const zz_ref raw = part.raw();
  const core::Ref ref = core::look_through({raw.word, static_cast<const core::Type*>(raw.type)});
  return ref.type == core::type_of<T>() ? core::object_in<T>(ref) : nullptr;
}

/// A value that shows a C++ object and shares its ownership.
template <class T>
Value wrap(std::shared_ptr<const T> shared) {
  const core::Value value = core::Value::object(std::move(shared));
  return Value::take(internal_tier().wrap(&value));
}
template <class T>
Value wrap(T object) {
  return wrap(std::shared_ptr<const T>(std::make_shared<T>(std::move(object))));
}

}  // namespace zz::plugins
