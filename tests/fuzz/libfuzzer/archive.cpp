#include "core/output/archive/archive.hpp"

#include <cstddef>
#include <cstdint>

#include "core/base/diagnostics.hpp"
#include "tests/memory_file.hpp"

/// Any bytes as an archive: only InputError may come of them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zz::core;
  const zz::test::MemoryFile file({reinterpret_cast<const char*>(bytes), size});
  for (const auto as : {ArchiveReader::As::objects, ArchiveReader::As::plain}) {
    try {
      ArchiveReader reader(file.path(), as);
      Value evaluation, extra;
      while (reader.next(evaluation, extra)) {
      }
    } catch (const InputError&) {
    }
  }
  return 0;
}
