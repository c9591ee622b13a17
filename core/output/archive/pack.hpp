#pragma once
#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/value/value.hpp"

namespace zz::archive {
class Shape;
}  // namespace zz::archive

namespace zz::core {

struct SpatialMapping;
struct Type;
class WireBytes;

/// Turns values into their wire form (zz_archive.proto), one after the other. Objects that several parts or
/// values have in common go once; to find them again, the last ones are kept alive, up to a fixed number.
/// Fields that follow from others are left out.
class Packer {
 public:
  Packer();
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  /// Appends the fields of a message `Value`, and to `shapes` the shapes that this value is the first to
  /// need; they come before it. Throws
  /// ValueError, naming the part, for what has no wire form: values inside of values beyond deepest_value,
  /// keys that are not UTF-8.
  void pack(const Value& value, WireBytes& out, std::vector<zz::archive::Shape>& shapes);

 private:
  class Walk;
  using Identity = std::pair<std::uint64_t, const Type*>;
  struct Stored {
    Identity identity;
    std::uint32_t number;
    Value value;  ///< keeps the address from being used again
  };

  /// From 1 on; 0 when none is known.
  std::uint32_t shape_of(const Type& type) const;
  /// The number of an object that is kept, which is then the latest one; or nullptr.
  const std::uint32_t* find(const Identity& identity);
  std::uint32_t keep(const Identity& identity, Value value);

  /// What an object without shared parts looks like, for those equal to it.
  struct Packed {
    std::shared_ptr<const SpatialMapping> mapping;
    int depth = 0;  ///< at which it fitted
    std::string bytes;
  };

  std::list<Stored> stored_;  ///< latest use first
  std::map<Identity, std::list<Stored>::iterator> by_identity_;
  /// Of objects and of maps with fixed keys. There are few types, and those that come often come first.
  std::vector<std::pair<const Type*, std::uint32_t>> shape_of_type_;
  std::unordered_map<std::string, std::uint32_t> shape_of_keys_;  ///< of maps
  std::uint32_t shapes_ = 0;
  /// The latest first. Mappings of a network's layers, and the two forms of one, are mostly equal.
  std::array<Packed, 4> spatial_mappings_;
};

}  // namespace zz::core
