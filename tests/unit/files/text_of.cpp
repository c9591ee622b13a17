#include "tests/unit/files/text_of.hpp"

#include <stdexcept>
#include <vector>
#include <zlib.h>

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

}  // namespace zz::test
