#include "core/value/value.hpp"

#include <bit>

#include "core/value/tree.hpp"
#include "core/value/type.hpp"

namespace zz::core {

Value Value::boolean(bool value) { return Value(nullptr, Ref{value, &boolean_type}); }
Value Value::integer(std::int64_t value) {
  return Value(nullptr, Ref{static_cast<std::uint64_t>(value), &integer_type});
}
Value Value::number(double value) {
  return Value(nullptr, Ref{std::bit_cast<std::uint64_t>(value), &number_type});
}
Value Value::text(std::string value) {
  auto text = std::make_shared<const std::string>(std::move(value));
  const Ref ref{word_of(text.get()), &string_type};
  return Value(std::move(text), ref);
}
Value Value::list(std::vector<Value> items) { return list_value(ListNode{std::move(items)}); }
Value Value::map(std::vector<std::pair<std::string, Value>> entries) {
  MapNode node;
  for (auto& entry : entries) node.set(intern(entry.first), std::move(entry.second));
  return map_value(std::move(node));
}

Ref Value::ref() const { return ref_.type ? ref_ : null_ref(); }

}  // namespace zz::core
