#pragma once
#include "host/report/selected_results.hpp"

/// The forms in which an archive is printed on standard output. All throw core::InputError. Only the table
/// and the mapping hold more than one result at a time: a row, and an entry, of each.
namespace zz::host {

/// For people: a row for each evaluation.
void show_table(const Selection& selection);
/// {"producer": ..., "results": [{"number": 1, "evaluation": {...}, "extra": ...}, ...]}, a result on a
/// line. All that the archive holds, as it is.
void show_json(const Selection& selection);
/// A row for each evaluation of a layer, with every figure and metric that is a number.
void show_csv(const Selection& selection);
/// A mapping file with which a pipeline comes to these results again.
void show_mapping(const Selection& selection);

}  // namespace zz::host
