#include "core/output/archive/pack.hpp"

#include <algorithm>
#include <utility>

#include "core/mapping/spatial_mapping.hpp"
#include "core/output/archive/format.hpp"
#include "core/output/archive/wire_bytes.hpp"
#include "core/output/archive/zz_archive.pb.h"
#include "core/schema/types.hpp"
#include "core/text/plain_text.hpp"
#include "core/text/utf8.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "core/value/type.hpp"

namespace zz::core {

namespace wire = zz::archive;

namespace {

/// Numbers of the fields in zz_archive.proto.
namespace value_field {
enum : std::uint32_t {
  boolean = 1,
  integer,
  number,
  text,
  raw_text,
  list,
  integers,
  numbers,
  parts,
  stored,
  store
};
}
namespace list_field {
enum : std::uint32_t { items = 1 };
}
namespace parts_field {
enum : std::uint32_t { shape = 1, keys, values };
}

}  // namespace

const std::uint32_t* Packer::find(const Identity& identity) {
  const auto found = by_identity_.find(identity);
  if (found == by_identity_.end()) return nullptr;
  stored_.splice(stored_.begin(), stored_, found->second);
  return &found->second->number;
}

std::uint32_t Packer::shape_of(const Type& type) const {
  for (const auto& [known, shape] : shape_of_type_)
    if (known == &type) return shape;
  return 0;
}

std::uint32_t Packer::keep(const Identity& identity, Value value) {
  auto number = static_cast<std::uint32_t>(stored_.size());
  if (number == most_stored_objects) {
    number = stored_.back().number;
    by_identity_.erase(stored_.back().identity);
    stored_.pop_back();
  }
  stored_.push_front({identity, number, std::move(value)});
  by_identity_[identity] = stored_.begin();
  return number;
}

/// One call of pack().
class Packer::Walk {
 public:
  Walk(Packer& packer, WireBytes& out, std::vector<wire::Shape>& shapes)
      : packer_(packer), out_(out), shapes_(shapes) {}

  void value(const Value& value) {
    try {
      if (kind_of(value.ref()) == Kind::object)
        shared(value, 1);
      else
        part(value.ref(), 1);
    } catch (const Failure& failure) {
      failure.tell();
    }
  }

 private:
  /// One of: the field of an object, the key of a map, the place in a list.
  struct Place {
    const char* field = nullptr;
    std::string_view key;
    std::uint32_t index = 0;
  };

  /// What has no wire form, and where: the innermost place first.
  struct Failure {
    std::string what;
    std::vector<Place> places;

    [[noreturn]] void tell() const {
      std::string place;
      for (auto step = places.rbegin(); step != places.rend(); ++step) {
        const std::string_view name = step->field != nullptr ? std::string_view(step->field) : step->key;
        if (name.empty())
          place += "[" + std::to_string(step->index) + "]";
        else
          place += (place.empty() ? "" : ".") + std::string(name);
      }
      throw ValueError(ValueError::Problem::invalid, place + ": " + what);
    }
  };

  /// Does that to each part; `place` is where it is, for messages.
  template <class Do>
  static void at_places(Place& place, Do go_through) {
    try {
      go_through();
    } catch (Failure& failure) {
      failure.places.push_back(place);
      throw;
    }
  }

  [[noreturn]] static void fail(const char* what) { throw Failure{what, {}}; }
  [[noreturn]] static void fail_too_deep() { fail("values are nested too deeply to be stored"); }

  /// A part as the content of a message.
  void nested_part(std::uint32_t field, Ref ref, int depth) {
    if (depth > deepest_value) fail_too_deep();
    if (ref.type == &number_type) return out_.nested_number(field, value_field::number, ref.word);
    if (ref.type == &integer_type)
      return out_.nested_varint(field, value_field::integer,
                                WireBytes::zigzag(static_cast<std::int64_t>(ref.word)));
    if (ref.type == &null_type) return out_.nested_nothing(field);
    if (ref.type == &string_type) {
      const std::string_view text = object_at<std::string>(ref.word);
      if (text.size() <= WireBytes::short_text && is_plain(text))
        return out_.nested_text(field, value_field::text, text);
    }
    out_.nested(field, [&] { part(ref, depth); });
  }

