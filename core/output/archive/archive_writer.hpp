#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "core/value/value.hpp"

namespace zz::core {

/// Writes results to an archive (zz_archive.proto) one after the other, and keeps none of them. The file
/// appears under its name when it is finished.
class ArchiveWriter {
 public:
  /// Throws std::runtime_error when the file cannot be made.
  explicit ArchiveWriter(const std::string& path);
  ~ArchiveWriter();  ///< without finish(): nothing is left
  ArchiveWriter(ArchiveWriter&&) noexcept;

  /// Throws ValueError for what has no message (result_message.hpp), std::runtime_error when the disk is
  /// full.
  void add(const Value& evaluation, const Value& extra);
  void finish();
  /// Finishes it under another name of the same folder: an archive of less than was to come.
  void finish_as(const std::string& path);

  std::uint64_t results() const;  ///< added so far

 private:
  class File;
  std::unique_ptr<File> file_;
};

}  // namespace zz::core
