#pragma once
#include <string>

#include "core/output/archive/archive_writer.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

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
