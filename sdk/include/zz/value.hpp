// zz/value.hpp - reading and making values: contexts, layers, accelerators, evaluations, plain trees.
//
// A Ref is a borrowed look at a value or a part of one. It is cheap to copy, and valid as long as the value
// that it was read from. A Value owns one reference. Both read alike. A missing part is a Ref too, so that
// look-ups chain; only reading it throws, with the missing name. Values never change: `with` gives a
// changed copy, which shares the unchanged parts. [any]
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zz/name.hpp"

#pragma GCC visibility push(hidden)
namespace zz {

class Ref;
class Value;

namespace detail {
[[noreturn]] void throw_unreadable(zz_ref part, int32_t wanted);  // error.hpp
[[noreturn]] void throw_failed_call();                            // error.hpp

inline const zz_values& values() noexcept { return *runtime.values; }
}  // namespace detail

// The common functions of Ref and Value.
template <class Self>
class Reader {
 public:
  bool exists() const { return kind() != ZZ_NONE; }
  bool is_null() const { return kind() <= ZZ_NULL; }  // null, or not there at all
  int32_t kind() const { return detail::values().kind(self()); }
  std::string_view type() const {  // "layer"; empty unless it is an object
    const zz_str text = detail::values().type(self());
    return {text.p, text.n};
  }

  Ref operator[](Name field_or_path) const;
  Ref operator[](std::string_view field_or_path) const;  // interns each time
  Ref operator[](const char* field_or_path) const;
  template <std::integral Index>
  Ref operator[](Index i) const;
  Ref at(uint32_t i) const;                // i-th part of a list, map or object
  std::string_view key(uint32_t i) const;  // its key; empty in a list. Borrowed from the value
  uint32_t size() const { return detail::values().count(self()); }

  // Throw zz::Error (ZZ_E_MISSING, ZZ_E_TYPE). Integers read as num() too, integral doubles as i64().
  int64_t i64() const { return read<int64_t>(detail::values().i64, ZZ_I64); }
  double num() const { return read<double>(detail::values().f64, ZZ_F64); }
  bool boolean() const { return read<int64_t>(detail::values().i64, ZZ_BOOL) != 0; }
  std::string_view str() const {
    const zz_str text = read<zz_str>(detail::values().str, ZZ_STR);
    return {text.p, text.n};
  }
  // The same, `otherwise` where the part is null or missing; a wrong type still throws.
  int64_t i64(int64_t otherwise) const { return is_null() ? otherwise : i64(); }
  double num(double otherwise) const { return is_null() ? otherwise : num(); }
  bool boolean(bool otherwise) const { return is_null() ? otherwise : boolean(); }
  std::string_view str(std::string_view otherwise) const { return is_null() ? otherwise : str(); }

  std::string json() const;  // numbers that JSON has no word for become null. Throws Error

  class Iterator;
  Iterator begin() const;
  Iterator end() const;

 private:
  zz_ref self() const { return static_cast<const Self&>(*this).raw(); }
  template <class T, class Function>
  T read(Function function, int32_t wanted) const {
    T out{};
    if (function(self(), &out) != ZZ_OK) detail::throw_unreadable(self(), wanted);
    return out;
  }
};

class Ref : public Reader<Ref> {
 public:
  Ref() = default;
  explicit Ref(zz_ref raw) : raw_(raw) {}
  zz_ref raw() const { return raw_; }

 private:
  zz_ref raw_{0, nullptr};
};

class Value : public Reader<Value> {
 public:
  Value() = default;  // null
  Value(std::nullptr_t) {}
  Value(const Value& other) noexcept : handle_(retained(other.handle_)) {}
  Value(Value&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Value& operator=(Value other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Value() {
    if (handle_) detail::values().release(handle_);
  }

  static Value take(zz_value* given) noexcept {  // the reference that the caller holds becomes the Value's
    Value value;
    value.handle_ = given;
    return value;
  }
  static Value share(zz_value* borrowed) noexcept { return take(retained(borrowed)); }
  zz_value* release() noexcept { return std::exchange(handle_, nullptr); }  // gives the reference away
  zz_value* handle() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  Ref look() const { return Ref(raw()); }
  operator Ref() const { return look(); }
  zz_ref raw() const { return detail::values().look(handle_); }
  // Makes a value of a part, which may then outlive this value. `part` must be read from this value. Null
  // when the part does not exist.
  Value hold(Ref part) const { return take(detail::values().hold(handle_, part.raw())); }

 private:
  static zz_value* retained(zz_value* handle) noexcept {
    return handle ? detail::values().retain(handle) : nullptr;
  }
  zz_value* handle_ = nullptr;
};

template <class Self>
class Reader<Self>::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Ref;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Ref;

  Iterator() = default;
  Iterator(zz_ref list, uint32_t i) : list_(list), i_(i) {}
  Ref operator*() const { return Ref(detail::values().at(list_, i_, nullptr)); }
  Iterator& operator++() {
    ++i_;
    return *this;
  }
  Iterator operator++(int) { return std::exchange(*this, Iterator(list_, i_ + 1)); }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.i_ == b.i_; }

 private:
  zz_ref list_{0, nullptr};
  uint32_t i_ = 0;
};

template <class Self>
Ref Reader<Self>::operator[](Name field_or_path) const {
  return Ref(detail::values().get(self(), field_or_path.id()));
}
template <class Self>
Ref Reader<Self>::operator[](std::string_view field_or_path) const {
  return (*this)[Name(field_or_path)];
}
template <class Self>
Ref Reader<Self>::operator[](const char* field_or_path) const {
  return (*this)[std::string_view(field_or_path)];
}
template <class Self>
template <std::integral Index>
Ref Reader<Self>::operator[](Index i) const {
  return at(static_cast<uint32_t>(i));
}
template <class Self>
Ref Reader<Self>::at(uint32_t i) const {
  return Ref(detail::values().at(self(), i, nullptr));
}
template <class Self>
std::string_view Reader<Self>::key(uint32_t i) const {
  zz_str key{nullptr, 0};
  detail::values().at(self(), i, &key);
  return {key.p, key.n};
}
template <class Self>
auto Reader<Self>::begin() const -> Iterator {
  return Iterator(self(), 0);
}
template <class Self>
auto Reader<Self>::end() const -> Iterator {
  return Iterator(self(), size());
}
template <class Self>
std::string Reader<Self>::json() const {
  Value text = Value::take(detail::values().json(self(), detail::sink()));
  if (!text) detail::throw_failed_call();
  return std::string(text.str());
}

}  // namespace zz
#pragma GCC visibility pop
