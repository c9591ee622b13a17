#include "core/input/stream/multi_core_yaml.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/hardware/accelerator_check.hpp"
#include "core/hardware/clock.hpp"
#include "core/hardware/interconnect.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/hardware/multi_core_check.hpp"
#include "core/input/stream/detail/multi_core_file_search.hpp"
#include "core/input/stream/detail/multi_core_keys.hpp"
#include "core/input/yaml/document.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/yaml/node.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/clock_yaml.hpp"

namespace zz::core {
namespace {

/// "0, 1, 2", with any blanks around the numbers.
bool parse_ids(std::string_view text, std::vector<std::int64_t>& ids) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    std::int64_t id = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (problem != std::errc{}) return false;
    ids.push_back(id);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return true;
    if (text.front() != ',') return false;
    text.remove_prefix(1);
  }
}

std::string range_text(int core_count) {
  return core_count == 1 ? "there is one core, 0" : fmt::format("the cores are 0 to {}", core_count - 1);
}

/// Reads a list of core ids, "[0, 1]" or the text "0, 1". Reports ids of `core_count` or more, repeated
/// ids, and lists of fewer than two. True when nothing was reported.
bool read_core_ids(const yaml::Node& node, const std::string& what, int core_count, std::vector<int>& ids,
                   Diagnostics& diagnostics) {
  std::vector<std::int64_t> numbers;
  if (node.is_list()) {
    if (!yaml::read(node, what, numbers, diagnostics)) return false;
  } else if (!node.is_scalar() || !parse_ids(node.text, numbers)) {
    diagnostics.error(node.mark, fmt::format("{} must be core ids, as [0, 1] or \"0, 1\", but found {}",
                                             what, node.describe()));
    return false;
  }
  bool is_good = numbers.size() >= 2;
  if (!is_good) diagnostics.error(node.mark, fmt::format("{} must name two cores or more", what));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const SourceMark& mark = node.is_list() ? node.items[i].mark : node.mark;
    if (numbers[i] < 0 || numbers[i] >= core_count) {
      diagnostics.error(mark, fmt::format("{} names core {}, which there is not", what, numbers[i]),
                        range_text(core_count));
      is_good = false;
    } else if (std::find(ids.begin(), ids.end(), static_cast<int>(numbers[i])) != ids.end()) {
      diagnostics.error(mark, fmt::format("{} names core {} twice", what, numbers[i]));
      is_good = false;
    } else {
      ids.push_back(static_cast<int>(numbers[i]));
    }
  }
  return is_good;
}

/// Reads the id of a core with a role, if the key is there. Reports ids out of range.
std::optional<int> read_role(yaml::MapReader& map, const std::string& key, int core_count,
                             Diagnostics& diagnostics) {
  const yaml::Node* node = map.find(key);
  std::int64_t id = 0;
  if (node == nullptr || !yaml::read(*node, map.what(key), id, diagnostics)) return std::nullopt;
  if (id >= 0 && id < core_count) return static_cast<int>(id);
  diagnostics.error(node->mark, fmt::format("{} is {}, which is no core", map.what(key), id),
                    range_text(core_count));
  return std::nullopt;
}

struct Bandwidth {
  double value = 0;
  bool is_good = false;
  bool is_told = false;  ///< its fault, where it has one
};

/// Reads the bandwidth of a link: a positive number. Stream's files have only whole ones.
Bandwidth checked_bandwidth(const yaml::Node& node, const std::string& what, Diagnostics& diagnostics) {
  Bandwidth bandwidth;
  bandwidth.is_told = true;
  if (!yaml::read(node, what, bandwidth.value, diagnostics)) return bandwidth;
  bandwidth.is_good = bandwidth.value >= smallest_link_bandwidth;
  if (!bandwidth.is_good)
    diagnostics.error(node.mark, fmt::format("{} is {}; it must be {} bits per cycle or more", what,
                                             node.text, smallest_link_bandwidth));
  return bandwidth;
}

/// Nothing when the key is absent or wrong.
std::optional<double> read_unit_energy(yaml::MapReader& map, const std::string& key,
                                       Diagnostics& diagnostics) {
  const yaml::Node* node = map.find(key);
  double energy = 0;
  if (node == nullptr || !yaml::read(*node, map.what(key), energy, diagnostics)) return std::nullopt;
  if (energy >= 0 && energy <= largest_cost) return energy;
  diagnostics.error(node->mark, fmt::format("{} is {}; it must be from 0 to {:g} pJ per cycle",
                                            map.what(key), node->text, largest_cost));
  return std::nullopt;
}

