#include <cstddef>
#include <cstdint>

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/workload.hpp"
#include "tests/memory_file.hpp"

/// Any bytes as an ONNX file, in ZigZag's reading and in Stream's: only InputError may come of them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zz::core;
  const zz::test::MemoryFile file({reinterpret_cast<const char*>(bytes), size});
  MappingFile mapping;
  mapping.entries.emplace_back().name = "default";
  const auto attempt = [](auto read) {
    Diagnostics diagnostics;
    try {
      read(diagnostics);
    } catch (const InputError&) {
    }
  };
  attempt([&](Diagnostics& found) { read_onnx(file.path(), mapping, {}, found); });
  attempt([&](Diagnostics& found) { read_stream_onnx(file.path(), mapping, {}, found); });
  return 0;
}
