#include "core/schema/fused_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "core/search/methods/objective.hpp"

namespace zz::core {

// The parts of the file, in this namespace, where the tables find them.

constexpr std::size_t with_third = 3;  ///< items

static std::string yaml_text(const GroupLoop& loop) {
  return fmt::format("[{}, {}{}]", json_string(loop.dimension), loop.size,
                     loop.part > 0 ? fmt::format(", {}", loop.part) : "");
}

static std::string yaml_text(const std::vector<GroupLoop>& loops) {
  std::vector<std::string> texts;
  for (const GroupLoop& loop : loops) texts.push_back(yaml_text(loop));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

static std::string yaml_text(const SpatialUnrolling& unrolling) {
  std::vector<std::string> texts;
  for (const ArrayUnrolling& along : unrolling.dimensions) {
    std::vector<GroupLoop> loops;
    for (const SpatialLoop& loop : along.loops) loops.push_back({loop.dimension, loop.factor});
    texts.push_back(fmt::format("{}: {}", json_string(along.array_dimension), yaml_text(loops)));
  }
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

static std::string yaml_text(const std::vector<GroupLevelEnds>& all) {
  std::vector<std::string> texts;
  for (const GroupLevelEnds& of : all)
    texts.push_back(fmt::format("{}: {}", json_string(of.operand), yaml_text(of.ends)));
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

static std::string yaml_text(const std::vector<GroupRole>& roles) {
  std::vector<std::string> texts;
  for (const GroupRole& role : roles)
    texts.push_back(fmt::format("{}: [{}, {}]", json_string(role.operand), role.role, role.depth));
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

/// A list of a name and a number, and perhaps of more.
static bool expect_pair(const yaml::Node& node, const std::string& what, std::size_t most,
                        Diagnostics& diagnostics) {
  if (node.is_list() && node.items.size() >= 2 && node.items.size() <= most) return true;
  diagnostics.error(node.mark, fmt::format("{} must be a name and a number, as [K, 4], but found {}", what,
                                           node.describe()));
  return false;
}

static bool read_loops(const yaml::Node& list, const std::string& what, std::size_t most,
                       std::vector<GroupLoop>& loops, Diagnostics& diagnostics) {
  if (!yaml::expect_short_list(list, what, diagnostics)) return false;
  bool all = true;
  for (const yaml::Node& item : list.items) {
    GroupLoop& loop = loops.emplace_back();
    all = expect_pair(item, what, most, diagnostics) &&
          yaml::read(item.items[0], what, loop.dimension, diagnostics) &&
          yaml::read(item.items[1], what, loop.size, diagnostics) &&
          (item.items.size() < with_third || yaml::read(item.items[2], what, loop.part, diagnostics)) &&
          all;
  }
  return all;
}

static bool read(const yaml::Node& list, const std::string& what, std::vector<GroupLoop>& loops,
                 Diagnostics& diagnostics) {
  return read_loops(list, what, with_third, loops, diagnostics);
}

static bool read(const yaml::Node& node, const std::string& what, SpatialUnrolling& unrolling,
                 Diagnostics& diagnostics) {
  if (!yaml::expect_short_map(node, what, diagnostics)) return false;
  for (const auto& [dimension, list] : node.entries) {
    std::vector<GroupLoop> loops;
    if (!read_loops(list, what, 2, loops, diagnostics)) continue;
    ArrayUnrolling& along = unrolling.dimensions.emplace_back();
    along.array_dimension = dimension;
    for (const GroupLoop& loop : loops) along.loops.push_back({loop.dimension, loop.size});
  }
  return true;
}

static bool read(const yaml::Node& node, const std::string& what, std::vector<GroupLevelEnds>& all,
                 Diagnostics& diagnostics) {
  if (!yaml::expect_short_map(node, what, diagnostics)) return false;
  for (const auto& [operand, ends] : node.entries)
    yaml::read(ends, fmt::format("'{}' of {}", operand, what),
               all.emplace_back(GroupLevelEnds{operand, {}}).ends, diagnostics);
  return true;
}

static bool read(const yaml::Node& node, const std::string& what, std::vector<GroupRole>& roles,
                 Diagnostics& diagnostics) {
  if (!yaml::expect_short_map(node, what, diagnostics)) return false;
  for (const auto& [operand, given] : node.entries) {
    const std::string of = fmt::format("'{}' of {}", operand, what);
    GroupRole& role = roles.emplace_back();
    role.operand = operand;
    role.mark = given.mark;
    if (expect_pair(given, of, with_third, diagnostics) &&
        yaml::read(given.items[0], of, role.role, diagnostics) &&
        yaml::read(given.items[1], of, role.depth, diagnostics) && given.items.size() == with_third)
      yaml::read(given.items[2], of, role.memory, diagnostics);
  }
  return true;
}

static yaml::Form form_of(const std::vector<GroupLoop>*) {
  return yaml::list_of(yaml::in_turn({yaml::text(), yaml::whole(), yaml::whole()}, 2));
}
static yaml::Form form_of(const SpatialUnrolling*) {
  return yaml::entries_of("", yaml::list_of(yaml::in_turn({yaml::text(), yaml::whole()}, 2)));
}
static yaml::Form form_of(const std::vector<GroupLevelEnds>*) {
  return yaml::entries_of("", yaml::list_of(yaml::whole()));
}
static yaml::Form form_of(const std::vector<GroupRole>*) {
  return yaml::entries_of(
      "", yaml::in_turn({yaml::word_of({"exchanged", "kept"}), yaml::whole(0), yaml::text()}, 2));
}

constexpr FileKey<GroupedLayer> layer_keys[] = {
    required_key<&GroupedLayer::name>("name", "name of the layer"),
    required_key<&GroupedLayer::unfused_energy>("unfused_energy", "pJ of its best mapping alone"),
    required_key<&GroupedLayer::unrolling>("unrolling",
                                           "loops that array dimensions unroll: {D1: [[K, 16]]}"),
    required_key<&GroupedLayer::loops>("loops", "loops and sizes, the innermost first: [[C, 4], [K, 2]]"),
    required_key<&GroupedLayer::level_ends>(
        "level_ends", "by operand, loops below the upper end of each memory from the lowest on", "cuts"),
    optional_key<&GroupedLayer::enlarged>("enlarged", "true: it is mapped for the larger size of the axes"),
    optional_key<&GroupedLayer::shared>("shared", "loops that it shares with others, the outermost first"),
    optional_key<&GroupedLayer::with_next>("with_next",
                                           "number of them that it shares with the next layer"),
    optional_key<&GroupedLayer::roles>(
        "roles", "by operand, exchanged or kept below so many shared loops: {O: [exchanged, 1]}",
        "places")};

static yaml::Form form_of(const std::vector<GroupedLayer>*) {
  static const yaml::KeyTable keys = key_table<GroupedLayer>("layer of a group", layer_keys);
  return yaml::document_of(yaml::map_of(keys));
}

static std::string yaml_text(const std::vector<GroupedLayer>& layers) {
  std::string text;
  for (const GroupedLayer& layer : layers)
    text += "\n" + map_text<GroupedLayer>(layer, layer_keys, "  - ", "    ");
  return text;
}

static bool read(const yaml::Node& list, const std::string& what, std::vector<GroupedLayer>& layers,
                 Diagnostics& diagnostics) {
  if (!yaml::expect_list(list, what, diagnostics)) return false;
  for (const yaml::Node& item : list.items)
    read_map<GroupedLayer>(item, fmt::format("layer {}", layers.size()), layer_keys, layers.emplace_back(),
                           diagnostics);
  return true;
}

constexpr FileKey<FusedGroups> group_keys[] = {
    required_key<&FusedGroups::objective>("objective", "energy, latency or edp"),
    required_key<&FusedGroups::value>("value", "what the groups take of it"),
    required_key<&FusedGroups::lower_bound>("lower_bound", "what no mapping is below"),
    required_key<&FusedGroups::unfused>("unfused", "what the best mapping of layers alone takes"),
    required_key<&FusedGroups::exchange_memory>(
        "exchange_memory", "memory through which layers exchange tensors; \"\": nothing is exchanged",
        "home"),
    optional_key<&FusedGroups::enlarged>("enlarged", "size of the axes of layers, and their larger one"),
    required_key<&FusedGroups::layers>("layers", "the layers, in the order of the network")};

std::string fused_groups_text(const FusedGroups& groups, const std::string& heading) {
  return fmt::format("# {}\n{}\n", heading, map_text<FusedGroups>(groups, group_keys, "", ""));
}

FusedGroups read_fused_groups(const yaml::Node& file, Diagnostics& diagnostics) {
  FusedGroups groups;
  read_map<FusedGroups>(file, "groups", group_keys, groups, diagnostics);
  return groups;
}

yaml::Form fused_groups_form() {
  static const yaml::KeyTable keys = [] {
    yaml::KeyTable table = key_table<FusedGroups>("fused groups", group_keys);
    std::vector<std::string> objectives;
    for (const std::string& word : objective_words())
      objectives.insert(objectives.end(), {word, upper_case(word)});
    for (yaml::Key& key : table.keys)
      if (key.name == "objective") key.form = yaml::word_of(objectives);
    return table;
  }();
  return yaml::map_of(keys);
}

}  // namespace zz::core
