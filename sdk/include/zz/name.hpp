// zz/name.hpp - interned texts: fields, context keys, metrics, and paths through several of them.
//
//   using namespace zz::literals;
//   double energy = result.evaluation["energy_total"_n].num();
//
// A literal is interned once, on first use. A Name is as cheap as an integer.
#pragma once

#include <cstddef>
#include <string_view>

#include "zz/runtime.hpp"

#pragma GCC visibility push(hidden)
namespace zz {

class Name {
 public:
  constexpr Name() = default;
  constexpr explicit Name(zz_name id) : id_(id) {}
  // Interns, which takes a hash and a lock. Not for inner loops.
  explicit Name(std::string_view text) : id_(detail::runtime.values->name(text.data(), text.size())) {}

  constexpr zz_name id() const { return id_; }
  std::string_view text() const {
    const zz_str text = detail::runtime.values->text(id_);
    return {text.p, text.n};
  }
  friend constexpr bool operator==(Name, Name) = default;

 private:
  zz_name id_ = 0;
};
static_assert(sizeof(Name) == sizeof(zz_name), "arrays of Name cross the boundary as arrays of zz_name");

namespace detail {
template <std::size_t N>
struct Text {  // a literal as template argument
  char chars[N];
  constexpr Text(const char (&text)[N]) {
    for (std::size_t i = 0; i < N; ++i) chars[i] = text[i];
  }
};
}  // namespace detail

inline namespace literals {
template <detail::Text text>
Name operator""_n() {
  static const Name name{std::string_view(text.chars, sizeof(text.chars) - 1)};
  return name;
}
}  // namespace literals

}  // namespace zz
#pragma GCC visibility pop