/// Reads what the graph says of the links of its simd core. Reports keys that say nothing there.
SimdLinkFigures read_simd_links(yaml::MapReader& map, const yaml::Node& graph, const std::string& type,
                                Diagnostics& diagnostics) {
  SimdLinkFigures figures;
  if (const yaml::Node* value = map.find("simd_bandwidth")) {
    const Bandwidth bandwidth = checked_bandwidth(*value, map.what("simd_bandwidth"), diagnostics);
    if (bandwidth.is_good) figures.bandwidth = bandwidth.value;
  }
  figures.unit_energy = read_unit_energy(map, "simd_unit_energy_cost", diagnostics);
  const bool has_simd_core = map.find("simd_core_id") != nullptr;
  for (const char* key : {"simd_bandwidth", "simd_unit_energy_cost"}) {
    if (map.find(key) == nullptr) continue;
    if (!has_simd_core) {
      diagnostics.error(graph.find(key)->mark,
                        fmt::format("{} is given, but the graph has no simd core", map.what(key)),
                        "name it with 'simd_core_id'");
    } else if (type == "bus") {
      diagnostics.error(graph.find(key)->mark,
                        fmt::format("{} is of no use: on a bus the simd core uses the bus", map.what(key)),
                        "leave it out, or let 'type' be 2d_mesh");
    }
  }
  return figures;
}

struct MeshSize {
  std::int64_t rows = 0, columns = 0;
  bool is_good = false;
};

MeshSize read_mesh_size(const yaml::Node& node, yaml::MapReader& map,
                        const MultiCoreAccelerator& accelerator, Diagnostics& diagnostics) {
  MeshSize size;
  const bool has_rows = map.find("nb_rows", size.rows);
  if (!map.find("nb_cols", size.columns) || !has_rows) return size;
  const std::int64_t special = accelerator.pooling_core.has_value() + accelerator.simd_core.has_value() +
                               accelerator.offchip_core.has_value();
  const std::int64_t regular = accelerator.core_count() - special;
  size.is_good = size.rows >= 1 && size.columns >= 1 && size.rows <= regular && size.columns <= regular &&
                 size.rows * size.columns == regular;
  if (!size.is_good) {
    diagnostics.error(
        node.find("nb_rows")->mark,
        fmt::format("a mesh of {} rows and {} columns does not hold the {} cores that are neither "
                    "pooling, simd nor off-chip core",
                    size.rows, size.columns, regular),
        "nb_rows * nb_cols must be their number");
  }
  return size;
}

/// Problems of joining have no place in the file.
template <class Join>
void join_at(const SourceMark& mark, Diagnostics& diagnostics, Join join) {
  try {
    join();
  } catch (const InputError& error) {
    for (const Diagnostic& problem : error.diagnostics())
      diagnostics.error(mark, problem.message, problem.hint);
  }
}

struct Defaults {
  Bandwidth bandwidth;
  double unit_energy = 0;
};

/// An item of core_connectivity: ids, or a map with ids, figures and type.
bool read_group(const yaml::Node& item, const std::string& what, const Defaults& defaults, int core_count,
                JoinedCores& group, Diagnostics& diagnostics) {
  Bandwidth bandwidth = defaults.bandwidth;
  group.figures.unit_energy = defaults.unit_energy;
  bool is_good = true;
  if (!item.is_map()) {
    is_good = read_core_ids(item, what, core_count, group.cores, diagnostics);
  } else {
    yaml::MapReader map(item, what, connection_keys(), diagnostics);
    const yaml::Node* cores = map.find("cores");
    is_good =
        cores != nullptr && read_core_ids(*cores, map.what("cores"), core_count, group.cores, diagnostics);
    if (const yaml::Node* own = map.find("bandwidth"))
      bandwidth = checked_bandwidth(*own, map.what("bandwidth"), diagnostics);
    group.figures.unit_energy =
        read_unit_energy(map, "unit_energy_cost", diagnostics).value_or(defaults.unit_energy);
    std::string type = "link";
    if (const yaml::Node* node = map.find("type"); node != nullptr &&
                                                   yaml::read(*node, map.what("type"), type, diagnostics) &&
                                                   type != "link" && type != "bus") {
      const std::vector<std::string>& known = connection_keys().find("type")->form.words;
      diagnostics.error(node->mark, fmt::format("unknown type '{}' of {}", type, what),
                        suggestion(type, known));
    }
    group.is_bus = type == "bus";
    map.finish();
  }
  if (!bandwidth.is_good && !bandwidth.is_told)
    diagnostics.error(item.mark, fmt::format("{} has no bandwidth", what),
                      "give 'bandwidth' for all connections, or write {cores: [0, 1], bandwidth: 64}");
  group.figures.bandwidth = bandwidth.value;
  return is_good && bandwidth.is_good;
}

