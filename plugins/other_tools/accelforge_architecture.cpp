#include "plugins/other_tools/accelforge_architecture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/base/text.hpp"
#include "core/hardware/open_costs.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "plugins/other_tools/accelforge_expression.hpp"
#include "plugins/other_tools/tagged_yaml.hpp"
#include "plugins/other_tools/text_fields.hpp"

namespace zz::plugins {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double pj_of_a_joule = 1e12;
constexpr double largest_size = 1e15;

/// AccelForge's figures for an action, as "read".
struct ActionFigures {
  std::optional<double> energy;      ///< J
  std::optional<double> throughput;  ///< actions a second
  std::optional<double> bits;        ///< of an action
};

/// Time of reads and writes: taken together or beside each other, and what they have in common.
struct TotalLatency {
  bool shared = true;
  std::optional<double> throughput;  ///< of all actions, in place of their own
};

/// A component, read and not yet understood.
struct ComponentNode {
  std::string name, component_class;
  std::map<std::string, ActionFigures> actions;
  TotalLatency latency;
  core::SourceMark mark;

  bool is_dummy() const { return component_class == "Dummy"; }
  const ActionFigures& action(const std::string& of) const {
    static const ActionFigures none;
    const auto found = actions.find(of);
    return found == actions.end() ? none : found->second;
  }
  /// Actions a second; infinite where nothing limits it, none where nobody says.
  std::optional<double> throughput(const std::string& of) const {
    if (latency.throughput) return latency.throughput;
    if (const auto& own = action(of).throughput) return own;
    if (is_dummy()) return infinite;
    return std::nullopt;
  }
};

class AccelForgeReader {
 public:
  AccelForgeReader(const core::yaml::Node& root, const std::string& path, AccelForgeWorkload& workload,
                   core::Diagnostics& problems)
      : root_(root), path_(path), workload_(workload), problems_(problems) {}

  LevelStack read() {
    made_.name = "accelforge";
    made_.mark = core::SourceMark{path_};
    if (const core::yaml::Node* variables = root_.find("variables");
        variables != nullptr && variables->is_map())
      for (const auto& [name, value] : variables->entries)
        if (const auto number = number_of(value, fmt::format("the variable '{}'", name)))
          variables_[name] = *number;
    const core::yaml::Node* part = root_.find("arch");
    if (part == nullptr) {
      problems_.error(core::SourceMark{path_}, "there is no 'arch'");
      return {};
    }
    made_.mark = part->mark;
    core::yaml::MapReader map(*part, "the architecture", problems_);
    map.optional("version");
    map.optional("extra_attributes_for_all_component_models");
    const core::yaml::Node* nodes = map.required("nodes");
    map.finish();
    if (nodes != nullptr) read_nodes(*nodes);
    if (problems_.has_errors()) return {};
    close();
    return std::move(made_);
  }

 private:
  void read_nodes(const core::yaml::Node& list) {
    if (!core::yaml::expect_short_list(list, "'nodes'", problems_)) return;
    for (const core::yaml::Node& node : list.items) {
      if (!core::yaml::expect_map(node, "a node", problems_)) continue;
      if (node.text == "Hierarchical") {
        core::yaml::MapReader map(node, "the nodes", problems_);
        map.optional("name");
        const core::yaml::Node* nodes = map.required("nodes");
        map.finish();
        if (nodes != nullptr) read_nodes(*nodes);
      } else if (node.text == "Memory" || node.text == "Compute" || node.text == "Container") {
        read_node(node);
      } else {
        problems_.error(node.mark, fmt::format("zz does not know '!{}'", core::shown_text(node.text)),
                        "known: !Memory, !Container, !Compute, !Hierarchical");
      }
    }
  }

