#include "core/writers/simple_json.hpp"

#include <nlohmann/json.hpp>

#include "core/writers/json_text.hpp"

namespace zz::core {

std::string simple_json(const Evaluation& evaluation) {
  nlohmann::ordered_json tree;
  tree["energy"] = evaluation.energy_total;
  tree["latency"] = evaluation.latency_total2;
  if (evaluation.imc) {
    tree["tclk (ns)"] = evaluation.imc->tclk();
    tree["area"] = evaluation.imc->area_total();
  }
  return json_text(tree);
}

}  // namespace zz::core
