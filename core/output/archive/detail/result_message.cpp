#include "core/output/archive/detail/result_message.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/output/archive/zz_archive.pb.h"
#include "core/value/edit.hpp"
#include "core/value/edit_session.hpp"
#include "core/value/read.hpp"
#include "core/value/tree.hpp"

namespace zz::core {

namespace wire = zz::archive;

namespace {

using Keys = google::protobuf::RepeatedPtrField<std::string>;
using Values = google::protobuf::RepeatedPtrField<wire::Value>;

class Packer {
 public:
  explicit Packer(wire::Result& result) : result_(result) {}

  void pack(const Value& value, wire::Value& out) {
    if (kind_of(value.ref()) == Kind::object)
      out.set_object(object(value, {}));
    else
      part(value.ref(), out, {}, 1);
  }

 private:
  void part(Ref ref, wire::Value& out, const Where& where, int depth) {
    if (depth > deepest_value)
      fail(where, ValueError::Problem::invalid, "values are nested too deeply to be stored");
    const Ref seen = look_through(ref);
    switch (kind_of(seen)) {
      case Kind::none:
      case Kind::null:
        return;
      case Kind::boolean:
        return out.set_boolean(seen.word != 0);
      case Kind::i64:
        return out.set_integer(integer_in(seen));
      case Kind::f64:
        return out.set_number(number_in(seen));
      case Kind::str:
        return text(seen, out);
      case Kind::list:
        return list(seen, out, where, depth);
      case Kind::map:
        return map(seen, *out.mutable_parts(), where, depth);
      case Kind::object:
        if (ref.type->share != nullptr) return out.set_object(object(ref.type->share(ref.word), where));
        set_type(*seen.type, *out.mutable_parts());
        return fields(seen, *out.mutable_parts()->mutable_values(), where, depth);
    }
  }

  static std::int64_t integer_in(Ref ref) {
    std::int64_t integer = 0;
    read_i64(ref, integer);
    return integer;
  }
  static double number_in(Ref ref) {
    double number = 0;
    read_f64(ref, number);
    return number;
  }

  static void text(Ref ref, wire::Value& out) {
    std::string_view found;
    read_text(ref, found);
    if (is_utf8(found))
      out.set_text(found.data(), found.size());
    else
      out.set_raw_text(found.data(), found.size());
  }

  /// The kind that all items of a list share.
  struct Items {
    Kind kind = Kind::none;      ///< none: they differ
    const Type* type = nullptr;  ///< of objects that are not shared; nullptr: they differ
  };

  static Items items_of(Ref list, std::uint32_t count) {
    Items items;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Ref item = part_at(list, i);
      const Ref seen = look_through(item);
      const Kind kind = kind_of(seen);
      const Type* const type = kind == Kind::object && item.type->share == nullptr ? seen.type : nullptr;
      if (i == 0) items = {kind, type};
      if (items.kind != kind) return {};
      if (items.type != type) items.type = nullptr;
    }
    return items;
  }

  void list(Ref ref, wire::Value& out, const Where& where, int depth) {
    const std::uint32_t count = count_of(ref);
    const Items items = items_of(ref, count);
    if (items.kind == Kind::i64) {
      for (std::uint32_t i = 0; i < count; ++i)
        out.mutable_integers()->add_items(integer_in(part_at(ref, i)));
    } else if (items.kind == Kind::f64) {
      for (std::uint32_t i = 0; i < count; ++i)
        out.mutable_numbers()->add_items(number_in(part_at(ref, i)));
    } else if (items.type != nullptr) {
      wire::Rows& rows = *out.mutable_rows();
      set_type(*items.type, rows);
      for (std::uint32_t i = 0; i < count; ++i)
        fields(look_through(part_at(ref, i)), *rows.mutable_values(), {&where, "", i, true}, depth);
    } else {
      wire::List& list = *out.mutable_list();
      for (std::uint32_t i = 0; i < count; ++i)
        part(part_at(ref, i), *list.add_items(), {&where, "", i, true}, depth + 1);
    }
  }

  void map(Ref ref, wire::Parts& out, const Where& where, int depth) {
    for (std::uint32_t i = 0; i < count_of(ref); ++i) {
      std::string_view key;
      const Ref value = part_at(ref, i, &key);
      const Where here{&where, key};
      if (!is_utf8(key))
        fail(here, ValueError::Problem::invalid, "a key that is not UTF-8 cannot be stored");
      out.add_keys(key.data(), key.size());
      part(value, *out.add_values(), here, depth + 1);
    }
  }

  /// Names type and fields. What nobody can make again has no type, and is read back as a map.
  template <class Message>
  static void set_type(const Type& type, Message& out) {
    if (type.create != nullptr) out.set_type(std::string(type.name));
    for (const Field& field : type.fields)
      if (field.edit != nullptr) out.add_keys(field.name);
  }

