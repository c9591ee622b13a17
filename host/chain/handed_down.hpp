#pragma once
#include <memory>
#include <string_view>

#include "core/compat/rules.hpp"
#include "core/schema/types.hpp"
#include "core/search/loma/mapping_check.hpp"
#include "core/value/value.hpp"
#include "host/chain/failure.hpp"
#include "host/chain/place.hpp"
#include "host/values/context.hpp"

namespace zz::host {

/// The rules by which the leaf below costs what it is given: those of its setting `compat`.
core::Rules rules_below(const zz_place& at);

/// The object of a type under a key of a context, or nullptr. Valid as long as the context.
template <class T>
const T* object_in_context(const core::Value& context, std::string_view key) {
  const core::Value* value = find_in_context(context, core::intern(key));
  if (value == nullptr) return nullptr;
  const core::Ref ref = core::look_through(value->ref());
  return ref.type == core::type_of<T>() ? core::object_in<T>(ref) : nullptr;
}

/// True for a stage of a third party that provides mappings, or what they are mappings of. Plugins of this
/// build are trusted: their stages share the code that would check them.
bool hands_down_mappings(const zz_place& at);

/// Rule S9: a mapping that a stage of a third party hands down is held to the rules by which those of files
/// and of the built-in searches are made. Layer, accelerator and mappings are those of the context that the
/// stage opens the chain below with; what is not there yet is not looked at. nullptr: nothing is wrong.
/// Only stages that hands_down_mappings() holds for are asked.
FailurePointer check_handed_down(const zz_place& at, const core::Value& context);

/// The same for temporal mappings that the stage at `at` lets the chain below score over `context`, one
/// after the other. nullptr: none of them is looked at.
std::unique_ptr<const core::MappingCheck> check_of_scored(const zz_place& at, const core::Value& context);

/// What that check says of a mapping; nullptr when nothing is wrong.
FailurePointer check_scored(const core::MappingCheck& check, const zz_place& at, core::Ref mapping);

}  // namespace zz::host
