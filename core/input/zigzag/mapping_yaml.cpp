#include "core/input/zigzag/mapping_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <unordered_set>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/hardware/accelerator_check.hpp"
#include "core/input/yaml/document.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/zigzag/detail/mapping_keys.hpp"
#include "core/input/zigzag/detail/precision_yaml.hpp"
#include "core/input/zigzag/detail/sparsity_yaml.hpp"
#include "core/input/zigzag/detail/unrolling_yaml.hpp"

namespace zz::core {
namespace {

std::vector<UnrollingHint> read_hints(const yaml::Node& node, const std::string& what,
                                      Diagnostics& diagnostics) {
  std::vector<UnrollingHint> hints;
  if (!yaml::expect_short_map(node, what, diagnostics)) return hints;
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const auto& [name, list] = node.entries[i];
    if (!check_array_dimension_key(name, node.key_marks[i], what, diagnostics)) continue;
    UnrollingHint hint{name, {}};
    if (!yaml::read(list, fmt::format("'{}' in {}", name, what), hint.dimensions, diagnostics)) continue;
    for (std::size_t j = 0; j < hint.dimensions.size(); ++j) {
      const std::string& dimension = hint.dimensions[j];
      if (is_loop_dimension_name(dimension)) continue;
      diagnostics.error(list.items[j].mark,
                        fmt::format("'{}' in {} is not the name of a loop", dimension, what),
                        "names are capitals and digits, as K or OX");
    }
    hints.push_back(std::move(hint));
  }
  return hints;
}

std::vector<OperandAssignment> read_assignments(const yaml::Node& node, const std::string& what,
                                                Diagnostics& diagnostics) {
  std::vector<OperandAssignment> assignments;
  yaml::MapReader map(node, what, memory_operand_link_keys(), diagnostics);
  if (!node.is_map()) return assignments;
  for (const char* operand : {"O", "I", "W"}) map.find(operand);
  map.finish();
  const std::vector<std::string>& known = memory_operand_names();
  // In the order of the file, which several result tables repeat.
  for (const auto& [operand, target] : node.entries) {
    std::string memory_operand;
    if (!yaml::read(target, fmt::format("'{}' in {}", operand, what), memory_operand, diagnostics))
      continue;
    if (std::find(known.begin(), known.end(), memory_operand) == known.end()) {
      diagnostics.error(
          target.mark,
          fmt::format("{} is assigned to unknown memory operand '{}' in {}", operand, memory_operand, what),
          suggestion(memory_operand, known));
      continue;
    }
    const auto same =
        std::find_if(assignments.begin(), assignments.end(),
                     [&](const OperandAssignment& one) { return one.memory_operand == memory_operand; });
    if (same != assignments.end()) {
      diagnostics.error(target.mark,
                        fmt::format("{} and {} are both assigned to {} in {}", same->layer_operand, operand,
                                    memory_operand, what),
                        "each memory operand serves one operand of the layer");
    }
    assignments.push_back({operand, memory_operand});
  }
  return assignments;
}

std::vector<OrderingEntry> read_ordering(const yaml::Node& node, const std::string& what,
                                         Diagnostics& diagnostics) {
  std::vector<OrderingEntry> ordering;
  if (!yaml::expect_short_list(node, what, diagnostics)) return ordering;
  for (const yaml::Node& item : node.items) {
    if (!item.is_list() || item.items.size() != 2) {
      diagnostics.error(item.mark,
                        fmt::format("an item of {} must be a loop and a size, as [OX, 7] or [OX, \"*\"], "
                                    "but found {}",
                                    what, item.describe()));
      continue;
    }
    OrderingEntry entry;
    std::string dimension;
    if (!yaml::read(item.items[0], "the loop in an item of " + what, dimension, diagnostics)) continue;
    entry.dimension = upper_case(dimension);
    if (entry.dimension != "*" && !is_loop_dimension_name(entry.dimension)) {
      diagnostics.error(item.items[0].mark,
                        fmt::format("'{}' in {} is not the name of a loop", dimension, what),
                        "names are capitals and digits, as K or OX, or \"*\" for any loops");
      continue;
    }
    const yaml::Node& size = item.items[1];
    if (const auto value = size.as_int()) {
      entry.size = *value;
      if (*value < 1) {
        diagnostics.error(size.mark, fmt::format("the size of {} in {} is {}; it must be 1 or more",
                                                 entry.dimension, what, *value));
      } else if (entry.dimension == "*") {
        diagnostics.error(size.mark,
                          fmt::format("\"*\" in {} stands for any loops and cannot have a size", what),
                          "write [\"*\", \"*\"]");
      }
    } else if (size.as_text() == "all" && entry.dimension != "*") {
      entry.all = true;
    } else if (size.as_text() != "*") {
      diagnostics.error(
          size.mark,
          fmt::format("the size of {} in {} must be a whole number, \"*\" or \"all\", but found {}",
                      entry.dimension, what, size.describe()));
    }
    ordering.push_back(std::move(entry));
  }
  return ordering;
}

/// False after reporting an operand that no layer has.
bool check_operand(const std::string& operand, const SourceMark& mark, const std::string& what,
                   Diagnostics& diagnostics) {
  const std::vector<std::string>& known = layer_operand_names();
  if (std::find(known.begin(), known.end(), operand) != known.end()) return true;
  diagnostics.error(mark, fmt::format("unknown operand '{}' in {}", operand, what),
                    suggestion(operand, known));
  return false;
}

/// By operand and memory the number of loops that it holds. Adds the places to `places`.
std::vector<OperandCuts> read_cuts(const yaml::Node& node, const std::string& what,
                                   std::map<std::string, SourceMark>& places, Diagnostics& diagnostics) {
  std::vector<OperandCuts> cuts;
  if (!yaml::expect_short_map(node, what, diagnostics)) return cuts;
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const auto& [operand, memories] = node.entries[i];
    if (!check_operand(operand, node.key_marks[i], what, diagnostics)) continue;
    const std::string of_operand = fmt::format("'{}' in {}", operand, what);
    if (!yaml::expect_short_map(memories, of_operand, diagnostics)) continue;
    places.emplace("cuts." + operand, node.key_marks[i]);
    OperandCuts made{operand, {}};
    for (std::size_t j = 0; j < memories.entries.size(); ++j) {
      const auto& [memory, value] = memories.entries[j];
      MemoryCut cut{memory, 0};
      if (!yaml::read(value, fmt::format("'{}' of {}", memory, of_operand), cut.loops, diagnostics))
        continue;
      if (cut.loops < 0)
        diagnostics.error(value.mark,
                          fmt::format("'{}' of {} is {}; a memory holds the data of 0 loops or more",
                                      memory, of_operand, cut.loops),
                          "the nearest that works is 0");
      places.emplace(fmt::format("cuts.{}.{}", operand, memory), memories.key_marks[j]);
      made.memories.push_back(std::move(cut));
    }
    cuts.push_back(std::move(made));
  }
  return cuts;
}

