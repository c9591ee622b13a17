#include "core/output/archive/unpack.hpp"

#include <set>

#include "core/output/archive/format.hpp"
#include "core/output/archive/zz_archive.pb.h"
#include "core/value/edit.hpp"
#include "core/value/tree.hpp"

namespace zz::core {

namespace wire = zz::archive;

template <class Keys>
std::vector<Name> Unpacker::interned(const Keys& keys) {
  std::vector<Name> names;
  std::set<Name> known;
  for (const std::string& key : keys) {
    names.push_back(intern(key));
    if (!known.insert(names.back()).second) throw WireError("the key '" + key + "' occurs twice in a map");
  }
  return names;
}

void Unpacker::add_shape(const wire::Shape& shape) {
  if (shapes_.size() == most_shapes) throw WireError("there are too many shapes");
  shapes_.push_back({shape.type(), interned(shape.keys())});
}

Value Unpacker::parts(const wire::Parts& parts) {
  if (parts.shape() > shapes_.size())
    throw WireError("the shape " + std::to_string(parts.shape()) + " is not there");
  Shape own;
  if (parts.shape() == 0) own.keys = interned(parts.keys());
  const Shape& shape = parts.shape() > 0 ? shapes_[parts.shape() - 1] : own;
  if (shape.keys.size() != static_cast<std::size_t>(parts.values_size()))
    throw WireError("there are " + std::to_string(parts.values_size()) + " values for " +
                    std::to_string(shape.keys.size()) + " keys");
  if (plain_ || shape.type.empty()) {
    MapNode map;
    for (int i = 0; i < parts.values_size(); ++i)
      map.entries.emplace_back(shape.keys[static_cast<std::size_t>(i)], unpack(parts.values(i)));
    return map_value(std::move(map));
  }
  std::vector<Edit> fields;
  for (int i = 0; i < parts.values_size(); ++i)
    fields.push_back({shape.keys[static_cast<std::size_t>(i)], unpack(parts.values(i))});
  return make_object(shape.type, fields);
}

Value Unpacker::unpack(const wire::Value& value) {
  Value made;
  switch (value.kind_case()) {
    case wire::Value::KIND_NOT_SET:
      break;
    case wire::Value::kBoolean:
      made = Value::boolean(value.boolean());
      break;
    case wire::Value::kInteger:
      made = Value::integer(value.integer());
      break;
    case wire::Value::kNumber:
      made = Value::number(value.number());
      break;
    case wire::Value::kText:
      made = Value::text(value.text());
      break;
    case wire::Value::kRawText:
      made = Value::text(value.raw_text());
      break;
    case wire::Value::kList: {
      std::vector<Value> items;
      for (const wire::Value& item : value.list().items()) items.push_back(unpack(item));
      made = Value::list(std::move(items));
      break;
    }
    case wire::Value::kIntegers: {
      std::vector<Value> items;
      for (const std::int64_t item : value.integers().items()) items.push_back(Value::integer(item));
      made = Value::list(std::move(items));
      break;
    }
    case wire::Value::kNumbers: {
      std::vector<Value> items;
      for (const double item : value.numbers().items()) items.push_back(Value::number(item));
      made = Value::list(std::move(items));
      break;
    }
    case wire::Value::kParts:
      made = parts(value.parts());
      break;
    case wire::Value::kStored:
      if (value.stored() >= stored_.size())
        throw WireError("the stored object " + std::to_string(value.stored()) + " is not there");
      made = stored_[value.stored()];
      break;
  }
  if (!value.has_store()) return made;
  if (value.store() > stored_.size() || value.store() >= most_stored_objects)
    throw WireError("an object is stored under the number " + std::to_string(value.store()));
  if (value.store() == stored_.size())
    stored_.push_back(made);
  else
    stored_[value.store()] = made;
  return made;
}

}  // namespace zz::core
