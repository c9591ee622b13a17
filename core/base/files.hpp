#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace zz::core {

/// Where the input files of a run come from: the files in memory that the program around the run brought
/// along, by name ("<accelerator.yaml>"), else the disk. Every reader takes it, and the record of the files
/// that the results depend on is kept here. Threads may read at the same time; files are added before.
class Files {
 public:
  Files() = default;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  /// The disk alone, without a record: for readers outside of a run.
  static const Files& on_disk();

  /// A file in memory; it replaces an earlier one of that name.
  void add(const std::string& name, std::string bytes) { in_memory_[name] = std::move(bytes); }
  /// The same for the text of a value that a program gave: nobody has seen its lines.
  void add_value(const std::string& name, std::string bytes) {
    values_.insert(name);
    add(name, std::move(bytes));
  }
  /// The name of such a value in messages ("accelerator" for "<accelerator>.yaml"); "" for another file.
  std::string value_name(const std::string& path) const;
  /// The bytes of such a file, which live as long as this object, or nullptr.
  const std::string* in_memory(const std::string& path) const;

  /// Checks that a path is a file that can be read to its end: a regular file of at most `most_bytes`
  /// bytes. Pipes, devices and sockets are refused because they may never end. Throws InputError that names
  /// the path and says what was `expected` ("an ONNX file").
  void check(const std::string& path, std::uintmax_t most_bytes, std::string_view expected) const;
  /// The content of such a file. Throws as check() does.
  std::string read(const std::string& path, std::uintmax_t most_bytes, std::string_view expected) const;

  /// Adds to the record, as check() and read() do: for a file on disk that is opened otherwise.
  void note_read(const std::string& path) const;
  /// The files on disk that were read so far, as absolute paths.
  std::set<std::string> read_so_far() const;

 private:
  explicit Files(bool recorded) : recorded_(recorded) {}

  std::map<std::string, std::string, std::less<>> in_memory_;
  std::set<std::string> values_;
  bool recorded_ = true;
  mutable std::mutex mutex_;
  mutable std::set<std::string> read_;
};

}  // namespace zz::core
