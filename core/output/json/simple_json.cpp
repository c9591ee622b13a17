#include "core/output/json/simple_json.hpp"

#include <utility>

#include "core/output/json/json_writer.hpp"
#include "core/output/json/metrics_json.hpp"

namespace zz::core {

std::string simple_json(const Evaluation& evaluation) {
  JsonWriter json;
  json.map([&] {
    json.entry("energy", evaluation.energy_total);
    json.entry("latency", evaluation.latency_total2);
    if (evaluation.imc) {
      json.entry("tclk (ns)", evaluation.imc->tclk());
      json.entry("area", evaluation.imc->area_total());
    }
    write_metrics(json, evaluation);
  });
  return std::move(json).text();
}

}  // namespace zz::core
