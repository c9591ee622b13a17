#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/files.hpp"
#include "core/value/value.hpp"

namespace zz::core {

/// The beginning of an archive; zz_archive.proto describes the rest.
inline constexpr std::string_view archive_magic("\x89ZZA\r\n\x1a\n", 8);
inline constexpr std::uint32_t archive_version = 1;

/// Writes results to an archive (zz_archive.proto) one after the other, and keeps none of them. The file
/// appears under its name when it is finished.
class ArchiveWriter {
 public:
  /// Throws std::runtime_error when the file cannot be made.
  explicit ArchiveWriter(const std::string& path);
  ~ArchiveWriter();  ///< without finish(): nothing is left
  ArchiveWriter(ArchiveWriter&&) noexcept;

  /// Throws ValueError for values without a message (detail/result_message.hpp), std::runtime_error when
  /// the disk is full.
  void add(const Value& evaluation, const Value& extra);
  void finish();
  /// Finishes it under another name of the same folder: an archive of less than was to come.
  void finish_as(const std::string& path);

  std::uint64_t results() const;  ///< added so far

 private:
  class File;
  std::unique_ptr<File> file_;
};

/// Reads an archive (zz_archive.proto) result by result, and keeps none of them.
///
/// Functions throw InputError, naming the file, and the result where there is one, when the file cannot be
/// read, is no archive, is of a newer version, was cut off or damaged, or holds objects that this build
/// does not accept.
class ArchiveReader {
 public:
  /// The form of objects that are read: objects again, made and checked like user input, or plain maps,
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

/// True if the file is there and begins as an archive does.
bool is_archive(const std::string& path);

/// One result as the message of zz_archive.proto, for another process of the same zz. Throws ValueError for
/// what has no message (keys that are not UTF-8, values too deep inside of values).
std::string bytes_of_result(const Value& evaluation, const Value& extra);

/// The (evaluation, extra) in such bytes; objects are made and checked as user input would be. Throws
/// ValueError or InputError.
std::pair<Value, Value> result_of_bytes(std::string_view bytes);

}  // namespace zz::core