  void part(Ref ref, int depth) {
    if (depth > deepest_value) fail_too_deep();
    const Ref seen = look_through(ref);
    if (seen.type == nullptr) return;
    switch (seen.type->kind) {
      case Kind::none:
      case Kind::null:
        return;
      case Kind::boolean:
        out_.varint(value_field::boolean, seen.word != 0 ? 1 : 0);
        return;
      case Kind::i64:
        out_.varint(value_field::integer, WireBytes::zigzag(static_cast<std::int64_t>(seen.word)));
        return;
      case Kind::f64:
        out_.number(value_field::number, seen.word);
        return;
      case Kind::str:
        text(seen);
        return;
      case Kind::list:
        list(seen, depth);
        return;
      case Kind::map:
        map(seen, depth);
        return;
      case Kind::object:
        if (ref.type->share != nullptr)
          shared(ref.type->share(ref.word), depth);
        else
          object(seen, depth);
    }
  }

  // From here on references have been looked through.

  void text(Ref ref) {
    const std::string_view found = ref.type->text(ref.word);
    out_.text(is_plain(found) || is_utf8(found) ? value_field::text : value_field::raw_text, found);
  }

  /// Of a list or map; index < count_of(whole).
  static Ref item(Ref whole, std::uint32_t index, std::string_view& key) {
    return whole.type->at(whole.word, index, key);
  }
  static Ref item(Ref whole, std::uint32_t index) {
    std::string_view no_key;
    return item(whole, index, no_key);
  }

  /// The type of all items if that is the one of integers or of numbers, else nullptr.
  static const Type* common_number_type(Ref list, std::uint32_t count) {
    const Type* const first = count > 0 ? look_through(item(list, 0)).type : nullptr;
    if (first != &integer_type && first != &number_type) return nullptr;
    for (std::uint32_t i = 1; i < count; ++i)
      if (look_through(item(list, i)).type != first) return nullptr;
    return first;
  }

  void list(Ref ref, int depth) {
    const std::uint32_t count = ref.type->count(ref.word);
    const Type* const numbers = common_number_type(ref, count);
    if (numbers == &integer_type) {
      packed(value_field::integers, [&] {
        for (std::uint32_t i = 0; i < count; ++i)
          out_.raw_varint(WireBytes::zigzag(static_cast<std::int64_t>(look_through(item(ref, i)).word)));
      });
    } else if (numbers == &number_type) {
      packed(value_field::numbers, [&] {
        for (std::uint32_t i = 0; i < count; ++i) out_.raw_double(look_through(item(ref, i)).word);
      });
    } else {
      out_.nested(value_field::list, [&] {
        Place place;
        at_places(place, [&] {
          for (; place.index < count; ++place.index)
            nested_part(list_field::items, item(ref, place.index), depth + 1);
        });
      });
    }
  }

  template <class WriteItems>
  void packed(std::uint32_t field, WriteItems write_items) {
    out_.nested(field, [&] { out_.nested(list_field::items, write_items); });
  }

  void map(Ref ref, int depth) {
    out_.nested(value_field::parts, [&] {
      const std::uint32_t count = count_of(ref);
      if (ref.type->fixed_keys) {
        if (const std::uint32_t shape = packer_.shape_of(*ref.type)) {
          out_.varint(parts_field::shape, shape);
          values(ref, count, depth, false);
          return;
        }
      }
      list_keys(ref, count);
      const auto known = packer_.shape_of_keys_.find(keys_);
      if (known != packer_.shape_of_keys_.end()) {
        if (ref.type->fixed_keys) packer_.shape_of_type_.emplace_back(ref.type, known->second);
        out_.varint(parts_field::shape, known->second);
        values(ref, count, depth, false);
        return;
      }
      const std::string keys = keys_;
      const std::size_t begin = out_.size();
      values(ref, count, depth, true);
      out_.insert(begin, new_head(ref, count, keys));
    });
  }

  /// Of a map.
  void values(Ref map, std::uint32_t count, int depth, bool new_keys) {
    Place place;
    at_places(place, [&] {
      for (; place.index < count; ++place.index) {
        const Ref entry = item(map, place.index, place.key);
        if (new_keys && !is_utf8(place.key)) fail("a key that is not UTF-8 cannot be stored");
        nested_part(parts_field::values, entry, depth + 1);
      }
    });
  }

