#include "plugins/other_tools/accelforge_workload.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/base/expression.hpp"
#include "core/base/text.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "plugins/other_tools/einsum_text.hpp"
#include "plugins/other_tools/tagged_yaml.hpp"
#include "plugins/other_tools/text_fields.hpp"

namespace zz::plugins {
namespace {

// Limit of an Einsum. docs/limits.md names it.
constexpr std::size_t most_loops = 60;

using RenameList = std::vector<std::pair<std::string, std::string>>;

struct Access {
  TensorText tensor;
  bool written = false;
  std::int64_t bits = 0;  ///< 0: those of the workload
  core::SourceMark mark;
};

struct EinsumEntry {
  std::string name;
  std::vector<Access> accesses;
  std::vector<LoopBound> bounds;
  std::map<std::string, std::int64_t> rank_sizes;
  RenameList renames;
  bool copies = false;
  core::SourceMark mark;
};

/// Reads a text; what is wrong with it becomes problems at `mark`.
template <class Work>
void guarded(const core::SourceMark& mark, core::Diagnostics& problems, Work work) {
  try {
    work();
  } catch (const core::InputError& problem) {
    add_problems_at(mark, problem, problems);
  }
}

/// {name: set} or [{name: ..., source: set}].
RenameList read_renames(const core::yaml::Node& node, core::Diagnostics& problems) {
  RenameList made;
  if (node.is_map()) {
    for (const auto& [name, source] : node.entries) {
      std::string text;
      if (core::yaml::read(source, fmt::format("the source of '{}'", name), text, problems))
        made.emplace_back(name, text);
    }
  } else if (core::yaml::expect_short_list(node, "'renames'", problems)) {
    for (const core::yaml::Node& item : node.items) {
      core::yaml::MapReader map(item, "a rename", problems);
      std::string name, source;
      map.required("name", name);
      map.required("source", source);
      map.optional("expected_count");
      map.finish();
      made.emplace_back(name, source);
    }
  }
  return made;
}

std::map<std::string, std::int64_t> read_rank_sizes(const core::yaml::Node& node,
                                                    core::Diagnostics& problems) {
  std::map<std::string, std::int64_t> made;
  if (!core::yaml::expect_map(node, "'rank_sizes'", problems)) return made;
  for (const auto& [rank, value] : node.entries) {
    double size = 0;
    try {
      size = core::evaluate_expression(value.text, [&](const std::string& name) -> double {
        throw core::InputError(fmt::format("it has the name '{}'", core::shown_text(name)));
      });
    } catch (const core::InputError&) {
      size = 0;
    }
    if (size >= 1 && size <= 9e15 && size == std::floor(size))
      made[rank] = static_cast<std::int64_t>(size);
    else
      problems.error(value.mark, fmt::format("the size of the rank '{}' is {}", rank, value.describe()),
                     "a whole number from 1 is expected");
  }
  return made;
}

/// Reads the entries of 'einsums'; knows nothing of their meaning.
class EinsumEntryReader {
 public:
  EinsumEntryReader(const core::yaml::Node& node, core::Diagnostics& problems)
      : node_(node), problems_(problems) {}

  EinsumEntry read() {
    made_.mark = node_.mark;
    if (node_.is_scalar())
      read_text(node_);
    else
      read_map();
    if (made_.name.empty())
      for (const Access& access : made_.accesses)
        if (access.written) made_.name = access.tensor.name;
    return std::move(made_);
  }

