#pragma once
#include "host/chain/chain.hpp"
#include "zz/stage_abi.h"

/// Stages of a plugin that is linked in, for tests of the chain.
namespace zz::test {

/// A leaf that gives `count` evaluations; `bad` chooses how it breaks the contract: "count" (more results
/// than asked for), "silent", "message", "status", "stream", "empty".
extern const zz_stage_desc made_up_leaf;
/// Hands on what comes from below; `bad` "wrap" says something of its own about a failure. With
/// `override` above 0 it replaces the count in the context.
extern const zz_stage_desc made_up_forwarder;

/// A chain of these, as the resolver would give it; `settings` of each stage are {"bad", text} and
/// {"count", number} in the order of their tables.
host::ResolvedStage placed(int number, const zz_stage_desc& stage, const std::string& bad,
                           std::int64_t count);

}  // namespace zz::test
