#include "plugins/other_tools/timeloop_mapping.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "plugins/other_tools/tagged_yaml.hpp"

namespace zz::plugins {
namespace {

/// "RPK", "R P K", "R,P,K" or a list. Letters without anything between them are loops of one letter.
std::vector<std::string> read_permutation(const core::yaml::Node& node) {
  std::vector<std::string> made;
  const auto add = [&](const std::string& text) {
    const bool separated = text.find_first_of(" ,\t") != std::string::npos;
    std::string word;
    for (const char c : text + " ") {
      const bool between = c == ' ' || c == ',' || c == '\t';
      if (!between) word += c;
      if (word.empty() || (!between && (separated || node.is_list()))) continue;
      made.push_back(core::upper_case(word));
      word.clear();
    }
  };
  if (node.is_list())
    for (const core::yaml::Node& item : node.items) add(item.text);
  else
    add(node.text);
  return made;
}

/// The front end's name for the copies of a node, as in mappings that the mapper writes; "" without copies.
std::string name_of_copies(const TimeloopPlace& place) {
  return place.meshes.empty() ? "" : fmt::format("inter_{}_spatial", place.name);
}

class DirectiveReader {
 public:
  DirectiveReader(const core::yaml::Node& root, const std::string& path, core::Diagnostics& problems)
      : root_(root), path_(path), problems_(problems) {}

  TimeloopDirectives read() {
    const core::yaml::Node* part = root_.find("mapping");
    made_.whole = part != nullptr;
    for (const char* key : {"mapspace_constraints", "architecture_constraints", "constraints", "mapspace"})
      if (part == nullptr) part = root_.find(key);
    if (part == nullptr) {
      problems_.error(core::SourceMark{path_}, "there is neither a 'mapping' nor 'mapspace_constraints'");
      return {};
    }
    made_.mark = part->mark;
    if (part->is_map() && !part->entries.empty()) {
      core::yaml::MapReader map(*part, "the constraints", problems_);
      map.optional("version");
      part = map.required("targets");
      map.finish();
    }
    if (part == nullptr || part->is_null()) return std::move(made_);
    if (core::yaml::expect_short_list(*part, "the directives", problems_))
      for (const core::yaml::Node& item : part->items) read_directive(item);
    return std::move(made_);
  }

 private:
  void read_directive(const core::yaml::Node& item) {
    core::yaml::MapReader map(item, "a directive", problems_);
    TimeloopDirective made;
    made.mark = item.mark;
    std::string type;
    map.required("target", made.target);
    map.required("type", type);
    const bool of_spaces = type == "dataspace" || type == "datatype" || type == "bypass";
    if (of_spaces) {
      TimeloopKept kept;
      kept.mark = item.mark;
      map.nullable("keep", kept.keep);
      map.nullable("bypass", kept.bypass);
      map.finish();
      made_.keeping[made.target] = std::move(kept);
      return;
    }
    const core::yaml::Node* factors = map.nullable("factors");
    const core::yaml::Node* permutation = map.nullable("permutation");
    if (type == "spatial") {
      made.kind = TimeloopDirective::Kind::spatial;
      std::int64_t split = 0;
      if (map.nullable("split", split)) made.split = split;
    }
    map.finish();
    if (type != "temporal" && type != "spatial")
      problems_.error(item.mark, fmt::format("zz does not know the type '{}'", core::shown_text(type)),
                      "temporal, spatial or dataspace is expected");
    if (factors != nullptr) made.factors = read_factor_list(*factors, problems_);
    if (permutation != nullptr) made.permutation = read_permutation(*permutation);
    made_.all.push_back(std::move(made));
  }

  const core::yaml::Node& root_;
  std::string path_;
  core::Diagnostics& problems_;
  TimeloopDirectives made_;
};

class MappingMaker {
 public:
  MappingMaker(const TimeloopDirectives& directives, const TimeloopArchitecture& architecture,
               const Einsum& problem)
      : directives_(directives), architecture_(architecture), problem_(problem) {}