  /// Sets `keys_` to the keys of a map with a length before each: no two lists of keys give the same text.
  void list_keys(Ref map, std::uint32_t count) {
    keys_.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      std::string_view key;
      item(map, i, key);
      const std::size_t size = key.size();
      keys_.append(reinterpret_cast<const char*>(&size), sizeof size).append(key);
    }
  }

  /// What stands before the values of a map with keys that no map had before. Shapes are numbered as they
  /// are completed, so it is made after the values. Those within may have had the same keys.
  WireBytes new_head(Ref map, std::uint32_t count, const std::string& all_keys) {
    std::vector<std::string_view> keys(count);
    for (std::uint32_t i = 0; i < count; ++i) item(map, i, keys[i]);
    WireBytes head;
    const auto known = packer_.shape_of_keys_.find(all_keys);
    if (known != packer_.shape_of_keys_.end()) {
      head.varint(parts_field::shape, known->second);
    } else if (packer_.shapes_ < most_shapes) {
      wire::Shape& shape = shapes_.emplace_back();
      for (const std::string_view key : keys) shape.add_keys(key.data(), key.size());
      head.varint(parts_field::shape, packer_.shape_of_keys_[all_keys] = ++packer_.shapes_);
      if (map.type->fixed_keys) packer_.shape_of_type_.emplace_back(map.type, packer_.shapes_);
    } else {
      for (const std::string_view key : keys) head.text(parts_field::keys, key);
    }
    return head;
  }

  /// An object that others may refer to as well.
  void shared(const Value& value, int depth) {
    const Ref ref = look_through(value.ref());
    const Identity identity(ref.word, ref.type);
    if (const std::uint32_t* number = packer_.find(identity)) {
      out_.varint(value_field::stored, *number);
      return;
    }
    if (depth > deepest_value) fail_too_deep();
    if (auto mapping = value.as<SpatialMapping>())
      spatial_mapping(std::move(mapping), ref, depth);
    else
      object(ref, depth);
    out_.varint(value_field::store, packer_.keep(identity, value));
  }

  /// An object of which the bytes follow from its content alone.
  void spatial_mapping(std::shared_ptr<const SpatialMapping> mapping, Ref ref, int depth) {
    auto& known = packer_.spatial_mappings_;
    const auto same = std::find_if(known.begin(), known.end(), [&](const Packed& packed) {
      return packed.mapping != nullptr && packed.depth >= depth && *packed.mapping == *mapping;
    });
    if (same != known.end()) {
      out_.append(same->bytes);
      std::rotate(known.begin(), same, same + 1);
      return;
    }
    const std::size_t begin = out_.size();
    object(ref, depth);
    std::rotate(known.begin(), known.end() - 1, known.end());
    known.front() = {std::move(mapping), depth, std::string(out_.view().substr(begin))};
  }

  void object(Ref ref, int depth) {
    const Type& type = *ref.type;
    out_.nested(value_field::parts, [&] {
      const std::uint32_t known_shape = packer_.shape_of(type);
      if (known_shape != 0) out_.varint(parts_field::shape, known_shape);
      const std::size_t begin = out_.size();
      Place place;
      at_places(place, [&] {
        for (const Field& field : type.fields) {
          if (field.edit == nullptr) continue;  // computed
          place.field = field.name;
          nested_part(parts_field::values, field.get(object_in<void>(ref)), depth + 1);
        }
      });
      if (known_shape != 0) return;
      WireBytes head;
      head.varint(parts_field::shape, new_shape(type));
      out_.insert(begin, head);
    });
  }

  /// Unless an object of that type within this one had it first.
  std::uint32_t new_shape(const Type& type) {
    if (const std::uint32_t known = packer_.shape_of(type)) return known;
    packer_.shape_of_type_.emplace_back(&type, ++packer_.shapes_);
    wire::Shape& shape = shapes_.emplace_back();
    // What nobody can make again is read back as a map.
    if (type.create != nullptr) shape.set_type(std::string(type.name));
    for (const Field& field : type.fields)
      if (field.edit != nullptr) shape.add_keys(field.name);
    return packer_.shapes_;
  }

  Packer& packer_;
  WireBytes& out_;
  std::vector<wire::Shape>& shapes_;
  std::string keys_;  ///< of the map whose shape is looked for
};

Packer::Packer() = default;
Packer::~Packer() = default;

void Packer::pack(const Value& value, WireBytes& out, std::vector<wire::Shape>& shapes) {
  Walk(*this, out, shapes).value(value);
}

}  // namespace zz::core