  /// Appends the fields of an object, computed ones left out.
  void fields(Ref ref, Values& out, const Where& where, int depth) {
    for (const Field& field : ref.type->fields)
      if (field.edit != nullptr)
        part(field.get(object_in<void>(ref)), *out.Add(), {&where, field.name}, depth + 1);
  }

  /// The index of an object that others may refer to as well.
  std::uint32_t object(const Value& value, const Where& where) {
    const Ref ref = look_through(value.ref());
    const std::pair identity(ref.word, ref.type);
    const auto known = objects_.find(identity);
    if (known != objects_.end()) return known->second;
    auto* const parts = google::protobuf::Arena::CreateMessage<wire::Parts>(result_.GetArena());
    set_type(*ref.type, *parts);
    fields(ref, *parts->mutable_values(), where, 1);
    // After the objects that it refers to.
    result_.mutable_objects()->AddAllocated(parts);
    return objects_[identity] = static_cast<std::uint32_t>(result_.objects_size()) - 1;
  }

  wire::Result& result_;
  std::map<std::pair<std::uint64_t, const Type*>, std::uint32_t> objects_;
};

class Unpacker {
 public:
  Unpacker(const wire::Result& result, bool plain) : plain_(plain) {
    for (const wire::Parts& object : result.objects()) objects_.push_back(parts(object));
  }

  Value value(const wire::Value& value) const {
    switch (value.kind_case()) {
      case wire::Value::KIND_NOT_SET:
        return Value();
      case wire::Value::kBoolean:
        return Value::boolean(value.boolean());
      case wire::Value::kInteger:
        return Value::integer(value.integer());
      case wire::Value::kNumber:
        return Value::number(value.number());
      case wire::Value::kText:
        return Value::text(value.text());
      case wire::Value::kRawText:
        return Value::text(value.raw_text());
      case wire::Value::kList:
        return list(value.list().items(), [&](const wire::Value& item) { return this->value(item); });
      case wire::Value::kIntegers:
        return list(value.integers().items(), [](std::int64_t item) { return Value::integer(item); });
      case wire::Value::kNumbers:
        return list(value.numbers().items(), [](double item) { return Value::number(item); });
      case wire::Value::kRows:
        return rows(value.rows());
      case wire::Value::kParts:
        return parts(value.parts());
      case wire::Value::kObject:
        if (value.object() >= objects_.size())
          throw MessageError(fmt::format("the object {} is not there", value.object()));
        return objects_[value.object()];
    }
    return Value();
  }

 private:
  template <class Items, class Make>
  static Value list(const Items& items, Make make) {
    std::vector<Value> values;
    for (const auto& item : items) values.push_back(make(item));
    return Value::list(std::move(values));
  }

  static std::vector<Name> names(const Keys& keys) {
    std::vector<Name> names;
    for (const std::string& key : keys) names.push_back(intern(key));
    std::vector<Name> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      throw MessageError(fmt::format("the key '{}' occurs twice in a map", text_of(*twice)));
    return names;
  }

  /// The object or map whose values begin there.
  Value make(const std::string& type, const std::vector<Name>& names, const Values& values,
             int first) const {
    if (plain_ || type.empty()) {
      MapNode map;
      for (const Name name : names) map.entries.emplace_back(name, value(values[first++]));
      return map_value(std::move(map));
    }
    std::vector<Value> made;
    for (std::size_t i = 0; i < names.size(); ++i) made.push_back(value(values[first++]));
    std::vector<Edit> fields;
    for (std::size_t i = 0; i < names.size(); ++i) fields.push_back({names[i], made[i]});
    return make_object(type, fields);
  }

  Value parts(const wire::Parts& parts) const {
    if (parts.keys_size() != parts.values_size())
      throw MessageError(
          fmt::format("there are {} values for {} keys", parts.values_size(), parts.keys_size()));
    return make(parts.type(), names(parts.keys()), parts.values(), 0);
  }

  Value rows(const wire::Rows& rows) const {
    const int keys = rows.keys_size();
    if (keys == 0 || rows.values_size() % keys != 0)
      throw MessageError(fmt::format("there are {} values in rows of {} keys", rows.values_size(), keys));
    const std::vector<Name> names = this->names(rows.keys());
    std::vector<Value> items;
    for (int first = 0; first < rows.values_size(); first += keys)
      items.push_back(make(rows.type(), names, rows.values(), first));
    return Value::list(std::move(items));
  }

  bool plain_;
  std::vector<Value> objects_;
};

}  // namespace

void to_message(const Value& evaluation, const Value& extra, wire::Result& message) {
  Packer packer(message);
  packer.pack(evaluation, *message.mutable_evaluation());
  packer.pack(extra, *message.mutable_extra());
}

ResultValues from_message(const wire::Result& message, bool plain) {
  const Unpacker unpacker(message, plain);
  return {unpacker.value(message.evaluation()), unpacker.value(message.extra())};
}

}  // namespace zz::core