  void read_node(const core::yaml::Node& node) {
    const std::string what = node.text == "Memory"    ? "a memory"
                             : node.text == "Compute" ? "a unit"
                                                      : "a container";
    core::yaml::MapReader map(node, what, problems_);
    ComponentNode made;
    made.mark = node.mark;
    map.required("name", made.name);
    map.optional("component_class", made.component_class);
    const core::yaml::Node* enabled = map.optional("enabled");
    const core::yaml::Node* spatial = map.nullable("spatial");
    const core::yaml::Node* size = nullptr;
    const core::yaml::Node* tensors = nullptr;
    const core::yaml::Node* actions = nullptr;
    const core::yaml::Node* bits = nullptr;
    std::optional<double> action_bits;
    if (node.text != "Container") {
      actions = map.nullable("actions");
      if (const core::yaml::Node* total = map.optional("total_latency")) made.latency = latency_of(*total);
      for (const char* key :
           {"area", "total_area", "extra_attributes_for_component_model", "component_model"})
        map.optional(key);
      for (const char* key : {"leak_power", "total_leak_power"})
        if (const core::yaml::Node* leaking = map.optional(key); leaking != nullptr && leaking->text != "0")
          problems_.warning(leaking->mark, fmt::format("the leakage of '{}' is passed over", made.name),
                            "LeakageStage adds it");
      for (const char* key : {"area_scale", "leak_power_scale", "energy_scale", "latency_scale",
                              "throughput_scale", "actions_scale", "n_parallel_instances"})
        expect_one(map.optional(key), made.name, key);
    }
    if (node.text == "Memory") {
      size = map.required("size");
      tensors = map.nullable("tensors");
      bits = map.nullable("bits_per_value");
      if (const core::yaml::Node* of_action = map.optional("bits_per_action"))
        action_bits = number_of(*of_action, fmt::format("'bits_per_action' of '{}'", made.name));
      map.optional("skip_initial_output_write");
    }
    map.finish();
    if (enabled != nullptr && !is_enabled(*enabled)) return;
    if (actions != nullptr) read_actions(*actions, made);
    if (spatial != nullptr) read_fanouts(*spatial, made);
    if (node.text == "Container" || problems_.has_errors()) return;
    if (units_) {
      problems_.error(node.mark,
                      fmt::format("'{}' stands inside of the units '{}'", made.name, units_->name),
                      "one kind of unit, the last node, is expected");
    } else if (node.text == "Compute") {
      units_ = std::move(made);
    } else if (size != nullptr) {
      add_memory(std::move(made), *size, tensors, bits, action_bits);
    }
  }

  void expect_one(const core::yaml::Node* node, const std::string& name, const char* key) {
    if (node == nullptr) return;
    const auto number = number_of(*node, fmt::format("'{}' of '{}'", key, name));
    if (number && *number != 1)
      problems_.error(node->mark, fmt::format("'{}' of '{}' is {}", key, name, *number),
                      "zz scales nothing: 1 is expected, and figures that are scaled");
  }

  /// A condition over tensors is that of Einsums with two inputs.
  bool is_enabled(const core::yaml::Node& node) {
    if (const auto truth = node.as_bool()) return *truth;
    std::optional<bool> answer;
    for (const AccelForgeProduct& product : workload_.products) {
      const auto one = guarded(node.mark, [&] { return product.tensors.test(node.text); });
      if (!one) return false;
      if (answer && *answer != *one) {
        problems_.error(node.mark, fmt::format("'{}' holds for some Einsums", core::shown_text(node.text)),
                        "zz has one accelerator for all Einsums of two inputs");
        return false;
      }
      answer = one;
    }
    return answer.value_or(true);
  }

  template <class Work>
  auto guarded(const core::SourceMark& mark, Work work) -> std::optional<decltype(work())> {
    try {
      return work();
    } catch (const core::InputError& problem) {
      add_problems_at(mark, problem, problems_);
      return std::nullopt;
    }
  }

  /// A number, or an expression that is the same for all Einsums.
  std::optional<double> number_of(const core::yaml::Node& node, const std::string& what) {
    if (!node.is_scalar()) {
      problems_.error(node.mark, fmt::format("{} is {}", what, node.describe()), "a number is expected");
      return std::nullopt;
    }
    if (node.text == ".inf") return infinite;
    std::optional<double> made;
    for (const AccelForgeProduct& product : workload_.products) {
      const auto one = guarded(node.mark, [&] { return value_for(node.text, product, variables_); });
      if (!one) return std::nullopt;
      if (made && *made != *one) {
        problems_.error(node.mark,
                        fmt::format("{} is {} for one Einsum and {} for another", what, *made, *one),
                        "zz has one accelerator for all");
        return std::nullopt;
      }
      made = one;
    }
    return made;
  }

  std::optional<double> positive(const core::yaml::Node* node, const std::string& what) {
    if (node == nullptr) return std::nullopt;
    const auto number = number_of(*node, what);
    if (number && *number > 0) return number;
    if (number)
      problems_.error(node->mark, fmt::format("{} is {}", what, *number), "more than 0 is expected");
    return std::nullopt;
  }

