#include "plugins/archive/result_archive.hpp"

#include "core/value/edit.hpp"
#include "plugins/internal/internal_tier.hpp"

namespace zz::plugins {
namespace {

/// The core tells of files and disks by plain exceptions, which the chain would take for a bug.
template <class Function>
auto guarded(const std::string& path, Function function) {
  try {
    return function();
  } catch (const core::ValueError& error) {
    throw Error(ZZ_E_UNSUPPORTED, "a result cannot be stored in '" + path + "': " + error.what());
  } catch (const std::exception& error) {
    throw Error(ZZ_E_INTERNAL, error.what());
  }
}

}  // namespace

core::Value core_value(const Value& value) {
  return value ? *static_cast<const core::Value*>(internal_tier().value(value.handle())) : core::Value();
}

ResultArchive::ResultArchive(const std::string& path)
    : path_(path), writer_(guarded(path, [&] { return core::ArchiveWriter(path); })) {}

void ResultArchive::add(const core::Value& evaluation, const core::Value& extra) {
  guarded(path_, [&] { writer_.add(evaluation, extra); });
}

void ResultArchive::finish() {
  guarded(path_, [&] { writer_.finish(); });
}

void ResultArchive::finish_as(const std::string& path) {
  guarded(path, [&] { writer_.finish_as(path); });
}

}  // namespace zz::plugins
