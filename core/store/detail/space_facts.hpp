#pragma once
#include <map>
#include <string>

#include "core/store/result_store.hpp"

namespace zz::core {

/// A space as the facts that a store keeps, texts by name.
std::map<std::string, std::string> facts_of(const StoredSpace& space);

/// The space that such facts tell. They may be a stranger's, or damaged: throws std::runtime_error that
/// says what is wrong with which.
StoredSpace space_of_facts(const std::map<std::string, std::string>& facts);

/// Throws std::runtime_error for names that cannot be columns beside each other.
void check_names(const StoredSpace& space);

}  // namespace zz::core
