#pragma once
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/value/edit.hpp"
#include "core/value/name.hpp"
#include "core/value/value.hpp"

/// Contexts, the values that stages hand down: immutable maps in layers. Each `with` adds a layer with a
/// few entries above the others, which are shared. In zz_values a context is a ZZ_MAP. A filter lets a
/// look-up skip layers without the key.
///
/// All functions may be used from any thread. Those that take a context expect is_context(context) and
/// throw std::logic_error otherwise.
namespace zz::host {

using ContextEntries = std::vector<std::pair<core::Name, core::Value>>;

/// A root, which is layer 0. Of equal keys the last one counts.
core::Value make_context(ContextEntries entries);

/// A layer above `context`. std::nullopt hides the key from there on.
using ContextChanges = std::vector<std::pair<core::Name, std::optional<core::Value>>>;
core::Value derive_context(const core::Value& context, ContextChanges changes);

/// The same from edits, whose names may be paths: "accelerator.memories[l1].size" copies the accelerator
/// into the new layer and changes the copy. Throws core::ValueError and core::InputError.
core::Value edited_context(const core::Value& context, std::span<const core::Edit> edits);

bool is_context(const core::Value& value);

/// The value of a key (never a path), or nullptr. Valid as long as the context.
const core::Value* find_in_context(const core::Value& context, core::Name key);

/// Number of the layer that set the visible value of the key: 0 for the root, one more for each derivation.
/// std::nullopt when the key is not set. Above 0, a stage provided or replaced the value.
std::optional<int> context_layer_of(const core::Value& context, core::Name key);

/// Number of the topmost layer: 0 for a root.
int context_depth(const core::Value& context);

/// A key that a layer above the root sets and that is not in `known`, which is sorted; std::nullopt: none.
std::optional<core::Name> key_set_besides(const core::Value& context, std::span<const core::Name> known);

/// Visible keys, in the order in which they were first set.
std::vector<core::Name> context_keys(const core::Value& context);

}  // namespace zz::host
