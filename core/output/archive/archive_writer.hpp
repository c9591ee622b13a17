#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "core/value/value.hpp"

namespace zz::core {

/// Writes results to an archive one after the other, holding on to no more than a fixed number of their
/// objects. The file appears under its name when it is finished.
class ArchiveWriter {
 public:
  /// Throws std::runtime_error when the file cannot be made.
  explicit ArchiveWriter(const std::string& path);
  ~ArchiveWriter();  ///< without finish(): nothing is left
  ArchiveWriter(ArchiveWriter&&) noexcept;

  /// Throws ValueError for what has no wire form (Packer), std::runtime_error when the disk is full.
  void add(const Value& evaluation, const Value& extra);
  void finish();

  std::uint64_t results() const;  ///< added so far

 private:
  class File;
  std::unique_ptr<File> file_;
};

}  // namespace zz::core
