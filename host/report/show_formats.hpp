#pragma once
#include "host/report/selected_results.hpp"

/// The forms in which an archive is printed on standard output. All throw core::InputError. Only the table
/// and the mapping hold more than one result at a time: a row, and an entry, of each.
namespace zz::host {

/// A text table with a row for each evaluation.
void show_table(const Selection& selection);
/// {"producer": ..., "results": [{"number": 1, "evaluation": {...}, "extra": ...}, ...]}, a result on a
/// line, with everything in the archive.
void show_json(const Selection& selection);
/// CSV: a row for each evaluation of a layer, with every figure and metric.
void show_csv(const Selection& selection);
/// A mapping file with which a pipeline gives these results again.
void show_mapping(const Selection& selection);

}  // namespace zz::host
