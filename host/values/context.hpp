#pragma once
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/value/edit.hpp"
#include "core/value/name.hpp"
#include "core/value/value.hpp"

/// Contexts: what stages hand down. An immutable map in layers; each `with` puts a layer of a few entries
/// above the one before and shares the rest. Seen through zz_values a context is a ZZ_MAP; keys are
/// compared as numbers, and a layer that cannot hold a key is skipped by a filter.
///
/// All functions may be used from any thread. Those that take a context expect is_context(context) and
/// throw std::logic_error otherwise.
namespace zz::host {

using ContextEntries = std::vector<std::pair<core::Name, core::Value>>;

/// The root: layer 0. Of keys given twice the last one counts.
core::Value make_context(ContextEntries entries);

/// A layer above `context`. std::nullopt as value: the key is hidden from here on.
using ContextChanges = std::vector<std::pair<core::Name, std::optional<core::Value>>>;
core::Value derive_context(const core::Value& context, ContextChanges changes);

/// The same from edits as the ABI has them, whose names may be paths into what is there:
/// "accelerator.memories[l1].size" copies the accelerator into the new layer and changes the copy.
/// Throws core::ValueError and core::InputError.
core::Value edited_context(const core::Value& context, std::span<const core::Edit> edits);

bool is_context(const core::Value& value);

/// The value of a key (never a path), or nullptr. Valid as long as the context.
const core::Value* find_in_context(const core::Value& context, core::Name key);

/// Number of the layer that set the key as it is seen here: 0 is the root, every derivation counts one
/// further. std::nullopt when the key is not set. So `layer_of(...) > 0`: something above overrode or
/// provided it.
std::optional<int> context_layer_of(const core::Value& context, core::Name key);

/// Number of the topmost layer: 0 for a root.
int context_depth(const core::Value& context);

/// Visible keys, in the order in which they were first set.
std::vector<core::Name> context_keys(const core::Value& context);

}  // namespace zz::host
