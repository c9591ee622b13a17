#pragma once
#include <optional>
#include <string>

#include "core/output/archive/archive.hpp"
#include "plugins/internal/file_claims.hpp"
#include "plugins/internal/file_pattern.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// A stage with an archive for its openings, or one for each: what it is called.
class DumpNameStage : public Stage {
 public:
  std::optional<std::string> dump_filename_pattern;
  std::optional<std::string> dump_folder;
  static constexpr auto params = zz::params(
      param<&DumpNameStage::dump_filename_pattern>(
          "dump_filename_pattern",
          "name of the archive; `{key}` becomes the value that the context has under this key or path, as "
          "{layer.name}, and `{datetime}` the start of the run; `{{` and `}}` are braces")
          .alias("filename_pattern"),
      param<&DumpNameStage::dump_folder>(
          "dump_folder", "without dump_filename_pattern: the folder in which the archive is dump.zz"));
  static constexpr Port consumes[] = {
      datetime_port, zz::port("*", ZZ_NULL, "what dump_filename_pattern names").optional()};

  /// Throws Error(ZZ_E_INVALID) when there is neither pattern nor folder, or when the braces of the pattern
  /// do not match.
  void prepare();

 protected:
  /// The name with the values of this context in it (file_pattern.hpp).
  std::string dump_path(const Value& ctx) const;
  /// The same. Throws Error(ZZ_E_INVALID), too, when the name belongs to other values already.
  std::string claimed_path(const Value& ctx);

 private:
  PatternPath pattern_path(const Value& ctx) const;

  FileClaims files_;
};

/// Throws Error when the archive could not be written there, or another stage writes it.
void check_archive(const Stage& stage, const std::string& path);

/// The value of the core behind one of the SDK.
core::Value core_value(const Value& value);

/// An archive that a stage writes; failures are of the kind that the chain knows, and name the file.
class ResultArchive {
 public:
  explicit ResultArchive(const std::string& path);
  void add(const core::Value& evaluation, const core::Value& extra = {});
  void finish();
  /// As ArchiveWriter::finish_as().
  void finish_as(const std::string& path);
  uint64_t results() const { return writer_.results(); }

 private:
  std::string path_;
  core::ArchiveWriter writer_;
};

}  // namespace zz::plugins
