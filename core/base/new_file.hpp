#pragma once
#include <string>
#include <string_view>

namespace zz::core {

/// A file that is deleted when the process is ended before the file is finished, as far as a handler still
/// runs. What a killed process leaves is found by its lock, and only when its path is written again. [any]
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  explicit UnfinishedFile(const std::string& path);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  ~UnfinishedFile();  ///< forgets the file and leaves it where it is

 private:
  int slot_ = -1;
};

/// Deletes all of them. For handlers that end the process: async-signal-safe.
void remove_unfinished_files() noexcept;

/// A file that appears whole or not at all: it is written under a temporary name beside its final one and
/// renamed at the end. Missing folders are created. Functions throw std::runtime_error with the path and
/// the reason; what was written is then gone. A process that is killed may leave "<path>.part", which the
/// next writer of that path replaces.
class NewFile {
 public:
  explicit NewFile(std::string path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();  ///< without commit(): nothing is left

  void write(std::string_view bytes);
  void commit();
  /// Gives it another name of the same folder: for what is less than was to be written.
  void commit_as(std::string path);

  /// A file with that content.
  static void write_whole(std::string path, std::string_view content);

 private:
  NewFile() = default;
  void open(std::string path);
  /// Deletes the unfinished file, if there is one.
  void drop();
  [[noreturn]] void fail(int error);

  std::string path_, temporary_;
  int file_ = -1;  ///< open, and holds the lock of the temporary name
  UnfinishedFile unfinished_;
};

/// Throws what a NewFile of that path would throw at its end, as far as that is known before: the folder,
/// which is made when it is missing, must take new files, and the path must not be a folder. Nothing is
/// written.
void check_new_file(const std::string& path);

/// From now on the files of this process are written below that folder only, at any depth and wherever
/// links lead: for a program that serves others. It must exist. [main, before any file is written]
void write_only_below(const std::string& folder);

/// Throws std::runtime_error for the path of a file that may not be written because of that. [any]
void check_written_path(const std::string& path);

/// Where a file lies that is opened at this path, and not replaced there: as an absolute path, all links
/// followed, also those to files that are not there yet. Throws std::runtime_error for links in a circle,
/// and for what is there and no regular file: a pipe may never end, and a device is none of ours.
std::string place_of_file(const std::string& path);

}  // namespace zz::core
