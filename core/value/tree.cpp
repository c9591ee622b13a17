#include "core/value/tree.hpp"

#include "core/value/edit_session.hpp"
#include "core/value/read.hpp"
#include "core/value/reflect.hpp"

namespace zz::core {
namespace {

void edit_list(EditSession& session, void* object, std::span<const Name> steps, const Value* value,
               const Where& where) {
  auto& items = static_cast<ListNode*>(object)->items;
  const std::size_t index = element_of_list({word_of(object), &list_type}, steps.front(), where);
  if (value == nullptr && steps.size() == 1) {
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
    return;
  }
  session.edit(items[index], steps.subspan(1), value, Where{&where, text_of(steps.front()), -1, true});
}

void edit_map(EditSession& session, void* object, std::span<const Name> steps, const Value* value,
              const Where& where) {
  auto& map = *static_cast<MapNode*>(object);
  const Name key = steps.front();
  if (steps.size() == 1) {
    if (value)
      map.set(key, *value);
    else
      map.remove(key);
    return;
  }
  Value* const entry = map.find(key);
  if (entry == nullptr) fail_no_such_part(where, {word_of(object), &map_type}, key);
  session.edit(*entry, steps.subspan(1), value, Where{&where, text_of(key), -1, false});
}

}  // namespace

const Type null_type{.kind = Kind::null};
const Type boolean_type{.kind = Kind::boolean};
const Type integer_type{.kind = Kind::i64};
const Type number_type{.kind = Kind::f64};
const Type string_type{
    .kind = Kind::str,
    .text = [](std::uint64_t word) { return std::string_view(object_at<std::string>(word)); },
    .clone = clone_object<std::string>};
const Type static_text_type{
    .kind = Kind::str, .text = [](std::uint64_t word) {
      return std::string_view(reinterpret_cast<const char*>(static_cast<std::uintptr_t>(word)));
    }};
const Type held_value_type{.look = [](std::uint64_t word) { return object_at<Value>(word).ref(); },
                           .share = [](std::uint64_t word) { return object_at<Value>(word); }};

const Type list_type{
    .kind = Kind::list,
    .count =
        [](std::uint64_t word) {
          return static_cast<std::uint32_t>(object_at<ListNode>(word).items.size());
        },
    .at = [](std::uint64_t word, std::uint32_t index,
             std::string_view&) { return look_at_entry(object_at<ListNode>(word).items[index]); },
    .clone = clone_object<ListNode>,
    .edit = edit_list};

const Type map_type{.kind = Kind::map,
                    .count =
                        [](std::uint64_t word) {
                          return static_cast<std::uint32_t>(object_at<MapNode>(word).entries.size());
                        },
                    .at =
                        [](std::uint64_t word, std::uint32_t index, std::string_view& key) {
                          const auto& [name, value] = object_at<MapNode>(word).entries[index];
                          key = text_of(name);
                          return look_at_entry(value);
                        },
                    .get =
                        [](std::uint64_t word, Name key) {
                          const Value* found = object_at<MapNode>(word).find(key);
                          return found ? look_at_entry(*found) : missing_in(map_type, key);
                        },
                    .clone = clone_object<MapNode>,
                    .edit = edit_map};

Value* MapNode::find(Name key) {
  for (auto& [name, value] : entries)
    if (name == key) return &value;
  return nullptr;
}

void MapNode::set(Name key, Value value) {
  if (Value* known = find(key))
    *known = std::move(value);
  else
    entries.emplace_back(key, std::move(value));
}

bool MapNode::remove(Name key) {
  return std::erase_if(entries, [&](const auto& entry) { return entry.first == key; }) > 0;
}

Value list_value(ListNode node) {
  auto owner = std::make_shared<ListNode>(std::move(node));
  const Ref ref{word_of(owner.get()), &list_type};
  return Value(std::move(owner), ref);
}

Value map_value(MapNode node) {
  auto owner = std::make_shared<MapNode>(std::move(node));
  const Ref ref{word_of(owner.get()), &map_type};
  return Value(std::move(owner), ref);
}

Ref look_at_entry(const Value& entry) {
  const Ref ref = entry.ref();
  return ref.type->kind >= Kind::str ? Ref{word_of(&entry), &held_value_type} : ref;
}

Value numbers_value(std::vector<double> numbers) {
  auto owner = std::make_shared<const std::vector<double>>(std::move(numbers));
  const Ref ref = reflect(*owner);
  return Value(std::move(owner), ref);
}

Value integers_value(std::vector<std::int64_t> integers) {
  auto owner = std::make_shared<const std::vector<std::int64_t>>(std::move(integers));
  const Ref ref = reflect(*owner);
  return Value(std::move(owner), ref);
}

}  // namespace zz::core