/// Reads `graph` into special ids, links and connections. The cores and shared memories are there already;
/// with `cores_are_known` false (some could not be read) it only checks.
void read_graph(const yaml::Node& node, bool cores_are_known, const Rules& rules,
                MultiCoreAccelerator& accelerator, Diagnostics& diagnostics) {
  const yaml::Node* const kind = node.find("type");
  const GraphType graph_type = kind == nullptr || !kind->is_scalar() ? GraphType::unknown
                               : kind->text == "2d_mesh"             ? GraphType::mesh
                               : kind->text == "bus"                 ? GraphType::bus
                                                                     : GraphType::unknown;
  yaml::MapReader map(node, "the graph", graph_keys(graph_type), diagnostics);
  if (!node.is_map()) return;
  Diagnostics roles;
  const int cores = accelerator.core_count();
  accelerator.pooling_core = read_role(map, "pooling_core_id", cores, roles);
  accelerator.simd_core = read_role(map, "simd_core_id", cores, roles);
  accelerator.offchip_core = read_role(map, "offchip_core_id", cores, roles);
  const auto two_roles = [&](const std::optional<int>& core, const std::optional<int>& other,
                             const char* key) {
    if (core && core == other)
      roles.error(node.find(key)->mark,
                  fmt::format("{} is {}, which has another role already", map.what(key), *core));
  };
  two_roles(accelerator.simd_core, accelerator.pooling_core, "simd_core_id");
  two_roles(accelerator.offchip_core, accelerator.pooling_core, "offchip_core_id");
  two_roles(accelerator.offchip_core, accelerator.simd_core, "offchip_core_id");
  for (const Diagnostic& problem : roles.all())
    diagnostics.error(problem.mark, problem.message, problem.hint);

  LinkFigures figures;
  bool has_bandwidth = false;
  if (const yaml::Node* value = map.find("bandwidth")) {
    const Bandwidth bandwidth = checked_bandwidth(*value, map.what("bandwidth"), diagnostics);
    figures.bandwidth = bandwidth.value;
    has_bandwidth = bandwidth.is_good;
  }
  figures.unit_energy = read_unit_energy(map, "unit_energy_cost", diagnostics).value_or(0);

  std::string type;
  MeshSize size;
  if (map.find("type", type) && type == "2d_mesh" && !roles.has_errors()) {
    size = read_mesh_size(node, map, accelerator, diagnostics);
  } else {
    map.find("nb_rows");
    map.find("nb_cols");
  }
  const std::vector<std::string>& known = graph_keys(graph_type).find("type")->form.words;
  if (!type.empty() && type != "2d_mesh" && type != "bus") {
    diagnostics.error(node.find("type")->mark, fmt::format("unknown type '{}' of the graph", type),
                      suggestion(type, known));
  }
  const SimdLinkFigures simd = read_simd_links(map, node, type, diagnostics);
  map.finish();
  if (!cores_are_known || roles.has_errors() || !has_bandwidth) return;
  join_at(node.mark, diagnostics, [&] {
    if (size.is_good)
      join_mesh(accelerator, static_cast<int>(size.rows), static_cast<int>(size.columns), figures, simd,
                rules);
    if (type == "bus") join_by_bus(accelerator, figures);
  });
}