  void read_actions(const core::yaml::Node& list, ComponentNode& made) {
    if (!core::yaml::expect_short_list(list, "'actions'", problems_)) return;
    for (const core::yaml::Node& item : list.items) {
      core::yaml::MapReader map(item, fmt::format("an action of '{}'", made.name), problems_);
      std::string name;
      map.required("name", name);
      ActionFigures figures;
      if (const core::yaml::Node* energy = map.optional("energy"))
        figures.energy = number_of(*energy, map.what("energy"));
      figures.throughput = positive(map.optional("throughput"), map.what("throughput"));
      figures.bits = positive(map.optional("bits_per_action"), map.what("bits_per_action"));
      for (const char* key : {"energy_scale", "latency_scale", "throughput_scale"})
        expect_one(map.optional(key), made.name, key);
      map.optional("extra_attributes_for_component_model");
      map.finish();
      made.actions[name] = figures;
    }
  }

  /// Understands those expressions for the time of all actions that a port, or two, can be.
  TotalLatency latency_of(const core::yaml::Node& node) {
    const std::string text = without_blanks(node.text);
    TotalLatency made;
    made.shared = text.starts_with("sum(");
    constexpr std::string_view own = "(a.n_calls/a.throughputforainactions)",
                               counted = "(a.n_callsforainactions)/";
    if (text == "0") {
      made.throughput = infinite;
    } else if (text == "sum" + std::string(own) || text == "max" + std::string(own)) {
    } else if (text.substr(std::min<std::size_t>(3, text.size())).starts_with(counted) &&
               (made.shared || text.starts_with("max("))) {
      const auto time = guarded(node.mark, [&] {
        return value_for("1/" + text.substr(3 + counted.size()), workload_.products.front(), variables_);
      });
      if (time && *time > 0) made.throughput = 1 / *time;
    } else {
      problems_.error(node.mark, fmt::format("'total_latency' is '{}'", core::shown_text(node.text)),
                      "sum or max of 'a.n_calls / a.throughput for a in actions', or of 'a.n_calls' with "
                      "numbers behind '/', is expected");
    }
    return made;
  }

  void read_fanouts(const core::yaml::Node& list, const ComponentNode& node) {
    if (!core::yaml::expect_short_list(list, "'spatial'", problems_)) return;
    for (const core::yaml::Node& item : list.items) {
      core::yaml::MapReader map(item, fmt::format("a fanout of '{}'", node.name), problems_);
      std::string name, reuse;
      map.required("name", name);
      const core::yaml::Node* fanout = map.required("fanout");
      map.optional("reuse", reuse);
      if (const core::yaml::Node* may = map.optional("may_reuse"); may != nullptr && may->text != "All")
        problems_.warning(
            may->mark,
            fmt::format("'may_reuse' of '{}' is passed over: data for several are read once", name));
      const core::yaml::Node* bounds = map.nullable("loop_bounds");
      map.optional("min_usage");
      expect_one(map.optional("usage_scale"), name, "usage_scale");
      map.optional("power_gateable");
      map.finish();
      if (fanout == nullptr) continue;
      const auto count = number_of(*fanout, fmt::format("'fanout' of '{}'", name));
      if (!count) continue;
      if (!(*count >= 1 && *count <= largest_size) || *count != std::floor(*count)) {
        problems_.error(fanout->mark, fmt::format("'fanout' of '{}' is {}", name, *count),
                        "a whole number from 1 is expected");
        continue;
      }
      made_.levels.push_back({item.mark, std::nullopt,
                              StackFanout{node.name + "." + name, static_cast<std::int64_t>(*count)}});
      if (*count >= 2) add_hints(item, reuse, bounds);
    }
  }

