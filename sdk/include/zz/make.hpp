// zz/make.hpp - makes values: new ones, and changed copies.
//
//   Value point = make(nullptr, {{"size", 64}, {"tags", list({"small", "cheap"})}});
//   Value memories = make({{"names", list(names)}});  // of a vector of texts
//   Value evaluation = make("evaluation", {{"energy_total", 12.5}, {"latency_total2", 40.0}});
//   Value larger = with(ctx, {{"accelerator.memories[l1].size", 65536}});
//
// Literals point at their arguments, so write them inside the call that uses them. g++ 12 rejects such
// braces inside co_yield: make the value first, then yield it.
#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zz/value.hpp"

#pragma GCC visibility push(hidden)
namespace zz {

class Entry;
class LiteralList;

struct Removed {};
inline constexpr Removed removed;  // as a value in `with`: the key goes away

namespace detail {
template <class T, class... Types>
concept converts_to_none_of = !(std::convertible_to<const T&, Types> || ...);
template <class T>
inline constexpr bool is_literal = false;
}  // namespace detail

class Literal {
 public:
  Literal() = default;
  Literal(std::nullptr_t) {}
  Literal(Removed) { raw_.kind = ZZ_LIT_REMOVE; }
  template <std::same_as<bool> Bool>
  Literal(Bool value) {
    raw_.kind = ZZ_BOOL;
    raw_.u.i = value;
  }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Literal(Integer value) {
    raw_.kind = ZZ_I64;
    raw_.u.i = static_cast<int64_t>(value);
  }
  Literal(double value) {
    raw_.kind = ZZ_F64;
    raw_.u.d = value;
  }
  Literal(std::string_view text) {
    raw_.kind = ZZ_STR;
    raw_.u.s = {text.data(), text.size()};
  }
  Literal(const char* text) : Literal(std::string_view(text)) {}
  Literal(const std::string& text) : Literal(std::string_view(text)) {}
  Literal(Ref part) {
    raw_.kind = ZZ_LIT_REF;
    raw_.u.ref = part.raw();
  }
  Literal(const Value& value) {
    raw_.kind = ZZ_LIT_OWN;
    raw_.u.own = value.handle();
  }
  Literal(std::span<const double> numbers) : Literal(ZZ_LIT_F64S, numbers.data(), numbers.size()) {}
  Literal(const std::vector<double>& numbers) : Literal(std::span<const double>(numbers)) {}
  Literal(std::span<const int64_t> numbers) : Literal(ZZ_LIT_I64S, numbers.data(), numbers.size()) {}
  Literal(const std::vector<int64_t>& numbers) : Literal(std::span<const int64_t>(numbers)) {}
  inline Literal(std::span<const Entry> map);
  inline Literal(std::initializer_list<Entry> map);
  // The compiler refuses all else in one sentence, and names the line that is meant.
  template <class Other>
  requires(!std::same_as<Other, LiteralList> &&
           detail::converts_to_none_of<Other, std::nullptr_t, Removed, double, std::string_view, Ref, Value,
                                       std::span<const double>, std::span<const int64_t>,
                                       std::span<const Entry>, std::initializer_list<Entry>>)
      Literal(const Other&) {
    static_assert(
        detail::is_literal<Other>,
        "no value of zz::make: give a truth value, number, text, Ref, Value, nullptr, map in braces "
        "or numbers in a vector; zz::list(...) makes a list of other things");
  }

  static Literal list_of(const Literal* items, std::size_t n) { return Literal(ZZ_LIST, items, n); }
  const zz_lit& raw() const { return raw_; }

 private:
  friend class Entry;
  Literal(int32_t kind, const void* items, std::size_t n) {
    raw_.kind = kind;
    raw_.u.a.p = items;
    raw_.u.a.n = n;
  }
  zz_lit raw_{nullptr, 0, ZZ_NULL, {0}};
};

class Entry {
 public:
  Entry(const char* key, Literal value) : value_(value) { value_.raw_.key = key; }
  Entry(const std::string& key, Literal value) : Entry(key.c_str(), value) {}
  Entry(Name name, Literal value) : value_(value) { value_.raw_.name = name.id(); }
  const zz_lit& raw() const { return value_.raw(); }

 private:
  Literal value_;
};
static_assert(sizeof(Literal) == sizeof(zz_lit) && sizeof(Entry) == sizeof(zz_lit),
              "arrays of either cross the boundary as arrays of zz_lit");

inline Literal::Literal(std::span<const Entry> map) : Literal(ZZ_MAP, map.data(), map.size()) {}
inline Literal::Literal(std::initializer_list<Entry> map) : Literal(ZZ_MAP, map.begin(), map.size()) {}

inline Literal list(std::initializer_list<Literal> items) {
  return Literal::list_of(items.begin(), items.size());
}

// A list of texts, values or anything else that a literal can be, as long as the vector is:
// {"memories", list(names)}. It holds the literals, which point at the items.
class LiteralList {
 public:
  template <class Item>
  explicit LiteralList(std::span<const Item> items) : items_(items.begin(), items.end()) {}
  operator Literal() const { return Literal::list_of(items_.data(), items_.size()); }

 private:
  std::vector<Literal> items_;
};
template <class Item>
LiteralList list(const std::vector<Item>& items) {
  return LiteralList(std::span<const Item>(items));
}
template <class Item>
LiteralList list(std::span<const Item> items) {
  return LiteralList(items);
}

// A new value. `type` null: a plain tree; else an object of that type, checked like user input. Types that
// can be made: docs/values.md. Throws Error: ZZ_E_MISSING for an unknown type or field, ZZ_E_TYPE,
// ZZ_E_INVALID. [any]
inline Value make(const char* type, const Literal& literal) {
  zz_value* made = detail::values().make(type, &literal.raw(), detail::sink());
  if (!made) detail::throw_failed_call();
  return Value::take(made);
}
inline Value make(const char* type, std::initializer_list<Entry> fields) {
  return make(type, Literal(fields));
}
inline Value make(const Literal& literal) { return make(nullptr, literal); }

inline Value make_list(std::span<const Value> items) { return make(list(items)); }

// A copy of `base` with parts set; keys may be paths. Of a context: a layer above it. An evaluation takes
// unknown keys as new metrics. Throws Error. [any]
inline Value with(const Value& base, std::span<const Entry> edits) {
  zz_value* made = detail::values().with(base.handle(), reinterpret_cast<const zz_lit*>(edits.data()),
                                         static_cast<uint32_t>(edits.size()), detail::sink());
  if (!made) detail::throw_failed_call();
  return Value::take(made);
}
inline Value with(const Value& base, std::initializer_list<Entry> edits) {
  return with(base, std::span<const Entry>(edits.begin(), edits.size()));
}

}  // namespace zz
#pragma GCC visibility pop
