#pragma once
#include <utility>
#include <vector>

#include "core/value/type.hpp"

/// Plain trees: lists and maps of values. Settings, extras and failures are such trees.
namespace zz::core {

struct ListNode {
  std::vector<Value> items;
};

struct MapNode {
  std::vector<std::pair<Name, Value>> entries;  ///< in the order in which keys were first set

  Value* find(Name key);
  const Value* find(Name key) const { return const_cast<MapNode*>(this)->find(key); }
  void set(Name key, Value value);
  bool remove(Name key);
};

extern const Type list_type;
extern const Type map_type;

Value list_value(ListNode node);
Value map_value(MapNode node);

/// A look at an entry of a tree. Scalars are read directly; anything larger through its Value, so that it
/// can be shared instead of copied.
Ref look_at_entry(const Value& entry);

/// Lists of numbers in one block of memory, without a Value for each number.
Value numbers_value(std::vector<double> numbers);
Value integers_value(std::vector<std::int64_t> integers);

}  // namespace zz::core
