#include "plugins/other_tools/scale_sim_config.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "plugins/other_tools/text_fields.hpp"

namespace zz::plugins {
namespace {

constexpr std::int64_t most_units_of_a_side = 65536;
constexpr std::int64_t most_kb = std::int64_t{1} << 32;
constexpr std::int64_t most_words = std::int64_t{1} << 32;

/// Keys that change no figure that zz makes: addresses, names of traces, queues of requests.
const std::vector<std::string>& passed_over() {
  static const std::vector<std::string> keys = {"ifmapoffset",
                                                "filteroffset",
                                                "ofmapoffset",
                                                "memorybanks",
                                                "onchipmemorybanks",
                                                "onchipmemorybankports",
                                                "readrequestbuffer",
                                                "writerequestbuffer",
                                                "topologycsvloc",
                                                "sparserep",
                                                "optimizedmapping",
                                                "blocksize",
                                                "nonzeroelems",
                                                "randomnumbergeneratorseed",
                                                "ifmapsrambankbandwidth",
                                                "ifmapsrambanknum",
                                                "ifmapsrambankport",
                                                "filtersrambankbandwidth",
                                                "filtersrambanknum",
                                                "filtersrambankport"};
  return keys;
}

struct Entry {
  std::string value;
  core::SourceMark mark;  ///< of the value
};

class ConfigReader {
 public:
  ConfigReader(const std::string& path, const core::Files& files) : path_(path) {
    split(files.read(path, most_text_bytes, "a SCALE-Sim configuration"));
  }

  ScaleSimConfig read() {
    ScaleSimConfig made;
    if (const Entry* name = take("run_name", false)) made.name = name->value;
    if (made.name.empty()) made.name = "scale_sim";
    made.rows = number("ArrayHeight", most_units_of_a_side);
    made.columns = number("ArrayWidth", most_units_of_a_side);
    made.input_kb = number("IfmapSramSzkB", most_kb);
    made.filter_kb = number("FilterSramSzkB", most_kb);
    made.output_kb = number("OfmapSramSzkB", most_kb);
    made.dataflow = dataflow();
    read_bandwidth(made);
    for (const char* key :
         {"SparsitySupport", "IfmapCustomLayout", "FilterCustomLayout", "UseRamulatorTrace"})
      refuse_when_on(key);
    report_unknown();
    problems_.throw_if_errors();
    return made;
  }

 private:
  void split(const std::string& text) {
    for (const TextLine& line : lines_of(text, path_)) {
      const TextField whole = trimmed(line.text, line.mark);
      if (whole.text.empty() || whole.text[0] == '#' || whole.text[0] == ';' || whole.text[0] == '[')
        continue;
      const std::size_t end = line.text.find_first_of(":=");
      if (end == std::string::npos) {
        problems_.error(whole.mark, fmt::format("'{}' is no entry", core::shown_text(whole.text)),
                        "'key: value', 'key = value' or '[section]' is expected");
        continue;
      }
      core::SourceMark behind = line.mark;
      behind.column += static_cast<int>(end) + 1;
      const TextField value = trimmed(line.text.substr(end + 1), behind);
      const TextField key = trimmed(line.text.substr(0, end), line.mark);
      if (!entries_.emplace(core::lower_case(key.text), Entry{std::string(value.text), value.mark}).second)
        problems_.error(key.mark, fmt::format("'{}' stands twice", core::shown_text(key.text)));
      names_.emplace_back(std::string(key.text), key.mark);
    }
  }

  const Entry* take(const std::string& key, bool required = true) {
    known_.push_back(key);
    const auto found = entries_.find(core::lower_case(key));
    if (found != entries_.end()) return &found->second;
    if (required) problems_.error(core::SourceMark{path_}, fmt::format("'{}' is missing", key));
    return nullptr;
  }

  std::int64_t number(const std::string& key, std::int64_t most) {
    const Entry* entry = take(key);
    if (entry == nullptr) return 1;
    return read_count(TextField{entry->value, entry->mark}, fmt::format("'{}'", key), most, problems_)
        .value_or(1);
  }

  SystolicDataflow dataflow() {
    const Entry* entry = take("Dataflow");
    if (entry == nullptr || entry->value == "os") return SystolicDataflow::output_stationary;
    if (entry->value == "ws") return SystolicDataflow::weight_stationary;
    if (entry->value == "is") return SystolicDataflow::input_stationary;
    problems_.error(entry->mark, fmt::format("'Dataflow' is '{}'", core::shown_text(entry->value)),
                    "known: os, ws, is");
    return SystolicDataflow::output_stationary;
  }

  void read_bandwidth(ScaleSimConfig& made) {
    const Entry* mode = take("InterfaceBandwidth");
    const Entry* words = take("Bandwidth", mode != nullptr && mode->value == "USER");
    if (mode == nullptr || mode->value == "CALC") return;
    if (mode->value != "USER") {
      problems_.error(mode->mark,
                      fmt::format("'InterfaceBandwidth' is '{}'", core::shown_text(mode->value)),
                      "known: CALC, USER");
    } else if (words != nullptr) {
      // The simulator uses the first of a list for all three operands.
      const std::string first = words->value.substr(0, words->value.find(','));
      made.bandwidth = read_count(trimmed(first, words->mark), "'Bandwidth'", most_words, problems_);
    }
  }

