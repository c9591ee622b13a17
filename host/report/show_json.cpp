#include <cstdio>
#include <fmt/format.h>

#include "core/value/read.hpp"
#include "host/report/show_formats.hpp"

namespace zz::host {

void show_json(const Selection& selection) {
  SelectedResults results(selection, core::ArchiveReader::As::plain);
  const core::Value text = core::Value::text(results.producer());
  const std::string producer = core::to_json(text.ref());
  fmt::print("{{\"producer\": {}, \"results\": [", producer);
  const char* separator = "\n";
  while (results.next()) {
    fmt::print("{}{{\"number\": {}, \"evaluation\": {}, \"extra\": {}}}", separator, results.number(),
               core::to_json(results.evaluation().ref()), core::to_json(results.extra().ref()));
    separator = ",\n";
  }
  fmt::print("\n]}}\n");
}

}  // namespace zz::host
