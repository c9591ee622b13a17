#pragma once
#include <memory>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/value/type.hpp"
#include "core/value/value.hpp"
#include "zz/internal_tier.h"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The host's table for in-tree plugins. Throws when the host is of another build, which the loader
/// excludes.
inline const zz_internal& internal_tier() {
  static const auto* const table = static_cast<const zz_internal*>(
      host().get_extension((std::string(ZZ_INTERNAL) + host().build).c_str()));
  if (table == nullptr)
    throw Error(ZZ_E_INTERNAL, "the host does not offer its internal tier to this plugin");
  return *table;
}

/// Where the input files of the run come from.
inline const core::Files& files_of_run() {
  return *static_cast<const core::Files*>(internal_tier().files());
}

/// For the top of a page: "" for a run that nobody has interrupted.
inline std::string note_of_interruption() {
  return internal_tier().interrupted() != 0 ? "The run was interrupted: these are the results until then. "
                                            : "";
}

/// Throws the error for a part of the context that is not an object of the C++ type behind `type`.
[[noreturn]] inline void throw_no_object(const Value& ctx, Ref part, Name key, const char* type) {
  const Ref several = ctx["multi_core_accelerator"];
  if (key.text() == "accelerator" && !several.is_null() && several["cores"].size() > 1) {
    throw Error(
        ZZ_E_INVALID,
        "the accelerator has several cores, but this stage needs a single one; the layers of a network are "
        "spread over several cores by IntraCoreMappingStage and InterCoreMappingStage");
  }
  const std::string wanted = "'" + std::string(key.text()) + "' must be of type " + type;
  if (part.is_null()) throw Error(ZZ_E_MISSING, wanted + ", but there is none");
  const std::string found(part.type());
  throw Error(ZZ_E_TYPE, wanted + ", but is " + (found.empty() ? "a plain value" : "of type " + found));
}

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

/// Hands the warnings that a reader collected to the log.
inline void log_warnings(const Stage& stage, const core::Diagnostics& diagnostics) {
  for (const core::Diagnostic& diagnostic : diagnostics.all())
    if (diagnostic.severity == core::Severity::warning)
      stage.log(Level::warning, core::to_string(diagnostic));
}

}  // namespace zz::plugins
