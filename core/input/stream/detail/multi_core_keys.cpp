#include "core/input/stream/detail/multi_core_keys.hpp"

#include <array>

#include "core/hardware/accelerator_check.hpp"
#include "core/hardware/multi_core_check.hpp"
#include "core/input/zigzag/part_forms.hpp"

namespace zz::core {

using namespace yaml;

namespace {

Form core_form() { return whole(0, static_cast<double>(most_cores) - 1); }

/// [0, 1] or "0, 1".
Form core_ids_form() { return either({set_of(core_form(), 2), text_like("^ *[0-9]+ *(, *[0-9]+ *)+$")}); }

Form bandwidth_form() { return number(smallest_link_bandwidth); }
Form unit_energy_form() { return number(0, largest_cost); }

KeyTable make_graph(GraphType type) {
  const bool mesh = type == GraphType::mesh;
  const Need side = mesh ? Need::required : Need::nullable;
  const Form count = whole(1, static_cast<double>(most_cores));
  const Form simd = type == GraphType::bus ? nothing() : bandwidth_form();
  const Form simd_energy = type == GraphType::bus ? nothing() : unit_energy_form();
  return {
      "graph",
      {{"type", Need::required, word_of({"2d_mesh", "bus"}), "2d_mesh or bus"},
       {"bandwidth", Need::required, bandwidth_form(), "bits per cycle of each link"},
       {"unit_energy_cost", Need::nullable, unit_energy_form(), "pJ per cycle of each link"},
       {"nb_rows", side, mesh ? count : anything(), "rows of the mesh"},
       {"nb_cols", side, mesh ? count : anything(), "columns of the mesh"},
       {"pooling_core_id", Need::nullable, core_form(), "core outside of the mesh that pools"},
       {"simd_core_id", Need::nullable, core_form(), "core outside of the mesh for element-wise layers"},
       {"offchip_core_id", Need::nullable, core_form(), "core that is the memory off chip"},
       {"simd_bandwidth", Need::nullable, simd, "bits per cycle of the links of the simd core"},
       {"simd_unit_energy_cost", Need::nullable, simd_energy,
        "pJ per cycle of the links of the simd core"}},
      {},
      {{"simd_bandwidth", "simd_core_id"}, {"simd_unit_energy_cost", "simd_core_id"}}};
}

KeyTable make_multi_core(bool later_format) {
  KeyTable table{"accelerator of several cores", {}};
  table.keys = {{"name", Need::required, text(), "name in tables and files"}};
  for (Key& key : clock_keys()) table.keys.push_back(std::move(key));
  table.apart = {{"clock", "clock_period"}};
  std::vector<Key> more = {
      {"cores", Need::required, either({list_of(text(), 1), entries_of("^[0-9]+$", text(), 1)}),
       "files of the cores, in the order of their ids, or by id"},
      {"core_memory_sharing", Need::nullable, list_of(core_ids_form()),
       "cores that share their uppermost memory: [[0, 1]]"},
      {"core_coordinates", Need::optional, anything(), "places in pictures; not used"},
      {"technology_node", Need::optional, anything(), "not used"},
      {"memory_aliases", Need::nullable, anything(), "not used"},
      {"memories", Need::refused, nothing(), ""},
      {"operational_array", Need::refused, nothing(), ""},
      {"dataflows", Need::refused, nothing(), ""}};
  const Form graph = case_of({{{"type"}, "^2d_mesh$", map_of(graph_keys(GraphType::mesh))}},
                             map_of(graph_keys(GraphType::bus)));
  if (!later_format) {
    more.push_back({"graph", Need::required, graph, "how the cores are joined"});
  } else {
    table.apart.emplace_back("offchip_core", "offchip_core_id");
    for (Key& key : std::vector<Key>{
             {"offchip_core", Need::nullable, text(), "file of the core that is the memory off chip"},
             {"offchip_core_id", Need::nullable, core_form(), "core that is the memory off chip"},
             {"core_connectivity", Need::nullable,
              list_of(either({core_ids_form(), map_of(connection_keys())})),
              "cores that links join: [[0, 1], {cores: [0, 2], bandwidth: 64}]"},
             {"bandwidth", Need::nullable, bandwidth_form(), "bits per cycle of links that say no other"},
             {"unit_energy_cost", Need::nullable, unit_energy_form(),
              "pJ per cycle of links that say no other"}})
      more.push_back(std::move(key));
  }
  for (Key& key : more) table.keys.push_back(std::move(key));
  return table;
}

}  // namespace

const KeyTable& connection_keys() {
  static const KeyTable table{"connection",
                              {{"cores", Need::required, core_ids_form(), "the cores that it joins"},
                               {"bandwidth", Need::nullable, bandwidth_form(), "bits per cycle"},
                               {"unit_energy_cost", Need::nullable, unit_energy_form(), "pJ per cycle"},
                               {"type", Need::nullable, word_of({"link", "bus"}),
                                "link: each pair has its own; bus: one for all"}}};
  return table;
}

const KeyTable& graph_keys(GraphType type) {
  static const std::array<KeyTable, 3> tables = {make_graph(GraphType::mesh), make_graph(GraphType::bus),
                                                 make_graph(GraphType::unknown)};
  return tables[static_cast<std::size_t>(type)];
}

const KeyTable& multi_core_keys(bool later_format) {
  static const std::array<KeyTable, 2> tables = {make_multi_core(false), make_multi_core(true)};
  return tables[later_format ? 1 : 0];
}

}  // namespace zz::core
