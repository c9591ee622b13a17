#include <array>
#include <zlib.h>

#include "tests/fuzz/mutate.hpp"

namespace zz::fuzz {
namespace {

constexpr int with_gzip_header = 15 + 16;  // bits of the window, and zlib's word for gzip

std::string unpacked(const std::string& bytes) {
  z_stream stream{};
  inflateInit2(&stream, with_gzip_header);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string content;
  std::array<char, 1 << 14> part{};
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    code = inflate(&stream, Z_NO_FLUSH);
    content.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return content;
}

std::string packed(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, with_gzip_header, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

}  // namespace

std::string mutated_gzip(const std::string& bytes, Random& random) {
  if (random.one_in(3)) return mutated_bytes(bytes, random);
  return packed(mutated_bytes(unpacked(bytes), random));
}

}  // namespace zz::fuzz
