#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/exploration/design_space.hpp"
#include "core/store/result_store.hpp"

namespace zz::host {

/// The cell as text that reads back as the same value; "" for what is not known.
std::string exact_cell_text(const nlohmann::json& cell);

/// A list with an object for each row.
nlohmann::ordered_json stored_rows_json(const core::StoredTable& table);

/// The space that a store tells of. Throws InputError where what it says is damaged.
core::DesignSpace described_space(const core::ResultStore& store);
/// True if each figure of a point is of its own best mapping.
bool has_ideal_points(const core::StoredSpace& space);

/// A point as its store tells of it.
struct PointStory {
  nlohmann::ordered_json point;  ///< the row of `figures`, or number and axes
  std::string verdict;           ///< "front", "beaten", "beyond", "infeasible", "discarded", "open"
  std::string sentence;
};

/// Why a point is on the front of the store, or is not. Throws InputError for a number beyond the space.
PointStory point_story(const core::ResultStore& store, std::uint64_t number);

/// {verdict, why, point}.
nlohmann::ordered_json point_story_json(const PointStory& story);

}  // namespace zz::host