 private:
  void read_map() {
    core::yaml::MapReader map(node_, "an Einsum", problems_);
    if (const core::yaml::Node* text = map.optional("einsum")) read_text(*text);
    map.optional("name", made_.name);
    const core::yaml::Node* accesses = map.optional("tensor_accesses");
    const core::yaml::Node* shape = map.optional("iteration_space_shape");
    if (const core::yaml::Node* sizes = map.optional("rank_sizes"))
      made_.rank_sizes = read_rank_sizes(*sizes, problems_);
    if (const core::yaml::Node* renames = map.optional("renames"))
      made_.renames = read_renames(*renames, problems_);
    map.optional("is_copy_operation", made_.copies);
    std::int64_t instances = 1;
    const core::yaml::Node* times = map.optional("n_instances");
    map.finish();
    if (times != nullptr && core::yaml::read(*times, "'n_instances'", instances, problems_) &&
        instances != 1)
      problems_.error(times->mark, fmt::format("the Einsum '{}' stands for {}", made_.name, instances),
                      "an entry for each is expected");
    if (accesses != nullptr && core::yaml::expect_short_list(*accesses, "'tensor_accesses'", problems_))
      for (const core::yaml::Node& access : accesses->items) read_access(access);
    std::vector<std::string> bounds;
    if (shape != nullptr && core::yaml::read(*shape, "'iteration_space_shape'", bounds, problems_))
      for (const std::string& text : bounds)
        guarded(shape->mark, problems_, [&] {
          for (LoopBound& bound : loop_bounds_of(text)) made_.bounds.push_back(std::move(bound));
        });
  }

  void read_text(const core::yaml::Node& node) {
    std::string text;
    if (!core::yaml::read(node, "an Einsum", text, problems_)) return;
    guarded(node.mark, problems_, [&] {
      EinsumText read = einsum_text_of(text);
      for (TensorText& input : read.inputs)
        made_.accesses.push_back({std::move(input), false, 0, node.mark});
      made_.name = read.output.name;
      made_.accesses.push_back({std::move(read.output), true, 0, node.mark});
    });
  }

  /// An access, or more of one that the Einsum's text has.
  void read_access(const core::yaml::Node& node) {
    core::yaml::MapReader map(node, "an access", problems_);
    Access access;
    access.mark = node.mark;
    map.required("name", access.tensor.name);
    const core::yaml::Node* projection = map.optional("projection");
    map.optional("output", access.written);
    map.optional("persistent");
    map.optional("bits_per_value", access.bits);
    map.finish();
    const auto known = std::find_if(made_.accesses.begin(), made_.accesses.end(), [&](const Access& one) {
      return one.tensor.name == access.tensor.name;
    });
    if (projection == nullptr && known != made_.accesses.end()) {
      known->bits = access.bits;
      return;
    }
    if (projection == nullptr) {
      problems_.error(node.mark, fmt::format("the access of '{}' has no projection", access.tensor.name),
                      "'projection: [m, n]' is expected");
      return;
    }
    guarded(projection->mark, problems_, [&] {
      if (projection->is_map()) {
        for (const auto& [rank, index] : projection->entries)
          access.tensor.axes.push_back(rank_index_of(rank, index.text));
      } else if (core::yaml::expect_short_list(*projection, "'projection'", problems_)) {
        for (const core::yaml::Node& index : projection->items)
          access.tensor.axes.push_back(rank_index_of(index.text));
      }
    });
    made_.accesses.push_back(std::move(access));
  }

  const core::yaml::Node& node_;
  core::Diagnostics& problems_;
  EinsumEntry made_;
};

class WorkloadReader {
 public:
  WorkloadReader(const core::yaml::Node& root, const std::string& path, core::Diagnostics& problems)
      : root_(root), path_(path), problems_(problems) {}

  AccelForgeWorkload read() {
    const core::yaml::Node* part = root_.find("workload");
    if (part == nullptr) {
      problems_.error(core::SourceMark{path_}, "there is no 'workload'");
      return {};
    }
    read_workload(*part);
    if (const core::yaml::Node* renames = root_.find("renames"); renames != nullptr && !renames->is_null())
      read_default_renames(*renames);
    if (problems_.has_errors()) return {};
    find_makers();
    for (std::size_t i = 0; i < entries_.size(); ++i) add(static_cast<std::int64_t>(i));
    return std::move(made_);
  }

