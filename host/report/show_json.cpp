#include <cstdio>
#include <fmt/format.h>

#include "core/base/json_text.hpp"
#include "core/value/read.hpp"
#include "host/report/show_formats.hpp"

namespace zz::host {

void show_json(const Selection& selection) {
  // The file is read to its end first, so that nothing is printed of one that was cut off.
  for (SelectedResults all(selection, core::ArchiveReader::As::plain); all.next();) {
  }
  SelectedResults results(selection, core::ArchiveReader::As::plain);
  fmt::print("{{\"producer\": {}, \"results\": [", core::json_string(results.producer()));
  const char* separator = "\n";
  while (results.next()) {
    fmt::print("{}{{\"number\": {}, \"evaluation\": {}, \"extra\": {}}}", separator, results.number(),
               core::to_json(results.evaluation().ref()), core::to_json(results.extra().ref()));
    separator = ",\n";
  }
  fmt::print("\n]}}\n");
}

}  // namespace zz::host
