#pragma once
#include <cstdint>
#include <string>

namespace zz::fuzz {

/// Numbers that follow from a seed alone, on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// From 0 to count - 1; count is positive.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

// Each returns the input with one to four changes of the kinds that files of that sort meet: other values
// in their places, parts left out, repeated, exchanged, and now and then wrong bytes.

/// Lines, indentation and scalars of a YAML text.
std::string mutated_yaml(const std::string& text, Random& random);
/// Fields of an ONNX model in its binary form.
std::string mutated_onnx(const std::string& bytes, Random& random);
/// Bytes of a gzip file, of the packed or of the unpacked content.
std::string mutated_gzip(const std::string& bytes, Random& random);
std::string mutated_bytes(std::string bytes, Random& random);

}  // namespace zz::fuzz
