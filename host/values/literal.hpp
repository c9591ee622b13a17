#pragma once
#include <cstdint>
#include <vector>

#include "core/value/edit.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// The value that a literal of the ABI writes down. What it owns or refers to is shared where it can be,
/// else copied, so the value never points into the caller's memory. Throws core::ValueError for a kind that
/// is none, for a missing reference and for ZZ_LIT_REMOVE.
core::Value value_of_literal(const zz_lit& literal);

/// A list of keyed literals as edits; ZZ_LIT_REMOVE is allowed here.
std::vector<core::Edit> edits_of_literals(const zz_lit* literals, std::uint32_t count);

}  // namespace zz::host
