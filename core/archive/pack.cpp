#include "core/archive/pack.hpp"

#include "core/archive/format.hpp"
#include "core/archive/wire_bytes.hpp"
#include "core/archive/zz_archive.pb.h"
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
    if (kind_of(value.ref()) == Kind::object)
      shared(value, 1);
    else
      part(value.ref(), 1);
  }

 private:
  /// One of: the field of an object, the key of a map, the place in a list.
  struct Place {
    const char* field = nullptr;
    std::string_view key;
    std::uint32_t index = 0;
  };

  /// The place of the value in work, for messages.
  struct Step {
    Step(Walk& walk, const Place& place) : walk(walk) { walk.steps_.push_back(place); }
    ~Step() { walk.steps_.pop_back(); }
    Walk& walk;
  };

  [[noreturn]] void fail(const std::string& what) const {
    std::string place;
    for (const Place& step : steps_) {
      const std::string_view name = step.field != nullptr ? std::string_view(step.field) : step.key;
      if (name.empty())
        place += "[" + std::to_string(step.index) + "]";
      else
        place += (place.empty() ? "" : ".") + std::string(name);
    }
    throw ValueError(ValueError::Problem::invalid, place + ": " + what);
  }

  void part(Ref ref, int depth) {
    if (depth > deepest_value) fail("values are nested too deeply to be stored");
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
        out_.varint(value_field::integer, WireBytes::zigzag(integer(seen)));
        return;
      case Kind::f64:
        out_.number(value_field::number, number(seen));
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

  static std::int64_t integer(Ref ref) {
    std::int64_t found = 0;
    read_i64(ref, found);
    return found;
  }
  static double number(Ref ref) {
    double found = 0;
    read_f64(ref, found);
    return found;
  }

  void text(Ref ref) {
    std::string_view found;
    read_text(ref, found);
    out_.text(is_utf8(found) ? value_field::text : value_field::raw_text, found);
  }

  /// Of a list or map; index < count_of(whole).
  static Ref item(Ref whole, std::uint32_t index, std::string_view& key) {
    return whole.type->at(whole.word, index, key);
  }
  static Ref item(Ref whole, std::uint32_t index) {
    std::string_view no_key;
    return item(whole, index, no_key);
  }

  /// What all items are, or Kind::none.
  static Kind common_kind(Ref list, std::uint32_t count) {
    const Kind first = count > 0 ? kind_of(item(list, 0)) : Kind::none;
    for (std::uint32_t i = 1; i < count; ++i)
      if (kind_of(item(list, i)) != first) return Kind::none;
    return first;
  }

  void list(Ref ref, int depth) {
    const std::uint32_t count = count_of(ref);
    const Kind kind = common_kind(ref, count);
    if (kind == Kind::i64) {
      packed(value_field::integers, [&] {
        for (std::uint32_t i = 0; i < count; ++i) out_.raw_varint(WireBytes::zigzag(integer(item(ref, i))));
      });
    } else if (kind == Kind::f64) {
      packed(value_field::numbers, [&] {
        for (std::uint32_t i = 0; i < count; ++i) out_.raw_double(number(item(ref, i)));
      });
    } else {
      out_.nested(value_field::list, [&] {
        for (std::uint32_t i = 0; i < count; ++i) {
          const Step step(*this, {nullptr, {}, i});
          out_.nested(list_field::items, [&] { part(item(ref, i), depth + 1); });
        }
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
      list_keys(ref, count);
      const auto known = packer_.shape_of_keys_.find(keys_);
      const bool is_known = known != packer_.shape_of_keys_.end();
      const std::string new_keys = is_known ? std::string() : keys_;
      if (is_known) out_.varint(parts_field::shape, known->second);
      const std::size_t begin = out_.size();
      for (std::uint32_t i = 0; i < count; ++i) {
        std::string_view key;
        const Ref entry = item(ref, i, key);
        const Step step(*this, {nullptr, key, i});
        if (!is_known && !is_utf8(key)) fail("a key that is not UTF-8 cannot be stored");
        out_.nested(parts_field::values, [&] { part(entry, depth + 1); });
      }
      if (!is_known) out_.insert(begin, new_head(ref, count, new_keys));
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
    if (depth > deepest_value) fail("values are nested too deeply to be stored");
    object(ref, depth);
    out_.varint(value_field::store, packer_.keep(identity, value));
  }

  void object(Ref ref, int depth) {
    const Type& type = *ref.type;
    out_.nested(value_field::parts, [&] {
      const auto known = packer_.shape_of_type_.find(&type);
      const bool is_known = known != packer_.shape_of_type_.end();
      if (is_known) out_.varint(parts_field::shape, known->second);
      const std::size_t begin = out_.size();
      for (const Field& field : type.fields) {
        if (field.edit == nullptr) continue;  // computed
        const Step step(*this, {field.name, {}, 0});
        out_.nested(parts_field::values, [&] { part(field.get(object_in<void>(ref)), depth + 1); });
      }
      if (is_known) return;
      WireBytes head;
      head.varint(parts_field::shape, shape_of(type));
      out_.insert(begin, head);
    });
  }

  std::uint32_t shape_of(const Type& type) {
    const auto [known, added] = packer_.shape_of_type_.try_emplace(&type, packer_.shapes_ + 1);
    if (added) {
      ++packer_.shapes_;
      wire::Shape& shape = shapes_.emplace_back();
      // What nobody can make again is read back as a map.
      if (type.create != nullptr) shape.set_type(std::string(type.name));
      for (const Field& field : type.fields)
        if (field.edit != nullptr) shape.add_keys(field.name);
    }
    return known->second;
  }

  Packer& packer_;
  WireBytes& out_;
  std::vector<wire::Shape>& shapes_;
  std::vector<Place> steps_;
  std::string keys_;  ///< of the map whose shape is looked for
};

Packer::Packer() = default;
Packer::~Packer() = default;

void Packer::pack(const Value& value, WireBytes& out, std::vector<wire::Shape>& shapes) {
  Walk(*this, out, shapes).value(value);
}

}  // namespace zz::core
