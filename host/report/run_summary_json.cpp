#include <cmath>
#include <nlohmann/json.hpp>

#include "core/output/json/json_writer.hpp"
#include "host/report/run_summary.hpp"
#include "host/services/log.hpp"
#include "host/services/progress.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;
using core::JsonWriter;

void write_number(JsonWriter& json, double value) {
  if (!std::isfinite(value)) return json.null();
  char digits[64];
  const char* const end = nlohmann::detail::to_chars(digits, digits + sizeof(digits), value);
  json.literal({digits, static_cast<std::size_t>(end - digits)});
}

void write_number(JsonWriter& json, const char* name, double value) {
  json.key(name);
  write_number(json, value);
}

void write(JsonWriter& json, const Json& tree) {
  if (tree.is_object())
    json.map([&] {
      for (const auto& [name, part] : tree.items()) {
        json.key(name);
        write(json, part);
      }
    });
  else if (tree.is_array())
    json.list([&] {
      for (const Json& part : tree) write(json, part);
    });
  else
    json.literal(tree.dump());
}

void write(JsonWriter& json, const SummaryRow& row) {
  json.map([&] {
    json.entry("layer", row.layer);
    write_number(json, "energy_total", row.energy);
    write_number(json, "latency_total2", row.latency);
    write_number(json, "mac_utilization2", row.utilization);
    json.entry("unrolling", row.unrolling);
    if (row.clock <= 0) return;
    write_number(json, "tclk", row.clock);
    write_number(json, "area_total", row.area);
  });
}

void write(JsonWriter& json, const SummaryResult& result) {
  json.map([&] {
    if (!result.settings.empty())
      json.map_entry("settings", [&] {
        for (const auto& [name, value] : result.settings) {
          json.key(name);
          write(json, Json::parse(value));
        }
      });
    json.key("total");
    if (result.has_total)
      write(json, result.total);
    else
      json.null();
    json.list_entry("layers", [&] {
      for (const SummaryRow& row : result.layers) write(json, row);
    });
  });
}

}  // namespace

std::string to_json(const RunSummary& summary) {
  JsonWriter json = JsonWriter::indented(2);
  json.map([&] {
    json.entry("pipeline", summary.pipeline);
    json.key("complete");
    json.literal(summary.complete ? "true" : "false");
    json.list_entry("results", [&] {
      for (const SummaryResult& result : summary.results) write(json, result);
    });
    json.map_entry("counters", [&] {
      for (const auto& [what, amount] : counters()) json.entry(what, amount);
    });
    json.list_entry("warnings", [&] {
      for (const Warning& warning : warnings())
        json.map([&] {
          json.entry("text", warning.text);
          json.entry("count", warning.count);
        });
    });
    write_number(json, "elapsed_seconds", summary.seconds);
    if (summary.times.empty()) return;
    json.list_entry("timings", [&] {
      for (const TimeSpent& time : summary.times)
        json.map([&] {
          json.entry("what", time.what);
          write_number(json, "seconds", time.seconds);
          json.entry("calls", time.calls);
        });
    });
  });
  return std::move(json).text();
}

}  // namespace zz::host
