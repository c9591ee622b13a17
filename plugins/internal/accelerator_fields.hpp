#pragma once
#include <string>
#include <utility>
#include <vector>

#include "zz/stage.hpp"

namespace zz::plugins {

/// A name and the value that it has at one point.
using PointSetting = std::pair<std::string, Value>;

// Fields of an accelerator by the paths that users write: those of the accelerator file
// ("memories.l1.size", "operational_array.sizes[D1]") or of the object ("memories[l1].size",
// "operational_array.dimensions[D1].size"), with or without "accelerator." in front. [any]

/// The path in the object for a path in the file. `sizes` of the array become those of its dimensions, and
/// the object keeps the fields for in-memory computing together.
std::string object_path(const Value& accelerator, const std::string& written);

/// The path with elements of lists by number, so that one field has one spelling.
std::string unique_path(const Value& accelerator, const std::string& path);

/// The fields that one setting changes, by their paths in the object: several when it gives the sizes of
/// the array as a list. Throws Error(ZZ_E_INVALID) where these are not as many as its dimensions.
std::vector<PointSetting> edits_for(const Value& accelerator, const PointSetting& setting);

/// Sets the field to the value that it has. Throws Error where there is no such field, or where it cannot
/// be set.
void try_path(const Value& accelerator, const std::string& written);

/// Why the field cannot have the value whatever the other fields are, because it is of another kind; or "".
std::string wrong_kind(const Value& accelerator, const PointSetting& setting);

/// The accelerator with these settings. Throws Error(ZZ_E_INVALID) when no accelerator can have them.
Value accelerator_with(const Value& accelerator, const std::vector<PointSetting>& settings);

}  // namespace zz::plugins
