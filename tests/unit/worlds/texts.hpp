#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"

/// Texts of files and of messages.
namespace zz::test {

/// The text of a file, compressed by gzip or not. Throws std::runtime_error when it cannot be read.
std::string text_of(const std::filesystem::path& path);

/// The errors that `action` throws, one a line, as "line:column message"; empty when it throws none.
std::string errors_of(const std::function<void()>& action);

/// `text` with the first `from` replaced by `to`.
std::string with(std::string text, const std::string& from, const std::string& to);

/// A folder for the length of a test.
class Folder {
 public:
  Folder();
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Writes a file, makes its folders, and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Accelerator files of one core. Ports are lists as in `one_port`.
inline const std::string one_port =
    "{name: rw_port_1, type: read_write, bandwidth_min: 8, bandwidth_max: 64, allocation: [\"O, tl\"]}";
inline const std::string two_ports =
    "{name: r_port_1, type: read, bandwidth_min: 8, bandwidth_max: 32, allocation: [\"O, tl\"]}, "
    "{name: w_port_1, type: write, bandwidth_min: 8, bandwidth_max: 16, allocation: [\"O, fl\"]}";
/// Parts of such a file: a memory that holds all operands, and an array.
std::string memory_text(const std::string& name, const std::string& size, const std::string& ports);
std::string array_text(const std::string& size);
/// Four units and a buffer with two ports.
std::string core_text(const std::string& name);
/// An off-chip memory: no units.
std::string dram_text(const std::string& ports);
/// The accelerator of such a text.
std::shared_ptr<const core::Accelerator> core_of(const std::string& text);

}  // namespace zz::test
