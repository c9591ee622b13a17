#include "tests/unit/worlds/texts.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <vector>
#include <zlib.h>

#include "core/base/diagnostics.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"

namespace zz::test {

std::string text_of(const std::filesystem::path& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error(path.string() + " cannot be read");
  std::string text;
  std::vector<char> block(1 << 20);
  for (int size = 0; (size = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;)
    text.append(block.data(), static_cast<std::size_t>(size));
  gzclose(file);
  return text;
}

std::string errors_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const core::InputError& error) {
    std::string text;
    for (const core::Diagnostic& diagnostic : error.diagnostics()) {
      if (!text.empty()) text += '\n';
      text += std::to_string(diagnostic.mark.line) + ":" + std::to_string(diagnostic.mark.column) + " " +
              diagnostic.message;
    }
    return text;
  }
  return "";
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? "not found: " + from : text.replace(at, from.size(), to);
}

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "zz-unit-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
  path_ = pattern;
}

std::string Folder::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

std::string memory_text(const std::string& name, const std::string& size, const std::string& ports) {
  return "  " + name + ": {size: " + size +
         ", r_cost: 2, w_cost: 3, area: 0, latency: 1, operands: [I1, I2, O], served_dimensions: [D1], "
         "ports: [" +
         ports + "]}\n";
}

std::string array_text(const std::string& size) {
  return "operational_array: {unit_energy: 1, unit_area: 1, dimensions: [D1], sizes: [" + size + "]}\n";
}

std::string core_text(const std::string& name) {
  return "name: " + name + "\nmemories:\n" + memory_text("buffer", "1024", two_ports) + array_text("4");
}

std::string dram_text(const std::string& ports) {
  return "name: dram\nmemories:\n" + memory_text("dram", "1000000", ports) + array_text("0");
}

std::shared_ptr<const core::Accelerator> core_of(const std::string& text) {
  const Folder folder;
  core::Diagnostics diagnostics;
  return std::make_shared<const core::Accelerator>(
      core::read_core(folder.write("core.yaml", text), diagnostics));
}

}  // namespace zz::test