/// One warning for each item that joins cores which an earlier one has joined.
void tell_rejoined(const yaml::Node& list, const std::vector<RejoinedPair>& rejoined,
                   Diagnostics& diagnostics) {
  for (std::size_t item = 0; item < list.items.size(); ++item) {
    std::vector<std::string> pairs;
    for (const RejoinedPair& pair : rejoined)
      if (pair.group == item) pairs.push_back(fmt::format("{} and {}", pair.core, pair.other));
    if (pairs.empty()) continue;
    constexpr std::size_t most_named = 6;
    const std::size_t others = pairs.size() - std::min(pairs.size(), most_named);
    pairs.resize(pairs.size() - others);
    diagnostics.warning(
        list.items[item].mark,
        fmt::format("this item joins cores that an earlier item of 'core_connectivity' joins, "
                    "too: {}{}; the later item counts, as in Stream",
                    fmt::join(pairs, ", "), others > 0 ? fmt::format(" and {} more pairs", others) : ""),
        "leave out the earlier one, or name the cores of this one without them");
  }
}

/// Reads `core_connectivity`, `bandwidth` and `unit_energy_cost`, which stand in the map of the
/// accelerator, into links and connections. REQUIRES: the off-chip core is known.
void read_connectivity(yaml::MapReader& map, bool cores_are_known, const Rules& rules,
                       MultiCoreAccelerator& accelerator, Diagnostics& diagnostics) {
  Defaults defaults;
  if (const yaml::Node* node = map.find("bandwidth"))
    defaults.bandwidth = checked_bandwidth(*node, map.what("bandwidth"), diagnostics);
  defaults.unit_energy = read_unit_energy(map, "unit_energy_cost", diagnostics).value_or(0);
  std::vector<JoinedCores> groups;
  const yaml::Node* list = map.find("core_connectivity");
  bool is_good =
      list == nullptr || yaml::expect_short_list(*list, map.what("core_connectivity"), diagnostics);
  if (list != nullptr && is_good) {
    for (const yaml::Node& item : list->items) {
      JoinedCores group;
      const std::string what = fmt::format("an item of {}", map.what("core_connectivity"));
      is_good &= read_group(item, what, defaults, accelerator.core_count(), group, diagnostics);
      groups.push_back(std::move(group));
    }
  }
  if (!is_good || !cores_are_known) return;
  const SourceMark mark = list != nullptr ? list->mark : SourceMark{};
  join_at(mark, diagnostics, [&] {
    const auto rejoined = join_groups(accelerator, groups, defaults.unit_energy, rules);
    if (list != nullptr) tell_rejoined(*list, rejoined, diagnostics);
  });
}

/// Core files of an accelerator. Each is read once; cores of one file are one object.
class CoreFiles {
 public:
  CoreFiles(const std::string& accelerator_file, const Files& files, const Rules& rules,
            Diagnostics& diagnostics)
      : accelerator_file_(accelerator_file), files_(files), rules_(rules), diagnostics_(diagnostics) {}

  /// nullptr after reporting a problem.
  std::shared_ptr<const Accelerator> read(const yaml::Node& node, const std::string& what) {
    std::string name;
    if (!yaml::read(node, what, name, diagnostics_)) return nullptr;
    const auto known = cores_.find(name);
    if (known != cores_.end()) return known->second;
    return cores_[name] = read_first(node, name);
  }

 private:
  std::shared_ptr<const Accelerator> read_first(const yaml::Node& node, const std::string& name) {
    FoundFile file;
    if (files_.in_memory(name) != nullptr)
      file.path = name;
    else
      file = find_core_file(name, accelerator_file_);
    if (file.path.empty()) {
      const bool is_name = shown_text(name) == name && printable_line(name) == name;
      diagnostics_.error(node.mark, fmt::format("there is no core file '{}'", name),
                         is_name ? fmt::format("looked for {}", fmt::join(file.looked, ", ")) : "");
      return nullptr;
    }
    warn(node, name, file);
    try {
      return std::make_shared<const Accelerator>(
          read_core(file.path.string(), diagnostics_, files_, rules_));
    } catch (const InputError& error) {
      for (const Diagnostic& problem : error.diagnostics())
        diagnostics_.error(problem.mark, problem.message, problem.hint);
      return nullptr;
    }
  }