  core::LayerMapping make() {
    made_.spatial_hints = architecture_.hints;
    check_names();
    fill_in_rest();
    check_spread();
    if (directives_.whole) check_whole();
    for (const TimeloopPlace& place : architecture_.places)
      if (directives_.whole)
        for (const std::string& dimension : place.meshes)
          made_.spatial_mapping.dimensions.push_back({dimension, {}});
    for (const TimeloopDirective& directive : directives_.all)
      if (directive.kind == TimeloopDirective::Kind::spatial) add_unrolling(directive);
    problems_.throw_if_errors();
    order_loops();
    problems_.throw_if_errors();
    places_["temporal_ordering"] = directives_.mark;
    made_.places.of = std::make_shared<const std::map<std::string, core::SourceMark>>(std::move(places_));
    return std::move(made_);
  }

 private:
  void check_names() {
    std::vector<std::string> targets, loops;
    for (const TimeloopPlace& place : architecture_.places) targets.push_back(place.name);
    for (const core::LoopDimension& loop : problem_.loops) loops.push_back(loop.name);
    const auto check_target = [&](const std::string& target, const core::SourceMark& mark) {
      if (place_of(target) == architecture_.places.end())
        problems_.error(mark, fmt::format("the architecture has no '{}'", core::shown_text(target)),
                        core::suggestion(target, targets));
    };
    for (const auto& [target, kept] : directives_.keeping) {
      check_target(target, kept.mark);
      if (!kept.keep.empty()) check_memory(target, kept.mark);
    }
    for (const TimeloopDirective& directive : directives_.all) {
      check_target(directive.target, directive.mark);
      const auto& factors = directive.factors;
      if (directive.kind == TimeloopDirective::Kind::temporal &&
          std::any_of(factors.begin(), factors.end(), [](const LoopFactor& one) { return one.size != 1; }))
        check_memory(directive.target, directive.mark);
      std::vector<std::string> named = directive.permutation;
      for (const LoopFactor& factor : directive.factors) named.push_back(factor.loop);
      for (const std::string& name : named)
        if (std::find(loops.begin(), loops.end(), name) == loops.end())
          problems_.error(directive.mark,
                          fmt::format("the problem has no loop '{}'", core::shown_text(name)),
                          core::suggestion(name, loops));
    }
    problems_.throw_if_errors();
  }

  /// Fills in a factor of 0 in space: in a mapping what the other factors of its loop leave, in constraints
  /// the whole loop, as Timeloop takes it. In time the order of loops says it.
  void fill_in_rest() {
    for (TimeloopDirective& directive : directives_.all) {
      if (directive.kind != TimeloopDirective::Kind::spatial) continue;
      for (LoopFactor& factor : directive.factors)
        if (factor.size == 0) factor.size = rest_of(factor, directive);
    }
    problems_.throw_if_errors();
  }

  std::int64_t rest_of(const LoopFactor& rest, const TimeloopDirective& in) {
    const std::int64_t steps = steps_of(rest.loop);
    if (!directives_.whole) return steps;
    std::int64_t others = 1, open = 0;
    for (const TimeloopDirective& directive : directives_.all)
      for (const LoopFactor& factor : directive.factors) {
        if (factor.loop != rest.loop) continue;
        open += factor.size == 0 ? 1 : 0;
        if (factor.size > 0) others = element_product(others, factor.size);
      }
    const auto refuse = [&](const std::string& why) {
      problems_.error(in.mark,
                      fmt::format("the factor of '{}' in space is what is left: {}", rest.loop, why),
                      "a number is expected");
      return std::int64_t{1};
    };
    if (open > 1) return refuse("so is another factor of this loop");
    if (steps % others != 0)
      return refuse(fmt::format("its other factors make {}, and the loop has {} steps", others, steps));
    return steps / others;
  }

  std::int64_t steps_of(const std::string& loop) const {
    const auto found = std::find_if(problem_.loops.begin(), problem_.loops.end(),
                                    [&](const core::LoopDimension& one) { return one.name == loop; });
    return found == problem_.loops.end() ? 1 : found->size;
  }

