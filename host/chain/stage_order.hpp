#pragma once
#include <vector>

#include "host/chain/resolved_chain.hpp"

namespace zz::host {

/// Every stage, outermost first; the stages of a setting follow the stage that has it.
std::vector<const ResolvedStage*> all_stages(const std::vector<ResolvedStage>& stages);

/// The stages above one, outermost first: those before it in its list and, when the list is a setting of a
/// stage, that stage and those above it.
std::vector<const ResolvedStage*> stages_above(const ResolvedChain& chain, const ResolvedStage& stage);

/// The stages below one: those in its own settings, and those after it in its list with theirs.
std::vector<const ResolvedStage*> stages_below(const ResolvedChain& chain, const ResolvedStage& stage);

}  // namespace zz::host