  void warn(const yaml::Node& node, const std::string& name, const FoundFile& file) {
    if (!file.others.empty()) {
      diagnostics_.warning(
          node.mark,
          fmt::format("there are {} core files '{}'; {} is taken, not {}", file.others.size() + 1, name,
                      file.path.string(), file.others.front().string()),
          "give it with its folder");
    }
    if (file.shortened) {
      diagnostics_.warning(
          node.mark, fmt::format("there is no core file '{}'; {} is taken", name, file.path.string()));
    }
  }

  const std::string accelerator_file_;
  const Files& files_;
  const Rules& rules_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::shared_ptr<const Accelerator>> cores_;
};

class Reader {
 public:
  Reader(const yaml::Node& root, const std::string& path, const Files& files, const Rules& rules,
         Diagnostics& diagnostics)
      : root_(root), rules_(rules), diagnostics_(diagnostics), files_(path, files, rules, diagnostics) {}

  MultiCoreAccelerator read() {
    const bool later_format = root_.find("core_connectivity") != nullptr ||
                              root_.find("offchip_core") != nullptr ||
                              root_.find("offchip_core_id") != nullptr;
    yaml::MapReader map(root_, "the accelerator", multi_core_keys(later_format), diagnostics_);
    if (!root_.is_map()) return {};
    map.find("name", accelerator_.name);
    const double clock = read_clock(map, diagnostics_);
    refuse_parts_of_a_core(map);
    const yaml::Node* cores = map.find("cores");
    if (cores != nullptr && cores->is_map() &&
        yaml::expect_short_map(*cores, map.what("cores"), diagnostics_)) {
      read_core_map(*cores);
    } else if (cores != nullptr && yaml::expect_short_list(*cores, map.what("cores"), diagnostics_)) {
      for (const yaml::Node& file : cores->items) add_core(file, "an item of " + map.what("cores"));
    }
    if (cores != nullptr && (cores->is_map() || cores->is_list()) && accelerator_.cores.empty())
      diagnostics_.error(cores->mark, "the accelerator has no cores");
    if (accelerator_.cores.size() > most_cores) {
      cores_are_known_ = false;
      diagnostics_.error(cores->mark,
                         fmt::format("{} names {} cores; at most {} are possible", map.what("cores"),
                                     accelerator_.cores.size(), most_cores));
    }
    if (later_format) read_offchip_core(map);
    read_shared_memories(map);
    if (later_format) {
      read_connectivity(map, cores_are_known_, rules_, accelerator_, diagnostics_);
    } else if (const yaml::Node* graph = map.find("graph")) {
      read_graph(*graph, cores_are_known_, rules_, accelerator_, diagnostics_);
    }
    read_clocks_of_cores(cores, clock);
    // Places in pictures and the node of Stream's cost report say nothing of figures.
    map.find("core_coordinates");
    map.find("technology_node");
    if (const yaml::Node* aliases = map.find("memory_aliases"))
      diagnostics_.warning(aliases->mark, map.what("memory_aliases") + " is not used");
    map.finish();
    if (!diagnostics_.has_errors()) derive();
    return std::move(accelerator_);
  }

 private:
  void add_core(const yaml::Node& file, const std::string& what) {
    accelerator_.cores.push_back(files_.read(file, what));
    cores_are_known_ = cores_are_known_ && accelerator_.cores.back() != nullptr;
  }

  /// `cores` as a map from id to file, in any order.
  void read_core_map(const yaml::Node& cores) {
    std::vector<const yaml::Node*> files(cores.entries.size(), nullptr);
    for (std::size_t i = 0; i < cores.entries.size(); ++i) {
      const auto id = yaml::parse_int(cores.entries[i].first);
      if (id && *id >= 0 && *id < static_cast<std::int64_t>(files.size())) {
        files[static_cast<std::size_t>(*id)] = &cores.entries[i].second;
      } else {
        cores_are_known_ = false;
        diagnostics_.error(
            cores.key_marks[i],
            fmt::format("'{}' is no id of one of {} cores", cores.entries[i].first, files.size()),
            fmt::format("ids are the numbers from 0 to {}", files.size() - 1));
      }
    }
    for (std::size_t id = 0; id < files.size(); ++id) {
      if (files[id] != nullptr) {
        add_core(*files[id], fmt::format("core {}", id));
      } else {
        accelerator_.cores.push_back(nullptr);
      }
    }
  }