  /// Which loops of each Einsum a fanout may take: those that do not index what it reuses, and that no
  /// bound keeps at one step.
  void add_hints(const core::yaml::Node& fanout, const std::string& reuse, const core::yaml::Node* bounds) {
    const std::string dimension = fmt::format("D{}", ++dimensions_);
    for (AccelForgeProduct& product : workload_.products) {
      NamedSets::Set excluded = 0;
      if (!reuse.empty()) {
        const auto reused = guarded(fanout.mark, [&] { return product.tensors.evaluate(reuse); });
        const EinsumTensor* const of_role[3] = {&product.einsum.input, &product.einsum.weight,
                                                &product.einsum.output};
        for (std::size_t role = 0; role < 3; ++role)
          if (reused && (*reused >> role & 1) != 0)
            excluded |= product.loops.evaluate(of_role[role]->name + ".rank_variables");
      }
      if (bounds != nullptr && core::yaml::expect_short_list(*bounds, "'loop_bounds'", problems_))
        for (const core::yaml::Node& bound : bounds->items) excluded |= bounded_to_one(bound, product);
      core::UnrollingHint hint{dimension, {}};
      for (std::size_t i = 0; i < product.einsum.loops.size(); ++i)
        if ((excluded >> i & 1) == 0) hint.dimensions.push_back(product.einsum.loops[i].name);
      product.hints.push_back(std::move(hint));
    }
  }

  NamedSets::Set bounded_to_one(const core::yaml::Node& bound, const AccelForgeProduct& product) {
    core::yaml::MapReader map(bound, "a bound", problems_);
    std::string loops, sign;
    std::int64_t value = 0;
    map.required("expression", loops);
    map.required("operator", sign);
    map.required("value", value);
    map.finish();
    if (value != 1 || (sign != "==" && sign != "<="))
      problems_.error(bound.mark,
                      fmt::format("loops are bounded by '{} {}'", core::shown_text(sign), value),
                      "'== 1', which keeps loops away, is expected");
    return guarded(bound.mark, [&] { return product.loops.evaluate(loops); }).value_or(0);
  }

  /// The memory operands of a set that must be the same for all Einsums.
  std::optional<NamedSets::Set> roles(const core::yaml::Node& node, const std::string& what) {
    std::optional<NamedSets::Set> made;
    for (const AccelForgeProduct& product : workload_.products) {
      NamedSets sets = product.tensors;
      for (const auto& [name, kept] : kept_) {
        sets.define(name, kept);
        sets.define(name + ".tensors", kept);
        sets.define(name + ".Tensors", kept);
      }
      sets.define("Above", above_);
      const auto one = guarded(node.mark, [&] { return sets.evaluate(node.text); });
      if (!one) return std::nullopt;
      if (made && *made != *one) {
        problems_.error(
            node.mark,
            fmt::format("{} is different for '{}' than for other Einsums", what, product.einsum.name),
            "zz has one accelerator for all");
        return std::nullopt;
      }
      made = one;
    }
    return made;
  }

  /// All that a memory must keep or may keep: a choice of AccelForge's mapper that zz does not have.
  NamedSets::Set kept_by(const ComponentNode& node, const core::yaml::Node* tensors) {
    if (tensors == nullptr) return input_bit | weight_bit | output_bit;
    core::yaml::MapReader map(*tensors, fmt::format("'tensors' of '{}'", node.name), problems_);
    const core::yaml::Node* const sets[3] = {map.nullable("keep"), map.nullable("may_keep"),
                                             map.nullable("back")};
    for (const char* key : {"tile_shape", "no_refetch_from_above", "no_resend_to_below",
                            "tensor_order_options", "force_memory_hierarchy_order"})
      if (const core::yaml::Node* limit = map.optional(key))
        problems_.warning(
            limit->mark,
            fmt::format("'{}' of '{}' is passed over: a stage below orders the loops", key, node.name));
    map.finish();
    NamedSets::Set kept = 0;
    bool any = false, all = false;
    for (const core::yaml::Node* set : sets) {
      if (set == nullptr) continue;
      any = true;
      if (set == sets[0] && sets[1] != nullptr && is_all(*sets[1])) {
        all = true;  // whatever must be kept
        continue;
      }
      kept |= roles(*set, fmt::format("what '{}' keeps", node.name)).value_or(0);
    }
    return all || !any ? input_bit | weight_bit | output_bit : kept;
  }

  static bool is_all(const core::yaml::Node& node) { return node.text == "All" || node.text == "Tensors"; }