 private:
  void read_workload(const core::yaml::Node& part) {
    core::yaml::MapReader map(part, "the workload", problems_);
    map.optional("version");
    const core::yaml::Node* shape = map.nullable("iteration_space_shape");
    if (const core::yaml::Node* sizes = map.nullable("rank_sizes"))
      rank_sizes_ = read_rank_sizes(*sizes, problems_);
    if (const core::yaml::Node* bits = map.nullable("bits_per_value"))
      if (core::yaml::expect_map(*bits, "'bits_per_value'", problems_)) bits_ = bits;
    map.optional("persistent_tensors");
    std::int64_t instances = 1;
    map.optional("n_instances", instances);
    const core::yaml::Node* einsums = map.required("einsums");
    map.finish();
    if (instances != 1)
      problems_.error(part.mark, fmt::format("the workload runs {} times", instances),
                      "zz maps it once: 'n_instances' of 1 is expected");
    if (shape != nullptr && core::yaml::expect_map(*shape, "'iteration_space_shape'", problems_)) {
      for (const auto& entry : shape->entries)
        guarded(entry.second.mark, problems_, [&] {
          for (LoopBound& one : loop_bounds_of(entry.second.text)) bounds_.push_back(std::move(one));
        });
    }
    if (einsums == nullptr || !core::yaml::expect_list(*einsums, "'einsums'", problems_)) return;
    for (const core::yaml::Node& node : einsums->items)
      entries_.push_back(EinsumEntryReader(node, problems_).read());
    for (const EinsumEntry& entry : entries_)
      for (const Access& access : entry.accesses) ++uses_[access.tensor.name];
  }

  void read_default_renames(const core::yaml::Node& node) {
    const core::yaml::Node* einsums = node.find("einsums");
    if (einsums == nullptr ||
        !core::yaml::expect_short_list(*einsums, "'einsums' of the renames", problems_))
      return;
    for (const core::yaml::Node& item : einsums->items) {
      core::yaml::MapReader map(item, "an entry of the renames", problems_);
      std::string name;
      map.required("name", name);
      const core::yaml::Node* tensors = map.optional("tensor_accesses");
      map.optional("rank_variables");
      map.finish();
      if (tensors != nullptr) renames_[name] = read_renames(*tensors, problems_);
    }
  }

  void find_makers() {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      for (const Access& access : entries_[i].accesses)
        if (access.written) maker_.emplace(access.tensor.name, static_cast<std::int64_t>(i));
  }

  void add(std::int64_t id) {
    const EinsumEntry& entry = entries_[static_cast<std::size_t>(id)];
    const auto written = [](const Access& access) { return access.written; };
    const auto outputs = std::count_if(entry.accesses.begin(), entry.accesses.end(), written);
    const auto inputs = static_cast<std::int64_t>(entry.accesses.size()) - outputs;
    if (outputs != 1 || inputs < 1 || inputs > 2) {
      problems_.error(entry.mark,
                      fmt::format("'{}' reads {} tensors and writes {}", entry.name, inputs, outputs),
                      "one or two that are read and one that is written are expected");
      return;
    }
    made_.order.push_back(id);
    Einsum einsum;
    einsum.id = id;
    einsum.name = entry.name;
    einsum.type = "Einsum";
    einsum.mark = entry.mark;
    einsum.loops = loops_of(entry);
    if (einsum.loops.size() > most_loops)
      problems_.error(entry.mark, fmt::format("'{}' has {} loops", entry.name, einsum.loops.size()),
                      fmt::format("at most {} are expected", most_loops));
    if (problems_.has_errors()) return;
    if (inputs == 1)
      add_other(entry, einsum);
    else
      add_product(entry, std::move(einsum));
  }

  /// In the order in which the tensors name them, those of the result first.
  std::vector<core::LoopDimension> loops_of(const EinsumEntry& entry) {
    std::vector<core::LoopDimension> loops;
    for (const bool of_result : {true, false})
      for (const Access& access : entry.accesses)
        for (const RankIndex& axis : access.tensor.axes)
          for (const IndexTerm& term : axis.terms)
            if (access.written == of_result &&
                std::none_of(loops.begin(), loops.end(),
                             [&](const core::LoopDimension& loop) { return loop.name == term.loop; }))
              loops.push_back({term.loop, 0});
    for (core::LoopDimension& loop : loops) {
      const std::optional<std::int64_t> size = size_of(entry, loop.name);
      if (!size)
        problems_.error(
            entry.mark,
            fmt::format("nothing says how long the loop '{}' of '{}' is", loop.name, entry.name),
            "an entry of 'rank_sizes' or 'iteration_space_shape' is expected");
      loop.size = size.value_or(1);
    }
    return loops;
  }