  void refuse_when_on(const std::string& key) {
    const Entry* entry = take(key, false);
    if (entry == nullptr || core::lower_case(entry->value) == "false") return;
    problems_.error(
        entry->mark,
        fmt::format("'{}' is '{}', which zz does not know", key, core::shown_text(entry->value)),
        "False is expected");
  }

  void report_unknown() {
    std::vector<std::string> known;
    for (const std::string& key : known_) known.push_back(core::lower_case(key));
    for (const auto& [name, mark] : names_) {
      const std::string key = core::lower_case(name);
      if (std::find(known.begin(), known.end(), key) == known.end() &&
          std::find(passed_over().begin(), passed_over().end(), key) == passed_over().end())
        problems_.error(mark, fmt::format("unknown key '{}'", core::shown_text(name)),
                        core::suggestion(name, known_));
    }
  }

  std::string path_;
  std::map<std::string, Entry> entries_;  // by key in lower case
  std::vector<std::pair<std::string, core::SourceMark>> names_;
  std::vector<std::string> known_;
  core::Diagnostics problems_;
};

core::Port port(const std::string& name, core::PortType type, std::int64_t bits,
                std::vector<core::PortAllocation> allocation) {
  return {name, type, std::min(bits, scale_sim_word_bits), bits, std::move(allocation)};
}

/// The ports towards the units of a memory that one operand uses, `bits` wide.
std::vector<core::Port> ports_to_units(const std::string& operand, std::int64_t bits) {
  std::vector<core::Port> made = {
      port("r_port_1", core::PortType::read, bits, {{operand, core::Direction::read_to_low}})};
  if (operand == "O")
    made.push_back(
        port("w_port_1", core::PortType::write, bits, {{operand, core::Direction::write_from_low}}));
  return made;
}

/// The ports away from the units.
std::vector<core::Port> ports_to_dram(const std::string& operand, std::int64_t bits) {
  std::vector<core::Port> made = {
      port("w_port_2", core::PortType::write, bits, {{operand, core::Direction::write_from_high}})};
  if (operand == "O")
    made.push_back(
        port("r_port_2", core::PortType::read, bits, {{operand, core::Direction::read_to_high}}));
  return made;
}

core::Memory memory(const std::string& name, std::int64_t bits, std::vector<std::string> operands) {
  core::Memory made;
  made.name = name;
  made.size = bits;
  made.latency = 1;
  made.operands = std::move(operands);
  return made;
}

core::Memory memory_of_operand(const std::string& name, const std::string& operand, std::int64_t bits,
                               std::int64_t to_units, std::int64_t to_dram) {
  core::Memory made = memory(name, bits, {operand});
  made.ports = ports_to_units(operand, to_units);
  for (core::Port& one : ports_to_dram(operand, to_dram)) made.ports.push_back(std::move(one));
  return made;
}

const std::vector<std::string> both_dimensions = {"D1", "D2"};

}  // namespace

ScaleSimConfig read_scale_sim_config(const std::string& path, const core::Files& files) {
  return ConfigReader(path, files).read();
}

core::Accelerator accelerator_of(const ScaleSimConfig& config) {
  constexpr std::int64_t bits_of_kb = 8192;
  constexpr std::int64_t dram_bits = std::int64_t{1} << 50;
  const std::int64_t largest = bits_of_kb * std::max({config.input_kb, config.filter_kb, config.output_kb});
  // All that a memory holds, or all that the units take, in one cycle.
  const std::int64_t any = std::max(largest, config.rows * config.columns * scale_sim_word_bits);

  core::Accelerator made;
  made.name = config.name;
  made.array.dimensions = {{"D1", config.rows}, {"D2", config.columns}};
  core::ArrayFold fold;
  fold.fill = fold.drain = core::FoldUnits::whole;
  switch (config.dataflow) {
    case SystolicDataflow::output_stationary:
      fold.operand = "O";
      break;
    case SystolicDataflow::weight_stationary:
      fold.operand = "I2";
      break;
    case SystolicDataflow::input_stationary:
      fold.operand = "I1";
      break;
  }
  if (fold.operand != "O") fold.preload = "D1";
  made.array.fold = fold;

  made.memories.push_back(memory_of_operand("register", fold.operand, scale_sim_word_bits,
                                            scale_sim_word_bits, scale_sim_word_bits));
  made.memories.back().memory_type = "rf";
  const std::vector<std::pair<std::string, std::pair<std::string, std::int64_t>>> srams = {
      {"ifmap_sram", {"I1", config.input_kb}},
      {"filter_sram", {"I2", config.filter_kb}},
      {"ofmap_sram", {"O", config.output_kb}}};
  core::Memory dram = memory("dram", dram_bits, {"I1", "I2", "O"});
  dram.memory_type = "dram";
  dram.served_dimensions = both_dimensions;
  for (const auto& [name, sized] : srams) {
    const auto& [operand, kb] = sized;
    made.memories.push_back(memory_of_operand(name, operand, bits_of_kb * kb, any, any));
    made.memories.back().served_dimensions = both_dimensions;
    const std::int64_t words = config.bandwidth.value_or(0) * scale_sim_word_bits;
    for (core::Port one : ports_to_units(operand, words > 0 ? words : any)) {
      if (operand == "I2") one.name = "r_port_2";
      if (operand == "O" && one.type == core::PortType::read) one.name = "r_port_3";
      dram.ports.push_back(std::move(one));
    }
  }
  made.memories.push_back(std::move(dram));
  made.validate();
  return made;
}

}  // namespace zz::plugins