  void add_memory(ComponentNode node, const core::yaml::Node& size, const core::yaml::Node* tensors,
                  const core::yaml::Node* bits, std::optional<double> action_bits) {
    StackMemory memory;
    memory.name = node.name;
    const auto room = number_of(size, fmt::format("'size' of '{}'", node.name));
    if (room && *room < largest_size) memory.bits = static_cast<std::int64_t>(*room);
    if (!memory.bits) memory.memory_type = "dram";
    const NamedSets::Set kept = kept_by(node, tensors);
    kept_.emplace_back(node.name, kept);
    above_ |= kept;
    for (const auto& [bit, operand] :
         {std::pair{input_bit, "I1"}, std::pair{weight_bit, "I2"}, std::pair{output_bit, "O"}})
      if ((kept & bit) != 0) memory.operands.push_back(operand);
    if (memory.operands.empty()) return;
    if (bits != nullptr && bits->is_map()) read_sum_bits(*bits, node);
    if ((kept & output_bit) != 0 && bits == nullptr) sum_bits_.clear();
    memories_.push_back({std::move(node), made_.levels.size(), action_bits});
    made_.levels.push_back({memories_.back().node.mark, std::move(memory), std::nullopt});
  }

  void read_sum_bits(const core::yaml::Node& bits, const ComponentNode& node) {
    sum_bits_.clear();
    for (const auto& entry : bits.entries) {
      const std::string& set = entry.first;
      const core::yaml::Node& value = entry.second;
      for (const AccelForgeProduct& product : workload_.products) {
        const auto of = guarded(value.mark, [&] { return product.tensors.evaluate(set); });
        const auto number = guarded(value.mark, [&] { return value_for(value.text, product, variables_); });
        if (!of || !number) return;
        if (*of != output_bit || *number < 1 || *number > static_cast<double>(core::widest_number)) {
          problems_.error(
              value.mark,
              fmt::format("values of '{}' have {} bits in '{}'", core::shown_text(set), *number, node.name),
              "bits of results, which sum up there, are expected");
          return;
        }
        sum_bits_[product.einsum.id] = static_cast<std::int64_t>(*number);
      }
    }
  }

  void close() {
    if (!units_) {
      problems_.error(made_.mark, "there are no units", "a node '!Compute', the last one, is expected");
      return;
    }
    const ActionFigures& compute = units_->action("compute");
    made_.unit_energy = energy(*units_, "compute");
    const std::optional<double> clock = units_->throughput("compute");
    if (compute.bits)
      problems_.error(units_->mark,
                      fmt::format("'bits_per_action' of '{}' is no figure of a unit", units_->name));
    for (AccelForgeProduct& product : workload_.products) {
      if (const auto bits = sum_bits_.find(product.einsum.id); bits != sum_bits_.end())
        product.einsum.output.sum_bits = bits->second;
      const bool constrained =
          std::any_of(product.hints.begin(), product.hints.end(), [&](const core::UnrollingHint& hint) {
            return hint.dimensions.size() < product.einsum.loops.size();
          });
      if (!constrained) product.hints.clear();
    }
    for (const PlacedMemory& placed : memories_) finish(placed, clock.value_or(infinite));
  }

  struct PlacedMemory {
    ComponentNode node;
    std::size_t level;
    std::optional<double> action_bits;
  };

  /// pJ; open where a component model says it.
  double energy(const ComponentNode& node, const std::string& action) {
    if (const auto& energy = node.action(action).energy) return *energy * pj_of_a_joule;
    if (node.is_dummy()) return 0;
    if (node.component_class.empty())
      problems_.error(node.mark, fmt::format("nothing says the energy of '{}' of '{}'", action, node.name),
                      "an action with 'energy', or a 'component_class', is expected");
    return core::open_cost;
  }

  std::int64_t widest_value(const std::vector<std::string>& operands) const {
    std::int64_t widest = 1;
    for (const AccelForgeProduct& product : workload_.products)
      for (const auto& [tensor, operand] :
           {std::pair{&product.einsum.input, "I1"}, std::pair{&product.einsum.weight, "I2"},
            std::pair{&product.einsum.output, "O"}})
        if (std::find(operands.begin(), operands.end(), operand) != operands.end())
          widest = std::max(widest, tensor->bits);
    return widest;
  }

  /// The innermost memory of results.
  std::size_t level_of_sums() const {
    std::size_t level = made_.levels.size();
    for (const PlacedMemory& placed : memories_) {
      const auto& operands = made_.levels[placed.level].memory->operands;
      if (std::find(operands.begin(), operands.end(), "O") != operands.end()) level = placed.level;
    }
    return level;
  }