  /// The least of all bounds: those of ranks that the loop indexes alone, and of shapes.
  std::optional<std::int64_t> size_of(const EinsumEntry& entry, const std::string& loop) const {
    std::optional<std::int64_t> least;
    const auto bound = [&](std::int64_t size) { least = std::min(least.value_or(size), size); };
    for (const std::vector<LoopBound>* bounds : {&bounds_, &entry.bounds})
      for (const LoopBound& one : *bounds)
        if (one.loop == loop) bound(one.size);
    for (const Access& access : entry.accesses) {
      for (const RankIndex& axis : access.tensor.axes) {
        if (axis.terms.size() != 1 || axis.terms[0].loop != loop || axis.terms[0].factor != 1) continue;
        for (const std::map<std::string, std::int64_t>* sizes : {&rank_sizes_, &entry.rank_sizes})
          if (const auto found = sizes->find(axis.rank); found != sizes->end()) bound(found->second);
      }
    }
    return least;
  }

  void add_other(const EinsumEntry& entry, const Einsum& einsum) {
    core::PassThroughNode node;
    node.id = einsum.id;
    node.name = entry.name;
    node.type = entry.copies ? "copy" : "einsum";
    node.output_elements = 1;
    for (const Access& access : entry.accesses) {
      if (!access.written) {
        node.sources = sources_of(access.tensor.name, einsum.id);
        continue;
      }
      for (const core::LoopDimension& loop : einsum.loops)
        for (const RankIndex& axis : access.tensor.axes)
          if (axis.terms[0].loop == loop.name) node.output_elements *= loop.size;
    }
    made_.others.push_back(std::move(node));
    if (!entry.copies)
      problems_.warning(entry.mark, fmt::format("'{}' reads one tensor: it has no cost in zz",
                                                core::shown_text(entry.name)));
  }

  std::vector<std::int64_t> sources_of(const std::string& tensor, std::int64_t reader) const {
    const auto found = maker_.find(tensor);
    if (found == maker_.end() || found->second >= reader) return {};
    return {found->second};
  }

  void add_product(const EinsumEntry& entry, Einsum einsum) {
    const NamedSets sets = sets_of(entry);
    const std::optional<std::size_t> weight = weight_of(entry, sets);
    if (!weight) return;
    std::map<std::string, std::int64_t> bits;
    NamedSets::Set old_bits[3] = {};  // of input, weight, output in `sets`
    for (std::size_t i = 0; i < entry.accesses.size(); ++i) {
      const Access& access = entry.accesses[i];
      EinsumTensor tensor;
      tensor.name = access.tensor.name;
      tensor.mark = access.mark;
      for (const RankIndex& axis : access.tensor.axes) tensor.axes.push_back(axis.terms);
      tensor.bits = bits_of(access, i, sets);
      tensor.sources = access.written ? std::vector<std::int64_t>() : sources_of(tensor.name, einsum.id);
      const std::size_t role = access.written ? 2 : i == *weight ? 1 : 0;
      tensor.constant = role == 1 && tensor.sources.empty();
      old_bits[role] = NamedSets::Set{1} << i;
      bits[tensor.name] = tensor.bits;
      (role == 2 ? einsum.output : role == 1 ? einsum.weight : einsum.input) = std::move(tensor);
    }
    const auto by_role = [&](NamedSets::Set old) {
      NamedSets::Set made = 0;
      for (std::size_t role = 0; role < 3; ++role)
        if ((old & old_bits[role]) != 0) made |= NamedSets::Set{1} << role;
      return made;
    };
    NamedSets tensors(input_bit | weight_bit | output_bit);
    NamedSets loops((NamedSets::Set{1} << einsum.loops.size()) - 1);
    const EinsumTensor* const of_role[3] = {&einsum.input, &einsum.weight, &einsum.output};
    for (const auto& [name, old] : sets.all_names()) {
      const NamedSets::Set set = by_role(old);
      tensors.define(name, set);
      NamedSets::Set indexed = 0;
      for (std::size_t role = 0; role < 3; ++role) {
        if ((set >> role & 1) == 0) continue;
        if (std::popcount(set) == 1) bits[name] = of_role[role]->bits;
        indexed |= loops_indexing(*of_role[role], einsum.loops);
      }
      loops.define(name + ".rank_variables", indexed);
    }
    for (std::size_t i = 0; i < einsum.loops.size(); ++i) {
      loops.define(core::lower_case(einsum.loops[i].name), NamedSets::Set{1} << i);
      loops.define(einsum.loops[i].name, NamedSets::Set{1} << i);
    }
    for (const EinsumEntry& other : entries_)
      for (const core::LoopDimension& loop : loops_named(other))
        for (const std::string& name : {loop.name, core::lower_case(loop.name)})
          if (!loops.knows(name)) loops.define(name, 0);
    loops.define("All", loops.evaluate("All.rank_variables"));
    loops.define("Nothing", 0);
    made_.products.push_back({std::move(einsum), std::move(tensors), std::move(loops), std::move(bits)});
  }

