#pragma once
#include <cstdint>
#include <vector>

#include "core/value/edit.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// The value of a literal. Values and references in it are shared if possible, else copied, so the result
/// never points into memory of the caller. Throws core::ValueError for an unknown kind, a missing reference
/// and ZZ_LIT_REMOVE.
core::Value value_of_literal(const zz_lit& literal);

/// A list of keyed literals as edits; ZZ_LIT_REMOVE is allowed here.
std::vector<core::Edit> edits_of_literals(const zz_lit* literals, std::uint32_t count);

}  // namespace zz::host