  /// A value for each unit inside, in whole accesses. Much wider ports would make fractions of an access of
  /// small tensors, and accesses are counted whole.
  std::int64_t free_bits(std::size_t level, const StackMemory& memory) const {
    std::int64_t widest = widest_value(memory.operands);
    if (level == level_of_sums())
      for (const AccelForgeProduct& product : workload_.products)
        widest = std::max(widest, product.einsum.output.sum_bits.value_or(1));
    double bits = static_cast<double>(widest);
    for (std::size_t i = level; i < made_.levels.size(); ++i)
      if (made_.levels[i].fanout) bits *= static_cast<double>(made_.levels[i].fanout->count);
    const double accesses =
        std::ceil(std::min(bits, double{widest_port}) / static_cast<double>(memory.access_bits));
    return static_cast<std::int64_t>(accesses) * memory.access_bits;
  }

  /// Costs and ports, which need the clock of the units.
  void finish(const PlacedMemory& placed, double clock) {
    const ComponentNode& node = placed.node;
    StackMemory& memory = *made_.levels[placed.level].memory;
    memory.read_cost = energy(node, "read");
    memory.write_cost = energy(node, "write");
    const bool modelled = core::is_open(memory.read_cost) || core::is_open(memory.write_cost);
    const double otherwise =
        placed.action_bits.value_or(modelled ? static_cast<double>(widest_value(memory.operands)) : 1);
    const double read_bits = node.action("read").bits.value_or(otherwise);
    const double write_bits = node.action("write").bits.value_or(otherwise);
    if (read_bits != write_bits || read_bits != std::floor(read_bits) || read_bits > widest_port) {
      problems_.error(
          node.mark,
          fmt::format("'{}' reads {} bits an action and writes {}", node.name, read_bits, write_bits),
          "the same whole number is expected");
      return;
    }
    memory.access_bits = static_cast<std::int64_t>(read_bits);
    const auto reads = node.throughput("read"), writes = node.throughput("write");
    if (!reads || !writes)
      problems_.warning(node.mark,
                        fmt::format("nobody says the throughput of '{}': it moves a value for each unit "
                                    "inside of it in a cycle",
                                    node.name),
                        "an action with 'throughput' says it");
    if (!reads || !writes || (*reads == infinite && *writes == infinite)) {
      memory.free_bits = free_bits(placed.level, memory);
      return;
    }
    if (clock == infinite) {
      problems_.error(node.mark,
                      fmt::format("'{}' has a throughput, and nothing says how long a cycle is", node.name),
                      fmt::format("a throughput of '{}' is expected", units_->name));
      return;
    }
    memory.shared_port = node.latency.shared;
    if (memory.shared_port && *reads != *writes) {
      problems_.error(
          node.mark,
          fmt::format("'{}' reads at {} and writes at {}, one after the other", node.name, *reads, *writes),
          "the same throughput, or a 'total_latency' with max, is expected");
      return;
    }
    memory.read_bits = bits_a_cycle(*reads, memory.access_bits, clock);
    memory.write_bits = bits_a_cycle(*writes, memory.access_bits, clock);
  }

  static std::int64_t bits_a_cycle(double actions, std::int64_t bits, double clock) {
    const double made = actions * static_cast<double>(bits) / clock;
    return std::max<std::int64_t>(1, made < widest_port ? std::llround(made) : std::int64_t{widest_port});
  }

  static constexpr std::int64_t widest_port = std::int64_t{1} << 40;

  const core::yaml::Node& root_;
  std::string path_;
  AccelForgeWorkload& workload_;
  core::Diagnostics& problems_;
  std::map<std::string, double> variables_;
  std::vector<std::pair<std::string, NamedSets::Set>> kept_;  // by memories further out
  NamedSets::Set above_ = 0;
  std::map<std::int64_t, std::int64_t> sum_bits_;  // by Einsum: of the innermost memory of results so far
  std::vector<PlacedMemory> memories_;
  std::optional<ComponentNode> units_;
  int dimensions_ = 0;
  LevelStack made_;
};

}  // namespace

LevelStack read_accelforge_architecture(const std::string& path, const TemplateValues& values,
                                        AccelForgeWorkload& workload, core::Diagnostics& diagnostics,
                                        const core::Files& files) {
  const core::yaml::Node root = read_tagged_template(path, values, diagnostics, files);
  core::Diagnostics problems;
  LevelStack made = AccelForgeReader(root, path, workload, problems).read();
  core::yaml::hand_over(problems, diagnostics);
  return made;
}

}  // namespace zz::plugins