  static std::int64_t element_product(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    return a > most / b ? most : a * b;
  }

  /// Timeloop finds no mapping where units have no steps to take.
  void check_spread() {
    for (const core::LoopDimension& loop : problem_.loops) {
      std::int64_t units = 1;
      const TimeloopDirective* last = nullptr;
      for (const TimeloopDirective& directive : directives_.all)
        for (const LoopFactor& factor : directive.factors)
          if (directive.kind == TimeloopDirective::Kind::spatial && factor.loop == loop.name &&
              factor.size > 1) {
            units = element_product(units, factor.size);
            last = &directive;
          }
      if (last != nullptr && units > loop.size)
        problems_.error(last->mark,
                        fmt::format("the loop {} has {} steps, and is spread over {} units", loop.name,
                                    loop.size, units),
                        fmt::format("a factor of {} at most is expected", loop.size));
    }
    problems_.throw_if_errors();
  }

  /// Timeloop takes no mapping that leaves steps of a loop out.
  void check_whole() {
    for (const core::LoopDimension& loop : problem_.loops) {
      std::int64_t made = 1;
      bool open = false;
      core::SourceMark mark = directives_.mark;
      for (const TimeloopDirective& directive : directives_.all)
        for (const LoopFactor& factor : directive.factors) {
          if (factor.loop != loop.name) continue;
          open = open || factor.size == 0;
          if (factor.size > 1) mark = directive.mark;
          made = element_product(made, std::max<std::int64_t>(1, factor.size));
        }
      if (!open && made < loop.size)
        problems_.error(
            mark,
            fmt::format("the factors of {} make {}, and the loop has {} steps", loop.name, made, loop.size),
            "factors that make all of them are expected, or one of 0, which is what is left");
    }
    problems_.throw_if_errors();
  }

  /// By its own name or by that of its copies.
  std::vector<TimeloopPlace>::const_iterator place_of(const std::string& target) const {
    const auto& places = architecture_.places;
    return std::find_if(places.begin(), places.end(), [&](const TimeloopPlace& place) {
      return place.name == target || name_of_copies(place) == target;
    });
  }

  void check_memory(const std::string& target, const core::SourceMark& mark) {
    const auto place = place_of(target);
    if (place != architecture_.places.end() && !(place->is_memory && place->name == target))
      problems_.error(mark, fmt::format("'{}' keeps no data", core::shown_text(target)),
                      "a memory is expected where data spaces are kept or loops run in time");
  }

  /// The array dimensions of a node; of a memory without copies of its own those between it and the next
  /// one inside.
  std::vector<std::string> meshes_of(const std::string& target) const {
    const auto& places = architecture_.places;
    auto at = place_of(target);
    std::vector<std::string> made = at->meshes;
    if (!made.empty() || !at->is_memory) return made;
    for (++at; at != places.end(); ++at) {
      made.insert(made.end(), at->meshes.begin(), at->meshes.end());
      if (at->is_memory) break;
    }
    return made;
  }

  void add_unrolling(const TimeloopDirective& directive) {
    const std::vector<std::string> meshes = meshes_of(directive.target);
    std::vector<LoopFactor> spread;
    std::vector<std::string> kept_away;
    for (const LoopFactor& factor : directive.factors) {
      if (factor.size == 1)
        kept_away.push_back(factor.loop);
      else
        spread.push_back(factor);
    }
    if (spread.empty()) {
      for (core::UnrollingHint& hint : hints_of(meshes))
        for (const std::string& loop : kept_away) std::erase(hint.dimensions, loop);
      return;
    }
    if (meshes.empty()) {
      problems_.error(directive.mark,
                      fmt::format("'{}' has no copies to spread loops over", directive.target));
      return;
    }
    if (!directives_.whole && directive.factors.size() < problem_.loops.size()) {
      problems_.error(directive.mark,
                      fmt::format("some loops over '{}' are given and others left open", directive.target),
                      "factors of all loops are expected, or only such of 1, which keep loops away");
      return;
    }
    if (meshes.size() > 1 && !directive.split) {
      problems_.error(directive.mark,
                      fmt::format("nothing says which loops go along which of the {} meshes of '{}'",
                                  meshes.size(), directive.target),
                      "'permutation' and 'split', how many of it go along X, are expected");
      return;
    }
    for (const std::string& dimension : meshes) {
      unrolling_of(dimension).loops.clear();
      places_["spatial_mapping." + dimension] = directive.mark;
    }
    for (const LoopFactor& factor : spread) {
      const auto at = std::find(directive.permutation.begin(), directive.permutation.end(), factor.loop);
      const bool along_x =
          meshes.size() == 1 || at - directive.permutation.begin() < directive.split.value_or(0);
      unrolling_of(along_x ? meshes[0] : meshes[1]).loops.push_back({factor.loop, factor.size});
    }
    check_units(directive, meshes);
  }