  static std::vector<core::LoopDimension> loops_named(const EinsumEntry& entry) {
    std::vector<core::LoopDimension> loops;
    for (const Access& access : entry.accesses)
      for (const RankIndex& axis : access.tensor.axes)
        for (const IndexTerm& term : axis.terms) loops.push_back({term.loop, 1});
    return loops;
  }

  static NamedSets::Set loops_indexing(const EinsumTensor& tensor,
                                       const std::vector<core::LoopDimension>& loops) {
    NamedSets::Set made = 0;
    for (std::size_t i = 0; i < loops.size(); ++i)
      for (const auto& axis : tensor.axes)
        for (const IndexTerm& term : axis)
          if (term.loop == loops[i].name) made |= NamedSets::Set{1} << i;
    return made;
  }

  /// Its own come before those for its name, and those before the default.
  std::array<const RenameList*, 3> renames_of(const EinsumEntry& entry) {
    return {&entry.renames, &renames_[entry.name], &renames_["default"]};
  }

  /// The sets of an Einsum's tensors: a bit for each access.
  NamedSets sets_of(const EinsumEntry& entry) {
    const std::size_t count = entry.accesses.size();
    const NamedSets::Set all = (NamedSets::Set{1} << count) - 1;
    NamedSets sets(all);
    NamedSets::Set inputs = 0, outputs = 0, intermediates = 0, shared = 0;
    for (const auto& [name, uses] : uses_) sets.define(name, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const Access& access = entry.accesses[i];
      const NamedSets::Set bit = NamedSets::Set{1} << i;
      sets.define(access.tensor.name, bit);
      (access.written ? outputs : inputs) |= bit;
      if (uses_[access.tensor.name] > 1) shared |= bit;
      if (maker_.count(access.tensor.name) != 0 && uses_[access.tensor.name] > 1) intermediates |= bit;
    }
    sets.define("All", all);
    sets.define("Tensors", all);
    sets.define("Nothing", 0);
    sets.define("Inputs", inputs);
    sets.define("Outputs", outputs);
    sets.define("Intermediates", intermediates);
    sets.define("Shared", shared);
    sets.define("Persistent", 0);
    std::set<std::string> renamed;
    for (const RenameList* renames : renames_of(entry)) {
      for (const auto& rename : *renames)
        if (renamed.insert(rename.first).second)
          guarded(entry.mark, problems_, [&] { sets.define(rename.first, sets.evaluate(rename.second)); });
    }
    return sets;
  }

