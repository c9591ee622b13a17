#include "core/input/zigzag/detail/accelerator_keys.hpp"

#include <array>

#include "core/input/zigzag/detail/sparsity_yaml.hpp"
#include "core/input/zigzag/part_forms.hpp"

namespace zz::core {

using namespace yaml;

namespace {

void append(std::vector<Key>& keys, std::vector<Key> more) {
  for (Key& key : more) keys.push_back(std::move(key));
}

Form operand_form() { return word_of(memory_operand_names()); }
Form array_dimensions_form(std::size_t fewest = 0) {
  return set_of(text_like(array_dimension_pattern), fewest);
}

/// Numbers beyond what is counted stand for memory without end, in whatever spelling.
Form size_form() {
  return either({whole(1), number_above(static_cast<double>(largest_number)),
                 text_like(R"(^\+?([0-9]+\.?[0-9]*|\.[0-9]+)[eE]\+?[0-9]+$)")});
}

/// A value that says nothing: an array of plain multipliers may have the keys of others so.
std::vector<Key> empty_imc_keys() {
  return {{"imc_type", Need::nullable, nothing(), "only with is_imc: true"},
          {"adc_resolution", Need::nullable, number(0, 0), "only with is_imc: true"},
          {"bit_serial_precision", Need::nullable, nothing(), "only with is_imc: true"}};
}

KeyTable make_array(Units units, bool costs_are_open, ArrayForm form) {
  const bool imc = form == ArrayForm::imc;
  KeyTable table{"operational array", {}};
  table.keys = {{"is_imc", Need::optional, truth(), "true: the array computes in memory"},
                {"dimensions", Need::required, array_dimensions_form(imc ? 2 : 1),
                 "names of array dimensions: [D1, D2]"},
                {"sizes", Need::required,
                 list_of(whole(units == Units::required ? 1 : 0, largest_number), imc ? 2 : 1),
                 "units along each dimension"},
                {"operand_precision", Need::optional, precisions_form(),
                 "bits that units work on, or types of numbers, by operand"},
                {"converts", Need::optional, truth(),
                 "true: numbers in blocks that operand_precision does not name become those of the units "
                 "on the way"}};
  const Form precision = in_turn({whole(), whole()}, 2);
  if (imc) {
    Form no_dimensions = set_of(nothing(), 0);
    no_dimensions.most_parts = 0;
    append(
        table.keys,
        {{"systolic_dimensions", Need::optional, no_dimensions, "an array in memory has none"},
         {"efficiency", Need::optional, number(1, 1), "an array in memory has none"},
         {"fold", Need::refused, nothing(), ""},
         {"instruction", Need::refused, nothing(), ""},
         {"on_zero", Need::refused, nothing(), ""},
         {"skip_together", Need::refused, nothing(), ""},
         {"imc_type", Need::required, word_of({"analog", "digital"}), "analog or digital"},
         {"adc_resolution", Need::nullable, number(0, 64), "bits of the converters of an analog array"},
         {"bit_serial_precision", Need::required, number_above(0), "bits fed in per cycle, a power of two"},
         {"input_precision", Need::required, precision, "bits of activations and of weights"},
         {"unit_energy", Need::optional, number(0, largest_cost), "pJ of an operation of one unit"},
         {"unit_area", Need::optional, number(0, largest_cost), "area of one unit"}});
    return table;
  }
  const Need cost = costs_are_open ? Need::nullable : Need::required;
  const bool old = form == ArrayForm::old_names;
  append(
      table.keys,
      {{"systolic_dimensions", Need::optional, array_dimensions_form(),
        "dimensions along which data move from unit to unit"},
       {"efficiency", Need::optional, number(smallest_efficiency, 1),
        "share of its peak that long runs reach"},
       {"fold", Need::optional, map_of(fold_keys()), "cycles in which the array fills and drains"},
       {"instruction", Need::optional, map_of(instruction_keys()), "cycles of an instruction of the array"},
       {"on_zero", Need::optional, on_zero_form(), "operands whose zeros units skip or gate: {I: skip}"},
       {"skip_together", Need::optional, truth(), "false: units that skip do not wait for each other"},
       {old ? "multiplier_energy" : "unit_energy", cost, cost_form(), "pJ of an operation of one unit"},
       {old ? "multiplier_area" : "unit_area", cost, cost_form(), "area of one unit"},
       {"input_precision", Need::optional, precision, "bits of activations and of weights; not used"}});
  append(table.keys, empty_imc_keys());
  table.apart = {{"fold", "systolic_dimensions"}};
  return table;
}

const KeyTable& counted_port_keys() {
  static const KeyTable table = [] {
    KeyTable directions{"ports of an operand", {}};
    for (const char* code : direction_codes)
      directions.keys.push_back({code, Need::nullable, text(), "name of the port, as r_port_1"});
    return directions;
  }();
  return table;
}

KeyTable make_memory(bool costs_are_open, bool legacy_ports) {
  const Need cost = costs_are_open ? Need::nullable : Need::given;
  KeyTable table{"memory", {}};
  table.keys = {
      {"size", Need::required, size_form(), "bits of one instance"},
      {"latency", Need::optional, whole(0, largest_number), "cycles; stored only, as in ZigZag"},
      {"mem_type", Need::optional, text(), "sram, rf, dram or another: for costs that are filled in"},
      {"operands", Need::required, set_of(operand_form(), 1), "memory operands that it holds: [I1, I2, O]"},
      {"served_dimensions", Need::required, array_dimensions_form(),
       "array dimensions along which one instance serves all units"},
      {"force_double_buffering", Need::optional, truth(), "stored only, as in ZigZag"},
      {"tile_interval", Need::optional, number(0, largest_key_figure),
       "cycles from one tile to the next, at least"},
      {"shared_tiles", Need::optional, truth(), "true: tiles of I1 and I2 are loaded together"},
      {"shared_with", Need::optional, text(), "name of the memory of another core that is this one"},
      {"moves_to", Need::optional, text(), "name of a memory of inputs into which outputs can be moved"},
      {"format", Need::optional, formats_form(), "form of sparse operands in it: {W: bitmask}"},
      {"format_quantile", Need::optional, number(0.5, 1), "share of the tiles in a format that find room"},
      {"auto_cost_extraction", Need::optional, truth(), "true: its costs are filled in"},
      {"r_cost", cost, cost_form(), "pJ of a read of bandwidth_max bits"},
      {"w_cost", cost, cost_form(), "pJ of a write of bandwidth_max bits"},
      {"area", cost, cost_form(), "area of one instance"}};
  if (!legacy_ports) {
    table.keys.push_back({"ports", Need::required, list_of(map_of(port_keys()), 1), "its ports"});
    return table;
  }
  const Form count = whole(0, most_counted_ports), bits = whole(0, largest_number);
  append(table.keys,
         {{"r_bw", Need::required, bits, "bits per cycle of ports that read"},
          {"w_bw", Need::required, bits, "bits per cycle of ports that write"},
          {"min_r_granularity", Need::nullable, bits, "transfers are padded to multiples of it"},
          {"min_w_granularity", Need::nullable, bits, "transfers are padded to multiples of it"},
          {"r_port", Need::required, count, "number of ports that read"},
          {"w_port", Need::required, count, "number of ports that write"},
          {"rw_port", Need::required, count, "number of ports that do both"},
          {"ports", Need::required, list_of(map_of(counted_port_keys()), 1),
           "for each operand, the port of each direction: [{fh: w_port_1, tl: r_port_1}]"}});
  return table;
}

Form memory_form(bool costs_are_open) {
  const auto by_ports = [](bool open) {
    return case_of({{{"r_bw", "w_bw"}, "", map_of(memory_keys(open, true))}},
                   map_of(memory_keys(open, false)));
  };
  return case_of({{{"auto_cost_extraction"}, "true", by_ports(true)}}, by_ports(costs_are_open));
}

Form array_form(Units units, bool open) {
  return case_of({{{"is_imc"}, "true", map_of(array_keys(units, open, ArrayForm::imc))},
                  {{"multiplier_energy", "multiplier_area"},
                   "",
                   map_of(array_keys(units, open, ArrayForm::old_names))}},
                 map_of(array_keys(units, open, ArrayForm::plain)));
}

/// Also with the name of who made the core in front.
std::vector<std::string> core_types() {
  return {"compute", "memory", "offchip", "zigzag.compute", "zigzag.memory", "zigzag.offchip"};
}

KeyTable make_accelerator(Units units, bool costs_are_open, bool multipliers) {
  KeyTable table{units == Units::required ? "accelerator" : "core", {}};
  table.keys = {{"name", Need::required, text(), "name in tables and files"}};
  append(table.keys, clock_keys());
  append(
      table.keys,
      {{"costs", Need::optional, word_of({"auto"}), "auto: costs that are left out are filled in"},
       {"type", Need::nullable, word_of(core_types()),
        "type of a core of later versions of Stream; its units tell"},
       {"memories", Need::required, entries_of(".", memory_form(costs_are_open), 1),
        "memories by name, the innermost first"},
       {multipliers ? "multipliers" : "operational_array", Need::required,
        array_form(units, costs_are_open), "the units that compute"},
       {"operand_precision", Need::nullable, map_of(core_precision_keys()),
        "types of numbers, as in later versions of Stream"},
       {"operator_types", Need::nullable, list_of(text()), "not used: the mapping file says it"},
       {"utilization", Need::nullable, anything(), "not used"},
       {"max_object_fifo_depth", Need::nullable, anything(), "not used"},
       {"dataflows", Need::optional, unrolling_form(), "loops that the array unrolls: {D1: [\"K, 16\"]}"},
       {"workload_sparsity", Need::optional, workload_sparsity_form(),
        "zeros of tensors of which nothing else is said: {\"*.W\": {density: 0.4}}"}});
  table.apart = {{"clock", "clock_period"}};
  return table;
}

}  // namespace

const std::vector<std::string>& core_number_types() {
  static const std::vector<std::string> names = {"int4", "int8", "uint8", "fp8",   "int16", "uint16",
                                                 "bf16", "fp16", "int24", "int32", "fp32"};
  return names;
}

const KeyTable& core_precision_keys() {
  static const KeyTable table = [] {
    const std::vector<std::string>& names = core_number_types();
    return KeyTable{"operand_precision of a core",
                    {{"input", Need::nullable, word_of(names), "type of inputs and results"},
                     {"accumulator", Need::nullable, word_of(names), "type of sums"}}};
  }();
  return table;
}

const KeyTable& fold_keys() {
  static const Form units = word_of({"none", "used", "whole"});
  static const KeyTable table{
      "fold",
      {{"operand", Need::required, operand_form(), "memory operand that stays in the array during a fold"},
       {"fill", Need::optional, units, "units along the first dimension that count while it fills"},
       {"drain", Need::optional, units, "units along the second dimension that count while it drains"},
       {"preload", Need::optional, text_like("^(none|D[0-9])$"),
        "dimension along which it is loaded before"},
       {"overlapped", Need::optional, truth(), "true: a fold fills while the one before drains"}}};
  return table;
}

const KeyTable& instruction_keys() {
  const Form cycles = number(0, largest_key_figure);
  static const KeyTable table{
      "instruction",
      {{"operand", Need::required, operand_form(), "memory operand that stays in the array meanwhile"},
       {"along", Need::required, set_of(text_like(loop_pattern), 1), "loops that make the rows of a block"},
       {"rows", Need::required, whole(1, largest_key_figure), "rows of a block at most"},
       {"min_cycles", Need::optional, cycles, "cycles of a block at least"},
       {"reload_cycles", Need::optional, cycles, "cycles to load what stays"},
       {"interval", Need::optional, cycles, "cycles from one instruction to the next"}}};
  return table;
}

const KeyTable& line_keys() {
  static const KeyTable table{"line",
                              {{"bytes", Need::required, whole(1, largest_key_figure), "bytes of a line"},
                               {"cold_cycles", Need::required, number(0, largest_key_figure),
                                "cycles that the port takes for it"}}};
  return table;
}

const KeyTable& store_keys() {
  static const KeyTable table{
      "store",
      {{"bytes", Need::required, whole(1, largest_key_figure), "bytes of a request at most"},
       {"cycles", Need::required, number_above(0, largest_key_figure), "cycles of a request"}}};
  return table;
}

const KeyTable& request_keys() {
  static const KeyTable table = [] {
    KeyTable with_store = store_keys();
    with_store.name = "request";
    with_store.keys.push_back({"store", Need::optional, map_of(store_keys()),
                               "of data that come from the units, where it differs"});
    return with_store;
  }();
  return table;
}

const KeyTable& port_keys() {
  static const KeyTable table = [] {
    std::string operands;
    for (const std::string& name : memory_operand_names()) operands += (operands.empty() ? "" : "|") + name;
    return KeyTable{
        "port",
        {{"name", Need::required, text_like("^r?w?_port_[0-9]+$"), "r_port_1, w_port_1 or rw_port_1"},
         {"type", Need::required, word_of({"read", "write", "read_write"}), "read, write or read_write"},
         {"bandwidth_min", Need::required, whole(1),
          "bits per cycle; transfers are padded to multiples of it"},
         {"bandwidth_max", Need::required, whole(1, largest_number), "bits per cycle"},
         {"allocation", Need::required, list_of(text_like("^(" + operands + "), *(tl|fl|th|fh)$")),
          "operands and directions that it carries: [\"I1, tl\"]"},
         {"efficiency", Need::optional, number(smallest_efficiency, 1),
          "share of bandwidth_max that long transfers reach"},
         {"overlap", Need::optional, number(0, 1),
          "share of computation and transfers that hides behind the longer of both"},
         {"line", Need::optional, map_of(line_keys()), "data are touched first in lines"},
         {"request", Need::optional, map_of(request_keys()), "data are moved by requests"}}};
  }();
  return table;
}

const KeyTable& memory_keys(bool costs_are_open, bool legacy_ports) {
  static const std::array<KeyTable, 4> tables = {make_memory(false, false), make_memory(false, true),
                                                 make_memory(true, false), make_memory(true, true)};
  return tables[(costs_are_open ? 2 : 0) + (legacy_ports ? 1 : 0)];
}

const KeyTable& array_keys(Units units, bool costs_are_open, ArrayForm form) {
  static const std::vector<KeyTable> tables = [] {
    std::vector<KeyTable> all;
    for (const Units each : {Units::required, Units::optional})
      for (const bool open : {false, true})
        for (const ArrayForm one : {ArrayForm::plain, ArrayForm::old_names, ArrayForm::imc})
          all.push_back(make_array(each, open, one));
    return all;
  }();
  constexpr std::size_t forms = 3;
  return tables[((units == Units::required ? 0 : 2) + (costs_are_open ? 1 : 0)) * forms +
                static_cast<std::size_t>(form)];
}

const KeyTable& accelerator_keys(Units units, bool costs_are_open, bool multipliers) {
  static const std::vector<KeyTable> tables = [] {
    std::vector<KeyTable> all;
    for (const Units each : {Units::required, Units::optional})
      for (const bool open : {false, true})
        for (const bool old : {false, true}) all.push_back(make_accelerator(each, open, old));
    return all;
  }();
  return tables[(units == Units::required ? 0 : 4) + (costs_are_open ? 2 : 0) + (multipliers ? 1 : 0)];
}

}  // namespace zz::core
