#pragma once
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>

#include "core/input/zigzag/accelerator_yaml.hpp"

namespace zz::test {

/// A memory that holds all operands, with the given ports.
inline std::string memory_text(const std::string& name, const std::string& size, const std::string& ports) {
  return "  " + name + ": {size: " + size +
         ", r_cost: 2, w_cost: 3, area: 0, latency: 1, operands: [I1, I2, O], served_dimensions: [D1], "
         "ports: [" +
         ports + "]}\n";
}

inline std::string array_text(const std::string& size) {
  return "operational_array: {unit_energy: 1, unit_area: 1, dimensions: [D1], sizes: [" + size + "]}\n";
}

inline const std::string one_port =
    "{name: rw_port_1, type: read_write, bandwidth_min: 8, bandwidth_max: 64, allocation: [\"O, tl\"]}";
inline const std::string two_ports =
    "{name: r_port_1, type: read, bandwidth_min: 8, bandwidth_max: 32, allocation: [\"O, tl\"]}, "
    "{name: w_port_1, type: write, bandwidth_min: 8, bandwidth_max: 16, allocation: [\"O, fl\"]}";

inline std::string core_text(const std::string& name) {
  return "name: " + name + "\nmemories:\n" + memory_text("buffer", "1024", two_ports) + array_text("4");
}
inline std::string dram_text(const std::string& ports) {
  return "name: dram\nmemories:\n" + memory_text("dram", "1000000", ports) + array_text("0");
}

/// A folder for the length of a test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("zz-hardware-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The accelerator of the text of one core file.
inline std::shared_ptr<const core::Accelerator> core_of(const std::string& text) {
  const Folder folder;
  core::Diagnostics diagnostics;
  return std::make_shared<const core::Accelerator>(
      core::read_core(folder.write("core.yaml", text), diagnostics));
}

}  // namespace zz::test