  void read_offchip_core(yaml::MapReader& map) {
    if (const yaml::Node* file = map.find("offchip_core")) {
      accelerator_.offchip_core = accelerator_.core_count();
      add_core(*file, map.what("offchip_core"));
      if (const yaml::Node* id = map.find("offchip_core_id"))
        diagnostics_.error(id->mark,
                           "the off-chip core is given twice, as 'offchip_core' and 'offchip_core_id'");
    } else {
      accelerator_.offchip_core =
          read_role(map, "offchip_core_id", accelerator_.core_count(), diagnostics_);
    }
  }

  void read_shared_memories(yaml::MapReader& map) {
    const yaml::Node* list = map.find("core_memory_sharing");
    if (list == nullptr || !yaml::expect_short_list(*list, map.what("core_memory_sharing"), diagnostics_))
      return;
    for (const yaml::Node& item : list->items) {
      MultiCoreAccelerator alone;
      alone.name = accelerator_.name;
      alone.cores = accelerator_.cores;
      alone.shared_memories.emplace_back();
      std::vector<int>& ids = alone.shared_memories.front();
      if (!read_core_ids(item, "an item of " + map.what("core_memory_sharing"), accelerator_.core_count(),
                         ids, diagnostics_))
        continue;
      if (cores_are_known_) {
        Diagnostics problems;
        check_multi_core(alone, problems);
        for (const Diagnostic& problem : problems.all())
          diagnostics_.error(item.mark, problem.message, problem.hint);
      }
      accelerator_.shared_memories.push_back(ids);
    }
  }

  /// The clock of this file is that of all cores; without it they must agree.
  void read_clocks_of_cores(const yaml::Node* cores, double clock) {
    if (!cores_are_known_ || cores == nullptr) return;
    if (clock > 0) return set_clock(accelerator_, clock);
    join_at(cores->mark, diagnostics_, [&] { clock_of(accelerator_); });
  }

  /// Reports keys of a core in a file of several.
  void refuse_parts_of_a_core(yaml::MapReader& map) {
    for (const char* key : {"memories", "operational_array", "dataflows"}) {
      const yaml::Node* part = map.find(key);
      if (part == nullptr) continue;
      diagnostics_.error(
          part->mark,
          fmt::format("a file with 'cores' describes several cores, but '{}' belongs to one", key),
          "move it into a file of its own and name that file in 'cores'");
    }
  }

  void derive() {
    const yaml::Node* links = root_.find("core_connectivity");
    const SourceMark& mark = links != nullptr ? links->mark : root_.mark;
    try {
      accelerator_.derive();
    } catch (const InputError& error) {
      for (const Diagnostic& problem : error.diagnostics())
        diagnostics_.error(mark, problem.message, problem.hint);
    }
  }

  const yaml::Node& root_;
  const Rules& rules_;
  Diagnostics& diagnostics_;
  CoreFiles files_;
  MultiCoreAccelerator accelerator_;
  bool cores_are_known_ = true;
};

MultiCoreAccelerator read_document(const yaml::Node& root, const std::string& path, const Files& files,
                                   const Rules& rules, Diagnostics& found, Diagnostics& diagnostics) {
  MultiCoreAccelerator accelerator = Reader(root, path, files, rules, found).read();
  yaml::hand_over(found, diagnostics);
  return accelerator;
}

}  // namespace

MultiCoreAccelerator read_multi_core(const std::string& path, Diagnostics& diagnostics, const Files& files,
                                     const Rules& rules) {
  Diagnostics found;
  return read_document(yaml::load_file(path, found, files), path, files, rules, found, diagnostics);
}

std::variant<Accelerator, MultiCoreAccelerator> read_one_or_several_cores(const std::string& path,
                                                                          Diagnostics& diagnostics,
                                                                          const Files& files,
                                                                          const Rules& rules) {
  Diagnostics found;
  const yaml::Node root = yaml::load_file(path, found, files);
  if (root.find("cores") != nullptr) return read_document(root, path, files, rules, found, diagnostics);
  return read_accelerator(root, found, diagnostics, rules);
}

yaml::Form multi_core_form() {
  using yaml::case_of, yaml::map_of;
  return case_of(
      {{{"core_connectivity", "offchip_core", "offchip_core_id"}, "", map_of(multi_core_keys(true))}},
      map_of(multi_core_keys(false)));
}

}  // namespace zz::core
