#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/output/archive/archive.hpp"

namespace zz::test {

/// A file name of this test alone; the file is removed at the end.
class TemporaryArchive {
 public:
  explicit TemporaryArchive(const std::string& name)
      : path_(
            (std::filesystem::temp_directory_path() / (std::to_string(::getpid()) + "-" + name)).string()) {
  }
  ~TemporaryArchive() { std::filesystem::remove(path_); }
  TemporaryArchive(const TemporaryArchive&) = delete;
  TemporaryArchive& operator=(const TemporaryArchive&) = delete;

  const std::string& path() const { return path_; }
  std::string bytes() const {
    std::ifstream stream(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::string path_;
};

using Results = std::vector<std::pair<core::Value, core::Value>>;

inline void write_archive(const std::string& path, const Results& results) {
  core::ArchiveWriter writer(path);
  for (const auto& [evaluation, extra] : results) writer.add(evaluation, extra);
  writer.finish();
}

inline Results read_archive(const std::string& path,
                            core::ArchiveReader::As as = core::ArchiveReader::As::objects) {
  core::ArchiveReader reader(path, as);
  Results results;
  core::Value evaluation, extra;
  while (reader.next(evaluation, extra)) results.emplace_back(evaluation, extra);
  return results;
}

/// The error of reading; empty when there is none.
inline std::string problem_of(const std::string& path) {
  try {
    read_archive(path);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace zz::test
