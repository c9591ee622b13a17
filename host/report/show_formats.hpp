#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/output/archive/archive.hpp"

namespace zz::host {

/// A file to show, and which of its results; all when there are no numbers.
struct Selection {
  std::string file;
  std::set<std::uint64_t> numbers;  ///< from 1
  std::string layer = {};           ///< of these results, by name; "": any
};

/// Throws core::InputError about the file.
[[noreturn]] void fail(const Selection& selection, const std::string& message,
                       const std::string& hint = "");

/// Walks the selected results of an archive. It reads the file to its end, so that it notices one that was
/// cut off.
class SelectedResults {
 public:
  /// Like next(), throws core::InputError.
  SelectedResults(const Selection& selection, core::ArchiveReader::As as)
      : selection_(selection), reader_(selection.file, as) {}

  bool next();
  std::uint64_t number() const { return reader_.results(); }
  const core::Value& evaluation() const { return evaluation_; }
  const core::Value& extra() const { return extra_; }
  const std::string& producer() const { return reader_.producer(); }

 private:
  const Selection& selection_;
  core::ArchiveReader reader_;
  core::Value evaluation_, extra_;
};

}  // namespace zz::host

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
