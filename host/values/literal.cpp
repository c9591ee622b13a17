#include "host/values/literal.hpp"

#include <string>
#include <string_view>

#include "core/value/read.hpp"
#include "core/value/tree.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

core::Name key_of(const zz_lit& literal) {
  if (literal.name != 0) return literal.name;
  if (literal.key != nullptr) return core::intern(literal.key);
  throw core::ValueError(core::ValueError::Problem::invalid, "an entry of a map without a key");
}

template <class Number>
std::vector<Number> numbers_of(const zz_lit& literal) {
  const auto* first = static_cast<const Number*>(literal.u.a.p);
  return std::vector<Number>(first, first + literal.u.a.n);
}

core::Value list_of(const zz_lit& literal) {
  const auto* items = static_cast<const zz_lit*>(literal.u.a.p);
  core::ListNode node;
  node.items.reserve(literal.u.a.n);
  for (std::size_t i = 0; i < literal.u.a.n; ++i) node.items.push_back(value_of_literal(items[i]));
  return core::list_value(std::move(node));
}

core::Value map_of(const zz_lit& literal) {
  const auto* entries = static_cast<const zz_lit*>(literal.u.a.p);
  core::MapNode node;
  node.entries.reserve(literal.u.a.n);
  for (std::size_t i = 0; i < literal.u.a.n; ++i)
    node.set(key_of(entries[i]), value_of_literal(entries[i]));
  return core::map_value(std::move(node));
}

core::Value unkeyed_value(const zz_lit& literal) {
  switch (literal.kind) {
    case ZZ_NULL:
      return core::Value();
    case ZZ_BOOL:
      return core::Value::boolean(literal.u.i != 0);
    case ZZ_I64:
      return core::Value::integer(literal.u.i);
    case ZZ_F64:
      return core::Value::number(literal.u.d);
    case ZZ_STR:
      return core::Value::text(std::string(literal.u.s.p ? literal.u.s.p : "", literal.u.s.n));
    case ZZ_LIST:
      return list_of(literal);
    case ZZ_MAP:
      return map_of(literal);
    case ZZ_LIT_REF:
      return core::value_of_part(from_abi(literal.u.ref));
    case ZZ_LIT_OWN:
      return value_of(literal.u.own);
    case ZZ_LIT_F64S:
      return core::numbers_value(numbers_of<double>(literal));
    case ZZ_LIT_I64S:
      return core::integers_value(numbers_of<std::int64_t>(literal));
    case ZZ_LIT_REMOVE:
      throw core::ValueError(core::ValueError::Problem::invalid,
                             "only `with` can remove something, and only directly");
    default:
      throw core::ValueError(core::ValueError::Problem::invalid,
                             "a literal of the unknown kind " + std::to_string(literal.kind));
  }
}

}  // namespace

core::Value value_of_literal(const zz_lit& literal) {
  if (literal.name == 0 && literal.key == nullptr) return unkeyed_value(literal);
  try {
    return unkeyed_value(literal);
  } catch (const core::ValueError& error) {
    const std::string key(literal.name ? core::text_of(literal.name) : std::string_view(literal.key));
    throw core::ValueError(error.problem(), key + ": " + error.what());
  }
}

std::vector<core::Edit> edits_of_literals(const zz_lit* literals, std::uint32_t count) {
  std::vector<core::Edit> edits;
  edits.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    core::Edit& edit = edits.emplace_back(core::Edit{key_of(literals[i]), std::nullopt});
    if (literals[i].kind != ZZ_LIT_REMOVE) edit.value = value_of_literal(literals[i]);
  }
  return edits;
}

}  // namespace zz::host
