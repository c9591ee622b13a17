#pragma once
#include "core/value/value.hpp"
#include "host/chain/failure.hpp"
#include "host/chain/place.hpp"

namespace zz::host {

/// True for the leaf of a third party.
bool audits(const zz_place& at);

/// Rule S10: what such a leaf hands on is audited as far as it says anything (core::audit, scope `given`),
/// and has the figures by which stages above compare. `evaluation`: an evaluation or a list of them;
/// `context`: what the leaf was opened with. nullptr: nothing is wrong.
FailurePointer check_handed_on(const zz_place& at, const core::Value& context,
                               const core::Value& evaluation);

}  // namespace zz::host
