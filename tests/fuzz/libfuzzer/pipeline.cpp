#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/diagnostics.hpp"
#include "host/pipeline/pipeline_file.hpp"
#include "tests/memory_file.hpp"

/// Any bytes as a pipeline, and as a setting of the command line: only InputError may come of them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zz::core;
  const zz::test::MemoryFile file({reinterpret_cast<const char*>(bytes), size});
  Diagnostics diagnostics;
  try {
    zz::host::PipelineFile pipeline = zz::host::read_pipeline(file.path(), diagnostics);
    zz::host::apply_set(pipeline, std::string(reinterpret_cast<const char*>(bytes), size), diagnostics);
  } catch (const InputError&) {
  }
  return 0;
}