  /// Timeloop finds no mapping with more steps side by side than there are units.
  void check_units(const TimeloopDirective& directive, const std::vector<std::string>& meshes) {
    for (const std::string& dimension : meshes) {
      const std::int64_t there = units_of(dimension);
      std::int64_t units = 1;
      std::string loops;
      for (const core::SpatialLoop& loop : unrolling_of(dimension).loops) {
        units = element_product(units, loop.factor);
        loops += fmt::format("{}{} {}", loops.empty() ? "" : " x ", loop.dimension, loop.factor);
      }
      if (units <= there) continue;
      problems_.error(
          directive.mark,
          fmt::format("a mesh of '{}' has {} units, too few for {}", directive.target, there, loops),
          "factors of no more units together are expected");
    }
  }

  /// Units of an array dimension, which are the fanouts of more than one unit in their order.
  std::int64_t units_of(const std::string& dimension) const {
    std::size_t number = 0;
    for (const StackLevel& level : architecture_.stack.levels)
      if (level.fanout && level.fanout->count > 1 && fmt::format("D{}", ++number) == dimension)
        return level.fanout->count;
    return 1;
  }

  /// Hints of these array dimensions; made where there are none yet.
  std::vector<std::reference_wrapper<core::UnrollingHint>> hints_of(
      const std::vector<std::string>& meshes) {
    std::vector<std::string> all;
    for (const core::LoopDimension& loop : problem_.loops) all.push_back(loop.name);
    const auto find = [&](const std::string& dimension) {
      return std::find_if(
          made_.spatial_hints.begin(), made_.spatial_hints.end(),
          [&](const core::UnrollingHint& hint) { return hint.array_dimension == dimension; });
    };
    for (const std::string& dimension : meshes)
      if (find(dimension) == made_.spatial_hints.end()) made_.spatial_hints.push_back({dimension, all});
    std::vector<std::reference_wrapper<core::UnrollingHint>> made;
    for (const std::string& dimension : meshes) made.emplace_back(*find(dimension));
    return made;
  }

  core::ArrayUnrolling& unrolling_of(const std::string& dimension) {
    auto& dimensions = made_.spatial_mapping.dimensions;
    const auto known =
        std::find_if(dimensions.begin(), dimensions.end(),
                     [&](const core::ArrayUnrolling& one) { return one.array_dimension == dimension; });
    return known == dimensions.end() ? dimensions.emplace_back(core::ArrayUnrolling{dimension, {}})
                                     : *known;
  }