/// By operand its dimensions, the innermost last.
std::vector<OperandLayout> read_layouts(const yaml::Node& node, const std::string& what,
                                        Diagnostics& diagnostics) {
  std::vector<OperandLayout> layouts;
  if (!yaml::expect_short_map(node, what, diagnostics)) return layouts;
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const auto& [operand, list] = node.entries[i];
    if (!check_operand(operand, node.key_marks[i], what, diagnostics)) continue;
    OperandLayout layout{operand, {}};
    if (!yaml::read(list, fmt::format("'{}' in {}", operand, what), layout.dimensions, diagnostics))
      continue;
    for (std::string& dimension : layout.dimensions) dimension = upper_case(dimension);
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

/// `core_allocation` of later versions of Stream: a list of lists of core ids, one after the other.
yaml::Node without_inner_lists(const yaml::Node& node) {
  yaml::Node flat = node;
  if (!node.is_list()) return flat;
  flat.items.clear();
  for (const yaml::Node& item : node.items) {
    if (item.is_list())
      flat.items.insert(flat.items.end(), item.items.begin(), item.items.end());
    else
      flat.items.push_back(item);
  }
  return flat;
}

/// Core ids, without repetitions.
std::vector<std::int64_t> read_core_allocation(const yaml::Node& node, const std::string& what,
                                               Diagnostics& diagnostics) {
  std::vector<std::int64_t> given(1);
  if (node.is_list() ? !yaml::read(node, what, given, diagnostics)
                     : !yaml::read(node, what, given[0], diagnostics))
    return {0};
  if (given.empty()) {
    diagnostics.error(node.mark, what + " is empty", "list the cores that may run the layer, as [0, 1]");
    return {0};
  }
  std::vector<std::int64_t> cores;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] < 0) {
      diagnostics.error(node.is_list() ? node.items[i].mark : node.mark,
                        fmt::format("{} names core {}; cores are counted from 0", what, given[i]));
    }
    if (std::find(cores.begin(), cores.end(), given[i]) == cores.end()) cores.push_back(given[i]);
  }
  return cores;
}