  /// The access that is the weight: what is renamed so; else the other one of what is renamed to the input;
  /// else one that no Einsum makes; else the second.
  std::optional<std::size_t> weight_of(const EinsumEntry& entry, const NamedSets& sets) {
    std::vector<std::size_t> read;
    for (std::size_t i = 0; i < entry.accesses.size(); ++i)
      if (!entry.accesses[i].written) read.push_back(i);
    for (const char* role : {"weight", "input"}) {
      if (!sets.knows(role)) continue;
      const NamedSets::Set set = sets.evaluate(role);
      if (set == 0) continue;
      const bool first = (set >> read[0] & 1) != 0, second = (set >> read[1] & 1) != 0;
      if (first == second || std::popcount(set) != 1) {
        problems_.error(entry.mark,
                        fmt::format("'{}' of '{}' is {} tensors", role, core::shown_text(entry.name),
                                    std::popcount(set)),
                        "a rename to one of the two that are read is expected");
        return std::nullopt;
      }
      return (role == std::string("weight")) == first ? read[0] : read[1];
    }
    const auto made = [&](std::size_t i) { return maker_.count(entry.accesses[i].tensor.name) != 0; };
    return made(read[1]) && !made(read[0]) ? read[0] : read[1];
  }

  std::int64_t bits_of(const Access& access, std::size_t number, const NamedSets& sets) {
    if (access.bits > 0) return access.bits;
    if (bits_ != nullptr) {
      for (const auto& [set, value] : bits_->entries) {
        try {
          if (set != "Other" && (sets.evaluate(set) >> number & 1) == 0) continue;
        } catch (const core::InputError& problem) {
          add_problems_at(value.mark, problem, problems_);
          return 1;
        }
        std::int64_t bits = 0;
        if (core::yaml::read(value, fmt::format("the bits of '{}'", set), bits, problems_) &&
            (bits < 1 || bits > core::widest_number))
          problems_.error(value.mark, fmt::format("a value of '{}' has {} bits", set, bits),
                          fmt::format("1 to {} are expected", core::widest_number));
        return bits;
      }
    }
    problems_.error(
        access.mark,
        fmt::format("nothing says how many bits '{}' has", core::shown_text(access.tensor.name)),
        "an entry of 'bits_per_value', as {All: 8}, is expected");
    return 1;
  }

  const core::yaml::Node& root_;
  std::string path_;
  core::Diagnostics& problems_;
  const core::yaml::Node* bits_ = nullptr;
  std::map<std::string, std::int64_t> rank_sizes_;
  std::vector<LoopBound> bounds_;
  std::vector<EinsumEntry> entries_;
  std::map<std::string, RenameList> renames_;  // by Einsum
  std::map<std::string, int> uses_;            // by tensor
  std::map<std::string, std::int64_t> maker_;  // by tensor
  AccelForgeWorkload made_;
};

}  // namespace

AccelForgeWorkload read_accelforge_workload(const std::string& path, const TemplateValues& values,
                                            core::Diagnostics& diagnostics, const core::Files& files) {
  const core::yaml::Node root = read_tagged_template(path, values, diagnostics, files);
  core::Diagnostics problems;
  AccelForgeWorkload made = WorkloadReader(root, path, problems).read();
  if (made.products.empty() && !problems.has_errors())
    problems.error(core::SourceMark{path}, "no Einsum multiplies two tensors");
  core::yaml::hand_over(problems, diagnostics);
  return made;
}

core::Workload workload_of(const AccelForgeWorkload& read, const std::string& name,
                           core::Diagnostics& diagnostics) {
  core::Workload made;
  made.name = name;
  made.node_order = read.order;
  made.pass_through = read.others;
  std::map<std::int64_t, std::set<std::int64_t>> sources;
  for (const core::PassThroughNode& node : read.others)
    sources[node.id].insert(node.sources.begin(), node.sources.end());
  for (const AccelForgeProduct& product : read.products) {
    core::Layer layer = layer_of(product.einsum, diagnostics);
    layer.mapping.spatial_hints = product.hints;
    made.layers.push_back(std::make_shared<const core::Layer>(std::move(layer)));
    for (const EinsumTensor* tensor : {&product.einsum.input, &product.einsum.weight})
      sources[product.einsum.id].insert(tensor->sources.begin(), tensor->sources.end());
  }
  for (const std::int64_t id : read.order)
    for (const std::int64_t source : sources[id]) made.edges.emplace_back(source, id);
  return made;
}

}  // namespace zz::plugins