  /// A memory whose loops are given may stand at the inner or at the outer end of the order; those between
  /// the ends are left to the search.
  void order_loops() {
    std::vector<std::vector<core::OrderingEntry>> given;  // by memory, the innermost first
    std::vector<bool> open;
    for (auto place = architecture_.places.rbegin(); place != architecture_.places.rend(); ++place) {
      if (!place->is_memory) continue;
      const auto directive =
          std::find_if(directives_.all.begin(), directives_.all.end(), [&](const TimeloopDirective& one) {
            return one.kind == TimeloopDirective::Kind::temporal && one.target == place->name;
          });
      given.emplace_back();
      open.push_back(directive == directives_.all.end() && !directives_.whole);
      if (directive != directives_.all.end()) given.back() = entries_of(*directive);
    }
    const auto first_open = std::find(open.begin(), open.end(), true);
    if (first_open == open.end()) {
      for (const auto& entries : given) append(entries);
      return;
    }
    const auto last_open = std::find(open.rbegin(), open.rend(), true).base();
    const auto begin = static_cast<std::size_t>(first_open - open.begin());
    const auto end = static_cast<std::size_t>(last_open - open.begin());
    for (std::size_t i = 0; i < begin; ++i) append(given[i]);
    const bool any_outside = std::any_of(given.begin() + static_cast<std::ptrdiff_t>(end), given.end(),
                                         [](const auto& entries) { return !entries.empty(); });
    if (made_.temporal_ordering.empty() && !any_outside && begin == 0 && end == given.size()) {
      for (std::size_t i = begin; i < end; ++i) refuse_between(given[i]);
      return;
    }
    made_.temporal_ordering.push_back({"*", std::nullopt, false});
    for (std::size_t i = begin; i < end; ++i) refuse_between(given[i]);
    for (std::size_t i = end; i < given.size(); ++i) append(given[i]);
  }

  void append(const std::vector<core::OrderingEntry>& entries) {
    made_.temporal_ordering.insert(made_.temporal_ordering.end(), entries.begin(), entries.end());
  }

  void refuse_between(const std::vector<core::OrderingEntry>& entries) {
    if (!entries.empty())
      problems_.error(directives_.mark,
                      "the loops of a memory are given between memories whose loops are open",
                      "the loops of the innermost memories, or of the outermost ones, are expected");
  }

  std::vector<core::OrderingEntry> entries_of(const TimeloopDirective& directive) {
    std::vector<LoopFactor> loops;
    for (const LoopFactor& factor : directive.factors)
      if (factor.size != 1) loops.push_back(factor);
    if (!directives_.whole && directive.factors.size() < problem_.loops.size())
      problems_.error(directive.mark,
                      fmt::format("some loops of '{}' are given and others left open", directive.target),
                      "factors of all loops are expected");
    const auto rank = [&](const LoopFactor& factor) {
      return std::find(directive.permutation.begin(), directive.permutation.end(), factor.loop);
    };
    for (const LoopFactor& factor : loops)
      if (loops.size() > 1 && rank(factor) == directive.permutation.end())
        problems_.error(directive.mark,
                        fmt::format("'{}' has {} loops, and nothing says where '{}' stands",
                                    directive.target, loops.size(), factor.loop),
                        "a 'permutation', the innermost loop first, is expected");
    std::stable_sort(loops.begin(), loops.end(),
                     [&](const LoopFactor& a, const LoopFactor& b) { return rank(a) < rank(b); });
    std::vector<core::OrderingEntry> made;
    for (const LoopFactor& factor : loops) {
      const bool rest = factor.size == 0;
      made.push_back({factor.loop, rest ? std::nullopt : std::optional(factor.size), rest});
    }
    return made;
  }

  TimeloopDirectives directives_;
  const TimeloopArchitecture& architecture_;
  const Einsum& problem_;
  core::Diagnostics problems_;
  core::LayerMapping made_;
  std::map<std::string, core::SourceMark> places_;  ///< EntryPlaces of it
};

}  // namespace

TimeloopDirectives read_timeloop_directives(const std::string& path, core::Diagnostics& diagnostics,
                                            const core::Files& files) {
  const core::yaml::Node root = read_tagged_yaml(path, "Timeloop's front end", diagnostics, files);
  core::Diagnostics problems;
  TimeloopDirectives made = DirectiveReader(root, path, problems).read();
  core::yaml::hand_over(problems, diagnostics);
  return made;
}

core::LayerMapping mapping_of(const TimeloopDirectives& directives,
                              const TimeloopArchitecture& architecture, const Einsum& problem) {
  return MappingMaker(directives, architecture, problem).make();
}

}  // namespace zz::plugins
