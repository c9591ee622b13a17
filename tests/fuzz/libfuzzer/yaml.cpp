#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"

/// Any bytes as each of the YAML files: only InputError may come of them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zz::core;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const auto attempt = [](auto read) {
    Diagnostics diagnostics;
    try {
      read(diagnostics);
    } catch (const InputError&) {
    }
  };
  MappingFile mapping;
  mapping.entries.emplace_back().name = "default";
  attempt([&](Diagnostics& found) { read_workload_text(text, "w", mapping, {}, found); });
  attempt([&](Diagnostics& found) { read_accelerator_text(text, "a", found); });
  attempt([&](Diagnostics& found) { read_mapping_text(text, "m", found); });
  return 0;
}
