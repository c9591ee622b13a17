#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/value/name.hpp"
#include "core/value/value.hpp"

/// The table behind a reference, one constant for each C++ type, makes the type readable. The tables of the
/// domain are in core/schema; the templates of reflect.hpp make them.
namespace zz::core {

class EditSession;
struct Where;

/// A named part of an object.
struct Field {
  const char* name;
  const char* unit;  ///< "bit", "pJ"; "" when it has none
  const char* doc;   ///< one sentence
  Ref (*get)(const void* object);
  /// Edits the part itself (without steps) or a part of it. nullptr: the field is computed.
  void (*edit)(EditSession& session, void* object, std::span<const Name> steps, const Value* value,
               const Where& where);
  std::string (*words)() =
      nullptr;                   ///< its type, for documentation: "list of `memory`"; nullptr: not known
  bool required = false;         ///< an object cannot be made without it
  const char* former = nullptr;  ///< the name that it had, by which it is still found; nullptr: none
  bool sparse = false;  ///< a number or list that texts of the object leave out while it is 0 or empty
};

class FieldIndex;

struct Type {
  Kind kind = Kind::null;
  std::string_view name{};          ///< of an object: "layer"
  std::string_view doc{};           ///< one sentence
  std::span<const Field> fields{};  ///< of an object
  const char* label = "";           ///< field by which an element of a list is found ("name"); "" for none

  // Reading. Functions that do not apply to the kind are null. `word` is that of the reference.
  std::string_view (*text)(std::uint64_t word) = nullptr;
  std::uint32_t (*count)(std::uint64_t word) = nullptr;
  /// index < count(word). `key`, never null, is set by maps.
  Ref (*at)(std::uint64_t word, std::uint32_t index, std::string_view& key) = nullptr;
  /// The part of that name, or a reference without type. Of objects: for names that are no field.
  Ref (*get)(std::uint64_t word, Name name) = nullptr;
  /// Holder (a shared pointer, a Value): a borrowed look at what it holds, and a share of that. All other
  /// members are then unused.
  Ref (*look)(std::uint64_t word) = nullptr;
  Value (*share)(std::uint64_t word) = nullptr;

  // Making and changing. Null for types that cannot be made or changed.
  std::shared_ptr<void> (*create)() = nullptr;                   ///< with default values
  std::shared_ptr<void> (*clone)(std::uint64_t word) = nullptr;  ///< a copy that may be changed
  void (*edit)(EditSession& session, void* object, std::span<const Name> steps, const Value* value,
               const Where& where) = nullptr;
  void (*validate)(const void* object) = nullptr;  ///< throws InputError or ValueError

  FieldIndex* index = nullptr;  ///< of an object
};

/// Position of each field by the number of its name. The first look-up fills it, because names get their
/// numbers while the program runs. [any]
class FieldIndex {
 public:
  const Field* find(const Type& type, Name name) {
    const std::vector<std::uint8_t>* positions = positions_.load(std::memory_order_acquire);
    if (positions == nullptr) positions = fill(type);
    const std::uint8_t position = name < positions->size() ? (*positions)[name] : 0;
    return position ? &type.fields[position - 1] : nullptr;
  }

 private:
  const std::vector<std::uint8_t>* fill(const Type& type);
  std::atomic<const std::vector<std::uint8_t>*> positions_{nullptr};
};

/// `ref`, or the value that it holds (Type::look), at any depth.
inline Ref look_through(Ref ref) {
  while (ref.type != nullptr && ref.type->look != nullptr) ref = ref.type->look(ref.word);
  return ref;
}

template <class T>
const T* object_in(Ref ref) {
  return reinterpret_cast<const T*>(static_cast<std::uintptr_t>(ref.word));
}
template <class T>
const T& object_at(std::uint64_t word) {
  return *reinterpret_cast<const T*>(static_cast<std::uintptr_t>(word));
}
inline std::uint64_t word_of(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }

extern const Type null_type;
extern const Type boolean_type;
extern const Type integer_type;
extern const Type number_type;
extern const Type string_type;       ///< word: a std::string
extern const Type static_text_type;  ///< word: a terminated text that is never freed
extern const Type held_value_type;   ///< word: a Value

inline Ref null_ref() { return {0, &null_type}; }
inline Ref missing(Name name) { return {name, nullptr}; }

/// The field of an object type, or nullptr.
const Field* find_field(const Type& type, Name name);

/// The types that can be made by name, in the order of the documentation.
std::span<const Type* const> object_types();
const Type* find_object_type(std::string_view name);

}  // namespace zz::core
