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

/// The table behind a reference: one constant per C++ type. This is how a type becomes readable; the tables
/// of the domain are in core/schema, made with the templates of reflect.hpp.
namespace zz::core {

class EditSession;
struct Where;

/// A part of an object: what users, documentation and edits call it.
struct Field {
  const char* name;
  const char* unit;  ///< "bit", "pJ"; "" when it has none
  const char* doc;   ///< one sentence
  Ref (*get)(const void* object);
  /// Edits the part itself (no steps left) or something below it. nullptr: computed, cannot be set.
  void (*edit)(EditSession& session, void* object, std::span<const Name> steps, const Value* value,
               const Where& where);
  std::string (*words)() =
      nullptr;            ///< its type, for documentation: "list of `memory`"; nullptr: not known
  bool required = false;  ///< an object cannot be made without it
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
  /// The part of that name, or a reference without type. Of objects: names that are no field.
  Ref (*get)(std::uint64_t word, Name name) = nullptr;
  /// Of a reference to something that holds the value (a shared pointer, a Value): what it holds, as a
  /// borrowed reference and as a share of it. All other members are then unused.
  Ref (*look)(std::uint64_t word) = nullptr;
  Value (*share)(std::uint64_t word) = nullptr;

  // Making and changing. Null for what cannot be made or changed.
  std::shared_ptr<void> (*create)() = nullptr;                   ///< with default values
  std::shared_ptr<void> (*clone)(std::uint64_t word) = nullptr;  ///< a copy that may be changed
  void (*edit)(EditSession& session, void* object, std::span<const Name> steps, const Value* value,
               const Where& where) = nullptr;
  void (*validate)(const void* object) = nullptr;  ///< throws InputError or ValueError

  FieldIndex* index = nullptr;  ///< of an object
};

/// Position of each field by its name's number. Constant-initialised, filled at the first look-up, because
/// names get their numbers while the program runs.
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

/// `ref` itself, or what it holds (Type::look), at any depth.
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

/// Types that can be made by name and that documentation lists, in a fixed order.
std::span<const Type* const> object_types();
const Type* find_object_type(std::string_view name);

}  // namespace zz::core