/// Parts that tell the solver of later versions of Stream how to cut and fuse.
void tell_searched(const yaml::Node& node, const std::string& what, Diagnostics& diagnostics) {
  diagnostics.warning(node.mark, what + " is not used: zz searches how layers are cut and fused",
                      "fix cuts with the settings cn_define_mode and hint_loops");
}

void read_cores(yaml::MapReader& map, LayerMapping& entry, Diagnostics& diagnostics) {
  if (const yaml::Node* allocation = map.find("core_allocation"))
    entry.core_allocation =
        read_core_allocation(without_inner_lists(*allocation), map.what("core_allocation"), diagnostics);
  bool fixed = false;
  const yaml::Node* flag = map.find("core_allocation_is_fixed");
  if (flag != nullptr && yaml::read(*flag, map.what("core_allocation_is_fixed"), fixed, diagnostics) &&
      fixed && entry.core_allocation.size() > 1) {
    diagnostics.warning(
        flag->mark,
        map.what("core_allocation_is_fixed") +
            " is not used: with several cores, one of them is chosen for each group of nodes",
        "give the setting 'core_allocation' of InterCoreMappingStage to fix every choice");
  }
  for (const char* key : {"intra_core_tiling", "inter_core_tiling"}) {
    const yaml::Node* tiling = map.find(key);
    if (tiling == nullptr || (tiling->is_list() && tiling->items.empty())) continue;
    if (tiling->is_list() && !tiling->items.front().is_scalar()) {
      tell_searched(*tiling, map.what(key), diagnostics);
      continue;
    }
    diagnostics.error(tiling->mark, map.what(key) + " is of a later version of Stream and is not supported",
                      "say how layers are cut with the settings cn_define_mode and hint_loops, and leave "
                      "this key out");
  }
  if (const yaml::Node* kernel = map.find("kernel"))
    tell_searched(*kernel, map.what("kernel"), diagnostics);
}

LayerMapping read_entry(const yaml::Node& node, Diagnostics& diagnostics) {
  LayerMapping entry;
  std::string what = "a mapping entry";
  if (const yaml::Node* name = node.find("name"); name != nullptr && name->is_scalar()) {
    what = fmt::format("mapping entry '{}'", name->text);
  }
  entry.memory_operands = {{"O", "O"}, {"I", "I1"}, {"W", "I2"}};
  yaml::MapReader map(node, what, mapping_entry_keys(), diagnostics);
  if (!node.is_map()) return entry;
  map.find("name", entry.name);
  std::map<std::string, SourceMark> places;
  if (const yaml::Node* unrolling = map.find("spatial_mapping")) {
    entry.spatial_mapping = read_unrolling(*unrolling, map.what("spatial_mapping"), diagnostics);
    for (std::size_t i = 0; i < unrolling->entries.size(); ++i)
      places.emplace("spatial_mapping." + unrolling->entries[i].first, unrolling->key_marks[i]);
  }
  if (const yaml::Node* hints = map.find("spatial_mapping_hint")) {
    entry.spatial_hints = read_hints(*hints, map.what("spatial_mapping_hint"), diagnostics);
    places.emplace("spatial_mapping_hint", hints->mark);
  }
  if (const yaml::Node* assignments = map.find("memory_operand_links")) {
    entry.memory_operands = read_assignments(*assignments, map.what("memory_operand_links"), diagnostics);
  }
  if (const yaml::Node* ordering = map.find("temporal_ordering")) {
    entry.temporal_ordering = read_ordering(*ordering, map.what("temporal_ordering"), diagnostics);
    places.emplace("temporal_ordering", ordering->mark);
  }
  if (const yaml::Node* cuts = map.find("cuts")) {
    entry.cuts = read_cuts(*cuts, map.what("cuts"), places, diagnostics);
    places.emplace("cuts", cuts->mark);
    if (entry.temporal_ordering.empty() && !entry.cuts.empty())
      diagnostics.error(cuts->mark,
                        map.what("cuts") + " count the loops of a temporal_ordering, which is not there",
                        "give the order of all loops, too, or leave the cuts out");
  }
  if (const yaml::Node* cores = map.find("core_allocation")) places.emplace("core_allocation", cores->mark);
  if (!places.empty())
    entry.places.of = std::make_shared<const std::map<std::string, SourceMark>>(std::move(places));
  if (const yaml::Node* precisions = map.find("operand_precision")) {
    entry.operand_precision = read_precisions(*precisions, map.what("operand_precision"), diagnostics);
  }
  if (const yaml::Node* zeros = map.find("sparsity"))
    entry.sparsity = read_sparsity(*zeros, map.what("sparsity"), diagnostics);
  if (const yaml::Node* layouts = map.find("layout")) {
    entry.layout = read_layouts(*layouts, map.what("layout"), diagnostics);
  }
  read_cores(map, entry, diagnostics);
  map.finish();
  return entry;
}

