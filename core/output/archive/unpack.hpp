#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "core/value/name.hpp"
#include "core/value/value.hpp"

namespace zz::archive {
class Parts;
class Shape;
class Value;
}  // namespace zz::archive

namespace zz::core {

/// The wire form contradicts itself: not what a Packer makes.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Turns the wire form (zz_archive.proto) back into values, in the order in which they were packed. Objects
/// are made and checked as user input would be, and are shared again where they were; or, when `plain`, all
/// becomes lists and maps, whatever types and fields this build knows.
class Unpacker {
 public:
  explicit Unpacker(bool plain) : plain_(plain) {}

  void add_shape(const zz::archive::Shape& shape);  ///< throws WireError
  /// Throws WireError, and ValueError or InputError for objects that are not accepted.
  Value unpack(const zz::archive::Value& value);

 private:
  struct Shape {
    std::string type;
    std::vector<Name> keys;
  };
  template <class Keys>
  static std::vector<Name> interned(const Keys& keys);
  Value parts(const zz::archive::Parts& parts);

  bool plain_;
  std::vector<Shape> shapes_;
  std::vector<Value> stored_;
};

}  // namespace zz::core
