#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/value/edit.hpp"

namespace zz::core {

/// Where an edit has got to: a chain on the stack, turned into text only when something fails.
struct Where {
  const Where* parent = nullptr;
  std::string_view step;    ///< field, key or label
  std::int64_t index = -1;  ///< of an element of a list, when it has no label
  bool element = false;     ///< written in brackets

  std::string text() const;
};

[[noreturn]] void fail(const Where& where, ValueError::Problem problem, const std::string& message);
/// "accelerator.memories[l1].size: expected a number, found text 'abc'"
[[noreturn]] void fail_expected(const Where& where, std::string_view expected, const Value& found);
/// "<above>.siz: no such part 'siz' (did you mean 'size'?)"; `container` gives the known names.
[[noreturn]] void fail_no_such_part(const Where& container_place, Ref container, Name step);

}  // namespace zz::core
