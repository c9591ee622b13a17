#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/files.hpp"
#include "core/value/value.hpp"

namespace zz::core {

/// Reads an archive (zz_archive.proto) result by result, and keeps none of them.
///
/// Functions throw InputError, naming the file, and the result where there is one, when the file cannot be
/// read, is no archive, is of a newer version, was cut off or damaged, or holds objects that this build
/// does not accept.
class ArchiveReader {
 public:
  /// What the objects of an archive become: objects again, made and checked like user input, or plain maps,
  /// which also serves for types and fields that this build does not know.
  enum class As { objects, plain };

  ArchiveReader(const std::string& path, As as, const Files& files = Files::on_disk());
  ~ArchiveReader();
  ArchiveReader(ArchiveReader&&) noexcept;

  const std::string& producer() const;  ///< "zz 0.1.0"
  /// The next result; false at the end. That nothing is missing is only certain at the end.
  bool next(Value& evaluation, Value& extra);
  std::uint64_t results() const;  ///< read so far

 private:
  class File;
  std::unique_ptr<File> file_;
};

/// Whether the file is there and begins as an archive does.
bool is_archive(const std::string& path);

}  // namespace zz::core
