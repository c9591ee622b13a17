#include "plugins/archive/archive_file.hpp"

#include <filesystem>
#include <utility>

#include "core/value/edit.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

constexpr const char* setting = "dump_filename_pattern";

}  // namespace

void DumpNameStage::prepare() {
  if (dump_filename_pattern)
    check_pattern(setting, *dump_filename_pattern);
  else if (!dump_folder)
    throw Error(ZZ_E_INVALID, "'dump_filename_pattern' is missing: it says where the results go");
}

PatternPath DumpNameStage::pattern_path(const Value& ctx) const {
  if (!dump_filename_pattern) return {(std::filesystem::path(*dump_folder) / "dump.zz").string(), ""};
  return path_of_pattern(setting, *dump_filename_pattern, ctx);
}

std::string DumpNameStage::dump_path(const Value& ctx) const { return pattern_path(ctx).path; }

std::string DumpNameStage::claimed_path(const Value& ctx) {
  PatternPath made = pattern_path(ctx);
  files_.claim(made.path, made.values);
  return std::move(made.path);
}

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

void check_archive(const Stage& stage, const std::string& path) {
  guarded(path, [&] { check_place_of_file(path); });
  claim_file(stage, path);
}

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