/// The list of entries: the file itself or, as in later versions of Stream, its `layers`. nullptr after
/// reporting a problem.
const yaml::Node* find_entries(const yaml::Node& root, Diagnostics& diagnostics) {
  if (!root.is_map() || root.find("layers") == nullptr)
    return yaml::expect_list(root, "a mapping file", diagnostics) ? &root : nullptr;
  yaml::MapReader map(root, "the mapping file", mapping_file_keys(), diagnostics);
  const yaml::Node* layers = map.find("layers");
  const yaml::Node* groups = map.find("fused_groups");
  if (groups != nullptr && !(groups->is_list() && groups->items.empty()))
    tell_searched(*groups, map.what("fused_groups"), diagnostics);
  map.finish();
  return yaml::expect_list(*layers, map.what("layers"), diagnostics) ? layers : nullptr;
}

MappingFile read_document(const yaml::Node& root, Diagnostics& found, Diagnostics& diagnostics) {
  MappingFile mapping;
  if (const yaml::Node* list = find_entries(root, found)) {
    std::unordered_set<std::string> names;
    for (const yaml::Node& item : list->items) {
      LayerMapping entry = read_entry(item, found);
      if (!names.insert(entry.name).second && !entry.name.empty()) {
        found.warning(
            item.mark,
            fmt::format("a mapping entry '{}' stands before this one, which is never used", entry.name));
      }
      mapping.entries.push_back(std::move(entry));
    }
    if (mapping.entries.empty() && !found.has_errors())
      found.error(root.mark, "the mapping file has no entry", "add '- name: default'");
  }
  yaml::hand_over(found, diagnostics);
  return mapping;
}

/// Column of the "#" of a comment that says cuts, however it is spaced; npos: the line is none.
std::size_t comment_of_cuts(std::string_view line) {
  constexpr std::string_view blanks = " \t";
  const std::size_t sign = line.find_first_not_of(blanks);
  if (sign == std::string_view::npos || line[sign] != '#') return std::string_view::npos;
  std::size_t word = line.find_first_not_of(blanks, sign + 1);
  if (word == std::string_view::npos || line.substr(word, 4) != "cuts") return std::string_view::npos;
  word = line.find_first_not_of(blanks, word + 4);
  return word != std::string_view::npos && line[word] == ':' ? sign : std::string_view::npos;
}

std::string with_keys_of_comments(std::string text, const std::string& name, Diagnostics& diagnostics) {
  const std::string_view all = text;
  std::vector<std::size_t> keys;
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < all.size(); ++line) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    const std::string_view one = all.substr(begin, end - begin);
    if (one.substr(0, cuts_in_comment.size()) == cuts_in_comment)
      keys.push_back(begin);
    else if (const std::size_t sign = comment_of_cuts(one); sign != std::string_view::npos)
      diagnostics.warning(
          {name, static_cast<int>(line), static_cast<int>(sign) + 1},
          "cuts in a comment are passed over here",
          fmt::format("where they are to count, the line begins with '{}'", cuts_in_comment));
    begin = end + 1;
  }
  for (const std::size_t key : keys) text[key] = ' ';
  return text;
}

}  // namespace

yaml::Node load_mapping(const std::string& path, Diagnostics& diagnostics, const Files& files) {
  return yaml::load_file(path, diagnostics, files, [&](std::string text) {
    return with_keys_of_comments(std::move(text), path, diagnostics);
  });
}

yaml::Node load_mapping_text(const std::string& text, const std::string& name, Diagnostics& diagnostics) {
  return yaml::load_text(with_keys_of_comments(text, name, diagnostics), name, diagnostics);
}

MappingFile read_mapping(const std::string& path, Diagnostics& diagnostics, const Files& files) {
  Diagnostics found;
  return read_document(load_mapping(path, found, files), found, diagnostics);
}

MappingFile read_mapping_text(const std::string& text, const std::string& name, Diagnostics& diagnostics) {
  Diagnostics found;
  return read_document(load_mapping_text(text, name, found), found, diagnostics);
}

yaml::Form mapping_form() {
  using yaml::case_of, yaml::map_of;
  return case_of({{{"layers"}, "", map_of(mapping_file_keys())}},
                 yaml::document_of(map_of(mapping_entry_keys())));
}

}  // namespace zz::core
