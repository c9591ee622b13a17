#pragma once
#include "core/value/value.hpp"
#include "host/chain/place.hpp"

namespace zz::host {

/// Everything that decides about the results of the chain below `above` over `context`, apart from the
/// objects in it: the value that zz_nested.describe gives.
core::Value describe_chain(const zz_place& above, const core::Value& context);

}  // namespace zz::host
