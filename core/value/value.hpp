#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zz::core {

/// The kinds of values. The numbers are those of the C ABI.
enum class Kind : std::int32_t { none = 0, null, boolean, i64, f64, str, list, map, object };

struct Type;

/// A borrowed look at a value or at a part of one: two words, never freed. `word` is a scalar or a pointer
/// to a C++ object; `type` knows which. Without a type the part does not exist, and `word` is the interned
/// name that was not found.
struct Ref {
  std::uint64_t word = 0;
  const Type* type = nullptr;
};

/// The type of the C++ object behind a reference: one constant table per C++ type, compared by address.
/// Specialised next to the tables of fields (core/schema).
template <class T>
const Type* type_of();

/// An immutable value: a look at an object, and a share of the object's owner. Copies share. A part of an
/// object is a value too and shares the same owner, so a part may outlive the whole. [any]
class Value {
 public:
  Value() = default;  ///< null
  Value(std::shared_ptr<const void> owner, Ref ref) : owner_(std::move(owner)), ref_(ref) {}

  template <class T>
  static Value object(std::shared_ptr<const T> object) {
    const auto* address = object.get();
    return Value(std::move(object), Ref{reinterpret_cast<std::uintptr_t>(address), type_of<T>()});
  }
  static Value boolean(bool value);
  static Value integer(std::int64_t value);
  static Value number(double value);
  static Value text(std::string value);
  static Value list(std::vector<Value> items);
  static Value map(std::vector<std::pair<std::string, Value>> entries);

  Ref ref() const;  ///< a null reference for a default-constructed value
  const std::shared_ptr<const void>& owner() const { return owner_; }

  /// The C++ object, or nullptr when the value is of another type. Keeps the owner alive.
  template <class T>
  std::shared_ptr<const T> as() const {
    if (ref_.type == nullptr || ref_.type != type_of<T>()) return nullptr;
    return std::shared_ptr<const T>(owner_,
                                    reinterpret_cast<const T*>(static_cast<std::uintptr_t>(ref_.word)));
  }

 private:
  std::shared_ptr<const void> owner_;
  Ref ref_;
};

}  // namespace zz::core
