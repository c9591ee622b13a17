#pragma once
#include <memory>
#include <string_view>

#include "core/compat/rules.hpp"
#include "core/schema/types.hpp"
#include "core/search/temporal/mapping_check.hpp"
#include "core/value/value.hpp"
#include "host/chain/failure.hpp"
#include "host/chain/place.hpp"
#include "host/values/context.hpp"

namespace zz::host {

/// The rules of the leaf below `at`: those of its setting `compat`. nullptr: those without defects.
core::Rules rules_below(const zz_place* at);

/// The object of a type under a key of a context, or nullptr. Valid as long as the context.
template <class T>
const T* object_in_context(const core::Value& context, std::string_view key) {
  const core::Value* value = find_in_context(context, core::intern(key));
  if (value == nullptr) return nullptr;
  const core::Ref ref = core::look_through(value->ref());
  return ref.type == core::type_of<T>() ? core::object_in<T>(ref) : nullptr;
}

/// True for a plugin of a third party. Plugins of this build are trusted: their stages share the code of
/// the check.
bool is_third_party(const zz_plugin& plugin);
/// The same for a stage.
bool is_third_party(const zz_place& at);

/// Rule S3: what the stage at `at` hands down is declared, by it or by a stage above. A setting below that
/// nobody declares to change would keep its value. Returns nullptr when nothing is wrong.
FailurePointer check_declared(const zz_place& at, const core::Value& context);

/// True for a stage of a third party that provides mappings, layers or accelerators.
bool hands_down_mappings(const zz_place& at);

/// Rule S9: checks the mapping that a stage of a third party hands down, by the rules of files and built-in
/// searches. Layer, accelerator and mappings are those of `context`, with which the stage opens the chain
/// below; missing ones are not checked. Returns nullptr when nothing is wrong.
/// REQUIRES: hands_down_mappings(at).
FailurePointer check_handed_down(const zz_place& at, const core::Value& context);

/// The check of the temporal mappings that the stage at `at` lets the chain below score over `context`.
/// nullptr: they need none.
std::unique_ptr<const core::MappingCheck> check_of_scored(const zz_place& at, const core::Value& context);

/// Applies the check to a mapping. Returns nullptr when nothing is wrong.
FailurePointer check_scored(const core::MappingCheck& check, const zz_place& at, core::Ref mapping);

/// True for a stage of a third party.
bool audits(const zz_place& at);

/// Rule S10: what such a stage hands on could be: it takes time, no unit works more than all of it, and
/// what it says of a layer adds up (core::audit, scope `given`). What a leaf hands on also has the figures
/// by which stages above compare. With `compat` only a leaf is held to it. `evaluation`: an evaluation or a
/// list of them; `context`: what the stage was opened with. nullptr: nothing is wrong. Constant time.
FailurePointer check_handed_on(const zz_place& at, const core::Value& context,
                               const core::Value& evaluation);

}  // namespace zz::host
