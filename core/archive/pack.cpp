#include "core/archive/pack.hpp"

#include "core/archive/format.hpp"
#include "core/archive/utf8.hpp"
#include "core/archive/zz_archive.pb.h"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "core/value/type.hpp"

namespace zz::core {

namespace wire = zz::archive;

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
  Walk(Packer& packer, std::vector<wire::Shape>& shapes) : packer_(packer), shapes_(shapes) {}

  void value(const Value& value, wire::Value& out) {
    if (kind_of(value.ref()) == Kind::object)
      shared(value, out, 1);
    else
      part(value.ref(), out, 1);
  }

 private:
  /// The place of the value in work, for messages.
  struct Step {
    Step(Walk& walk, std::string_view key, std::uint32_t index) : walk(walk) {
      walk.steps_.emplace_back(key, index);
    }
    ~Step() { walk.steps_.pop_back(); }
    Walk& walk;
  };

  [[noreturn]] void fail(const std::string& what) const {
    std::string place;
    for (const auto& [key, index] : steps_) {
      if (key.empty())
        place += "[" + std::to_string(index) + "]";
      else
        place += (place.empty() ? "" : ".") + std::string(key);
    }
    throw ValueError(ValueError::Problem::invalid, place + ": " + what);
  }

  void part(Ref ref, wire::Value& out, int depth) {
    if (depth > deepest_value) fail("values are nested too deeply to be stored");
    const bool held = ref.type != nullptr && ref.type->share != nullptr;
    switch (kind_of(ref)) {
      case Kind::none:
      case Kind::null:
        return;
      case Kind::boolean:
        out.set_boolean(look_through(ref).word != 0);
        return;
      case Kind::i64:
        out.set_integer(integer(ref));
        return;
      case Kind::f64:
        out.set_number(number(ref));
        return;
      case Kind::str:
        text(ref, out);
        return;
      case Kind::list:
        list(ref, out, depth);
        return;
      case Kind::map:
        map(ref, out, depth);
        return;
      case Kind::object:
        if (held)
          shared(ref.type->share(ref.word), out, depth);
        else
          object(look_through(ref), out, depth);
    }
  }

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

  static void text(Ref ref, wire::Value& out) {
    std::string_view found;
    read_text(ref, found);
    if (is_utf8(found))
      out.set_text(found.data(), found.size());
    else
      out.set_raw_text(found.data(), found.size());
  }

  /// What all items are, or Kind::none.
  static Kind common_kind(Ref list, std::uint32_t count) {
    const Kind first = count > 0 ? kind_of(part_at(list, 0)) : Kind::none;
    for (std::uint32_t i = 1; i < count; ++i)
      if (kind_of(part_at(list, i)) != first) return Kind::none;
    return first;
  }

  void list(Ref ref, wire::Value& out, int depth) {
    const std::uint32_t count = count_of(ref);
    const Kind kind = common_kind(ref, count);
    if (kind == Kind::i64) {
      auto& items = *out.mutable_integers()->mutable_items();
      for (std::uint32_t i = 0; i < count; ++i) items.Add(integer(part_at(ref, i)));
    } else if (kind == Kind::f64) {
      auto& items = *out.mutable_numbers()->mutable_items();
      for (std::uint32_t i = 0; i < count; ++i) items.Add(number(part_at(ref, i)));
    } else {
      wire::List& list = *out.mutable_list();
      for (std::uint32_t i = 0; i < count; ++i) {
        const Step step(*this, {}, i);
        part(part_at(ref, i), *list.add_items(), depth + 1);
      }
    }
  }

  void map(Ref ref, wire::Value& out, int depth) {
    wire::Parts& parts = *out.mutable_parts();
    const std::uint32_t count = count_of(ref);
    std::vector<std::string_view> keys;
    std::string all_keys;  // a length before each: no two lists of keys give the same text
    for (std::uint32_t i = 0; i < count; ++i) {
      std::string_view key;
      const Ref entry = part_at(ref, i, &key);
      const Step step(*this, key, i);
      if (!is_utf8(key)) fail("a key that is not UTF-8 cannot be stored");
      all_keys += std::to_string(key.size());
      all_keys += ':';
      all_keys += key;
      keys.push_back(key);
      part(entry, *parts.add_values(), depth + 1);
    }
    const auto known = packer_.shape_of_keys_.find(all_keys);
    if (known != packer_.shape_of_keys_.end()) {
      parts.set_shape(known->second);
    } else if (packer_.shapes_ < most_shapes) {
      wire::Shape& shape = shapes_.emplace_back();
      for (const std::string_view key : keys) shape.add_keys(key.data(), key.size());
      parts.set_shape(packer_.shape_of_keys_[all_keys] = ++packer_.shapes_);
    } else {
      for (const std::string_view key : keys) parts.add_keys(key.data(), key.size());
    }
  }

  /// An object that others may refer to as well.
  void shared(const Value& value, wire::Value& out, int depth) {
    const Ref ref = look_through(value.ref());
    const Identity identity(ref.word, ref.type);
    if (const std::uint32_t* number = packer_.find(identity)) {
      out.set_stored(*number);
      return;
    }
    if (depth > deepest_value) fail("values are nested too deeply to be stored");
    object(ref, out, depth);
    out.set_store(packer_.keep(identity, value));
  }

  void object(Ref ref, wire::Value& out, int depth) {
    const Type& type = *ref.type;
    wire::Parts& parts = *out.mutable_parts();
    for (const Field& field : type.fields) {
      if (field.edit == nullptr) continue;  // computed
      const Step step(*this, field.name, 0);
      part(field.get(object_in<void>(ref)), *parts.add_values(), depth + 1);
    }
    const auto [known, added] = packer_.shape_of_type_.try_emplace(&type, packer_.shapes_ + 1);
    if (added) {
      ++packer_.shapes_;
      wire::Shape& shape = shapes_.emplace_back();
      // What nobody can make again is read back as a map.
      if (type.create != nullptr) shape.set_type(std::string(type.name));
      for (const Field& field : type.fields)
        if (field.edit != nullptr) shape.add_keys(field.name);
    }
    parts.set_shape(known->second);
  }

  Packer& packer_;
  std::vector<wire::Shape>& shapes_;
  std::vector<std::pair<std::string_view, std::uint32_t>> steps_;
};

Packer::Packer() = default;
Packer::~Packer() = default;

void Packer::pack(const Value& value, wire::Value& out, std::vector<wire::Shape>& shapes) {
  Walk(*this, shapes).value(value, out);
}

}  // namespace zz::core
