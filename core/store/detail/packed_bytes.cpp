#include "core/store/detail/packed_bytes.hpp"

#include <new>
#include <zlib.h>

namespace zz::core {
namespace {

Bytef* zlib_bytes(std::string_view text) {  // zlib takes what it only reads without const
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

std::string packed(std::string_view bytes, std::string_view example) {
  z_stream stream{};
  if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK) throw std::bad_alloc();
  deflateSetDictionary(&stream, zlib_bytes(example), static_cast<uInt>(example.size()));
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = zlib_bytes(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = zlib_bytes(out);
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::optional<std::string> unpacked(std::string_view bytes, std::string_view example) {
  z_stream stream{};
  stream.next_in = zlib_bytes(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  std::string out;
  int code = Z_OK;
  while (code == Z_OK || code == Z_NEED_DICT) {
    if (code == Z_NEED_DICT &&
        inflateSetDictionary(&stream, zlib_bytes(example), static_cast<uInt>(example.size())) != Z_OK)
      break;
    char piece[4096];
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    code = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, sizeof piece - stream.avail_out);
    if (out.size() > most_unpacked_bytes) break;
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END) return std::nullopt;
  return out;
}

}  // namespace zz::core
