#include "plugins/archive/archive_file.hpp"

#include <filesystem>

#include "core/output/file_names.hpp"
#include "core/value/edit.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

[[noreturn]] void refuse(const std::string& pattern, const std::string& why) {
  throw Error(ZZ_E_INVALID, "dump_filename_pattern '" + pattern + "': " + why);
}

/// Calls `literal(char)` and `field(name)` for the parts of the pattern.
template <class Literal, class Field>
void walk(const std::string& pattern, Literal literal, Field field) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c != '{' && c != '}') {
      literal(c);
    } else if (i + 1 < pattern.size() && pattern[i + 1] == c) {
      literal(c);
      ++i;
    } else if (c == '}') {
      refuse(pattern, "a '}' closes nothing; write '}}' for a brace");
    } else {
      const std::size_t end = pattern.find('}', i);
      if (end == std::string::npos) refuse(pattern, "a '{' is not closed; write '{{' for a brace");
      const std::string name = pattern.substr(i + 1, end - i - 1);
      if (name.empty() || name.find_first_of("{:!") != std::string::npos)
        refuse(pattern, "between braces a key of the context is expected, found '" + name + "'");
      field(name);
      i = end;
    }
  }
}

std::string text_of(const Value& ctx, const std::string& name, const std::string& pattern) {
  Ref part = ctx[Name(name)];
  if (!part.exists())
    throw Error(ZZ_E_MISSING,
                "dump_filename_pattern '" + pattern + "': the context has no '" + name + "' here");
  if (part.kind() == ZZ_OBJECT && part["name"].kind() == ZZ_STR) part = part["name"];
  if (part.kind() == ZZ_STR) return std::string(part.str());
  if (part.kind() == ZZ_BOOL || part.kind() == ZZ_I64 || part.kind() == ZZ_F64) return part.json();
  throw Error(ZZ_E_TYPE,
              "dump_filename_pattern '" + pattern + "': '" + name + "' is neither a text nor a number");
}

}  // namespace

void DumpNameStage::prepare() {
  if (dump_filename_pattern)
    walk(
        *dump_filename_pattern, [](char) {}, [](const std::string&) {});
  else if (!dump_folder)
    throw Error(ZZ_E_INVALID, "'dump_filename_pattern' is missing: it says where the results go");
}

std::string DumpNameStage::dump_path(const Value& ctx) {
  if (!dump_filename_pattern) return (std::filesystem::path(*dump_folder) / "dump.zz").string();
  std::string path, values;
  walk(
      *dump_filename_pattern, [&](char c) { path += c; },
      [&](const std::string& name) {
        const std::string text = text_of(ctx, name, *dump_filename_pattern);
        values += (values.empty() ? "the results of " : ", ") + name + " = '" + text + "'";
        path += core::as_file_name(text);
      });
  path = core::fitting_path(path);
  files_.claim(path, values);
  return path;
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
