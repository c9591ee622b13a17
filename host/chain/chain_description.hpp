#pragma once
#include <string>

#include "core/value/value.hpp"
#include "host/chain/place.hpp"

namespace zz::host {

/// The value of zz_nested.describe: everything that decides the results of the chain that begins with
/// `first` over `context`, except the objects in the context. nullptr: an empty chain.
core::Value describe_chain(const zz_place* first, const core::Value& context);

/// The value of zz_nested.makes. `context`: nullptr: with the settings as they are written.
core::Value what_chain_makes(zz_place* first, zz_value* context);

/// The word under `makes` of the stage alone, with the settings as they are written; "": it says none.
std::string what_stage_makes(zz_place& place);

}  // namespace zz::host
