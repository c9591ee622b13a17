#include <cstdio>
#include <fmt/format.h>

#include "core/text/json_text.hpp"
#include "core/value/read.hpp"
#include "host/report/show_formats.hpp"

namespace zz::host {

void show_json(const Selection& selection) {
  // A document that turns out to be cut off is no document: the file is read to its end first.
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
