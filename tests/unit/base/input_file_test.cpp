#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/stream/multi_core_yaml.hpp"
#include "core/input/yaml/document.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"
#include "core/output/archive/archive.hpp"

using namespace zz::core;
namespace fs = std::filesystem;

namespace {

std::string failure(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("pipes, devices and folders are refused by every reader of files, and none waits for them") {
  const std::string folder = fs::temp_directory_path() / ("zz-input-file-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string pipe = folder + "/pipe", big = folder + "/big";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::ofstream(big) << "more than that";
  const MappingFile mapping;
  Diagnostics diagnostics;
  const std::vector<std::function<void(const std::string&)>> readers = {
      [&](const std::string& path) { yaml::load_file(path, diagnostics); },
      [&](const std::string& path) { read_workload(path, mapping, {}, diagnostics); },
      [&](const std::string& path) { read_mapping(path, diagnostics); },
      [&](const std::string& path) { read_accelerator(path, diagnostics); },
      [&](const std::string& path) { read_multi_core(path, diagnostics); },
      [&](const std::string& path) { read_onnx(path, mapping, {}, diagnostics); },
      [&](const std::string& path) { ArchiveReader reader(path, ArchiveReader::As::plain); }};
  for (const auto& read : readers) {
    CHECK(failure([&] { read(pipe); }).find(pipe + ": error: this is a pipe; a") == 0);
    CHECK(failure([&] { read("/dev/zero"); }).find("/dev/zero: error: this is a device; a") == 0);
    CHECK(failure([&] { read(folder); }).find(folder + ": error: this is a folder; a") == 0);
    CHECK(failure([&] { read(folder + "/none"); }).find("error: there is no such file") !=
          std::string::npos);
  }
  CHECK_FALSE(is_archive(pipe));
  CHECK(failure([&] { Files::on_disk().read(big, 10, "a YAML file"); }) ==
        big + ": error: the file has 14 bytes; at most 10 are read; a YAML file is expected");
  CHECK(Files::on_disk().read(big, 14, "a YAML file") == "more than that");
  fs::remove_all(folder);
}
