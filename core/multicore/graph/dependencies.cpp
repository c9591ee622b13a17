#include "core/multicore/graph/dependencies.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/multicore/graph/detail/box_dependencies.hpp"
#include "core/multicore/graph/detail/element_dependencies.hpp"
#include "core/multicore/graph/detail/network_paths.hpp"

namespace zz::core {
namespace {

// A second or two. docs/limits.md names it.
constexpr std::int64_t most_followed_elements = 1'000'000'000;

class Connector {
 public:
  Connector(ComputationNodeGraph& graph, const NetworkPaths& network, const Rules& rules,
            Diagnostics& problems, std::vector<std::string>& warnings)
      : graph_(graph),
        network_(network),
        rules_(rules),
        problems_(problems),
        warnings_(warnings),
        elements_(graph, network, rules, warnings),
        list_(graph, rules.addition_operands_mixed) {}

  void connect_by_data(const std::vector<LayerPath>& paths) {
    for (const LayerPath& path : paths) attempt([&] { connect(path); });
    if (unfollowed_ > 0)
      warnings_.push_back(
          fmt::format("{} connections of layers are not followed element by element, the first "
                      "from {}: nodes wait for whole layers",
                      unfollowed_, first_unfollowed_));
  }

  /// A pair is connected by boxes when a shortest path keeps the shape of the data.
  void connect_as_stream() {
    const std::vector<LayerPath> paths = network_.paths(rules_, warnings_);
    for (const ConnectedLayers& pair : network_.connected_layers()) {
      std::vector<const LayerPath*> between;
      for (const LayerPath& path : paths)
        if (path.producer == pair.producer && path.consumer == pair.consumer) between.push_back(&path);
      const auto shortest = std::min_element(
          between.begin(), between.end(),
          [](const LayerPath* a, const LayerPath* b) { return a->through.size() < b->through.size(); });
      attempt([&] {
        if (shortest == between.end() || !network_.changes_shape(**shortest)) {
          for (const int operand : network_.operands_taken_as_fed(pair))
            add_box_dependencies(graph_, {pair.producer, pair.consumer, operand, false}, rules_, list_);
        } else {
          for (const LayerPath* path : between) elements_.add(*path, list_);
        }
      });
    }
  }

 private:
  template <class Attempt>
  void attempt(Attempt connect) {
    try {
      connect();
    } catch (const InputError& problem) {
      for (const Diagnostic& part : problem.diagnostics())
        problems_.error(part.mark, part.message, part.hint);
    }
  }

  void connect(const LayerPath& path) {
    if (path.any_element || network_.changes_shape(path)) {
      follow(path);
      return;
    }
    const CutLayer& producer = graph_.layers[path.producer];
    const CutLayer& consumer = graph_.layers[path.consumer];
    const std::vector<PieceIntervals> written = data_intervals(producer, 0, rules_);
    const std::vector<PieceIntervals> read = data_intervals(consumer, path.operand, rules_);
    const bool resized = maybe_resized(path, written);
    const bool other_axes = elements_of(written) == elements_of(read) && !same_extents(written, read);
    if (written.size() == read.size() && !other_axes) {
      tell_about_sizes(path, written, read, resized);
      add_box_dependencies(graph_, {path.producer, path.consumer, path.operand, resized}, rules_, list_);
    } else if (elements_of(written) == elements_of(read)) {
      // The same data, row by row, under other axes: what a reshape would say.
      follow(path);
    } else if (resized) {
      warnings_.push_back(between(path) +
                          " change the shape in a way unknown: every node of the second waits "
                          "for all of the first");
      connect_everything(path);
    } else {
      leave_unfollowed(path, "their data have different numbers of axes and elements");
    }
  }

  /// Element by element where that is possible.
  void follow(const LayerPath& path) {
    if (path.any_element) return leave_unfollowed(path, "");
    const std::int64_t work = elements_.work_of(path);
    if (work > most_followed_elements - followed_)
      return leave_unfollowed(path, fmt::format("more than {} elements of the network would be looked at",
                                                most_followed_elements));
    followed_ += work;
    try {
      elements_.add(path, list_);
    } catch (const InputError& problem) {
      leave_unfollowed(path, problem.diagnostics().front().message);
    }
  }

  void leave_unfollowed(const LayerPath& path, const std::string& reason) {
    const bool single =
        graph_.layers[path.producer].node_count == 1 && graph_.layers[path.consumer].node_count == 1;
    if (!single && ++unfollowed_ == 1)
      first_unfollowed_ = fmt::format("{} to {}{}", layer_title(*graph_.layers[path.producer].layer),
                                      data_of(path), reason.empty() ? "" : " (" + reason + ")");
    connect_everything(path);
  }

  static bool same_extents(const std::vector<PieceIntervals>& a, const std::vector<PieceIntervals>& b) {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(),
        [](const PieceIntervals& x, const PieceIntervals& y) { return x.extent == y.extent; });
  }

  static std::int64_t elements_of(const std::vector<PieceIntervals>& axes) {
    std::int64_t elements = 1;
    for (const PieceIntervals& axis : axes) elements *= axis.extent;
    return elements;
  }

  /// "operand W of layer 3 'scores'"
  std::string data_of(const LayerPath& path) const {
    const Layer& consumer = *graph_.layers[path.consumer].layer;
    return fmt::format("operand {} of {}", consumer.operands[static_cast<std::size_t>(path.operand)].name,
                       layer_title(consumer));
  }

  std::string between(const LayerPath& path) const {
    std::string names;
    for (const std::int64_t id : path.through) {
      const PassThroughNode& node = *network_.pass_through(id);
      names += fmt::format("{}{} '{}'", names.empty() ? "" : ", ", node.type, node.name);
    }
    return fmt::format("operators between {} and {} ({})", layer_title(*graph_.layers[path.producer].layer),
                       layer_title(*graph_.layers[path.consumer].layer), names);
  }

  /// Some operator on the way is known to write another number of elements than reach it.
  bool maybe_resized(const LayerPath& path, const std::vector<PieceIntervals>& written) const {
    return std::any_of(path.through.begin(), path.through.end(), [&](std::int64_t id) {
      const std::int64_t elements = network_.pass_through(id)->output_elements;
      return elements != 0 && elements != elements_of(written);
    });
  }

  void tell_about_sizes(const LayerPath& path, const std::vector<PieceIntervals>& written,
                        const std::vector<PieceIntervals>& read, bool resized) {
    for (std::size_t axis = 0; axis < read.size(); ++axis) {
      if (read[axis].extent <= written[axis].extent || written[axis].extent == 1) continue;
      const Layer& consumer = *graph_.layers[path.consumer].layer;
      warnings_.push_back(fmt::format(
          "{} reads {} elements along {} of {}, of which {} writes {}{}", layer_title(consumer),
          read[axis].extent, consumer.operands[path.operand].dimensions[axis],
          consumer.operands[path.operand].name, layer_title(*graph_.layers[path.producer].layer),
          written[axis].extent,
          resized ? ": every node along it waits for all" : "; the others are taken as constant"));
    }
  }

  void connect_everything(const LayerPath& path) {
    const CutLayer& producer = graph_.layers[path.producer];
    const CutLayer& consumer = graph_.layers[path.consumer];
    const std::vector<bool> finishing = finishing_nodes(producer, producer.loop_sizes);
    list_.expect(std::count(finishing.begin(), finishing.end(), true) * consumer.node_count);
    list_.begin(path.producer, path.consumer, path.operand);
    for (int p = 0; p < producer.node_count; ++p) {
      end_if_interrupted();
      if (!finishing[p]) continue;
      const int from = producer.first_node + p;
      for (int c = 0; c < consumer.node_count; ++c)
        list_.add(from, consumer.first_node + c, graph_.nodes[from].produced_bits);
    }
  }

  ComputationNodeGraph& graph_;
  const NetworkPaths& network_;
  const Rules& rules_;
  Diagnostics& problems_;
  std::vector<std::string>& warnings_;
  ElementDependencies elements_;
  DependencyList list_;
  int unfollowed_ = 0;
  std::int64_t followed_ = 0;  // elements that were looked at
  std::string first_unfollowed_;
};

/// A graph of the layers alone, by ascending id.
ComputationNodeGraph layers_only(const Workload& workload) {
  ComputationNodeGraph graph;
  for (const auto& layer : workload.layers) graph.layers.emplace_back().layer = layer;
  std::sort(graph.layers.begin(), graph.layers.end(),
            [](const CutLayer& a, const CutLayer& b) { return a.layer->id < b.layer->id; });
  return graph;
}

}  // namespace

void connect_layers(const Workload& workload, ComputationNodeGraph& graph, const Rules& rules,
                    Diagnostics& problems, std::vector<std::string>& warnings) {
  const NetworkPaths network(workload, graph);
  Connector connector(graph, network, rules, problems, warnings);
  if (rules.addition_operands_mixed)
    connector.connect_as_stream();
  else
    connector.connect_by_data(network.paths(rules, warnings));
}

struct LayerPairs::Paths {
  explicit Paths(const Workload& workload) : layers(layers_only(workload)), network(workload, layers) {}

  ComputationNodeGraph layers;
  NetworkPaths network;
  std::vector<std::vector<LayerPath>> of_pair;  ///< between layers 0 and 1
};

LayerPairs::LayerPairs(const Workload& workload) {
  auto paths = std::make_unique<Paths>(workload);
  std::vector<std::string> told_with_the_graph;
  for (LayerPath& path : paths->network.paths(Rules{}, told_with_the_graph)) {
    const Pair pair{path.producer, path.consumer};
    if (pairs_.empty() || pairs_.back().producer != pair.producer ||
        pairs_.back().consumer != pair.consumer) {
      pairs_.push_back(pair);
      paths->of_pair.emplace_back();
    }
    path.producer = 0;
    path.consumer = 1;
    paths->of_pair.back().push_back(std::move(path));
  }
  paths_ = std::move(paths);
}

LayerPairs::~LayerPairs() = default;

LayerPairs::LayerPairs(LayerPairs&&) noexcept = default;

void LayerPairs::connect(int pair, ComputationNodeGraph& both) const {
  Diagnostics problems;
  std::vector<std::string> told_with_the_graph;
  Connector(both, paths_->network, Rules{}, problems, told_with_the_graph)
      .connect_by_data(paths_->of_pair[pair]);
  problems.throw_if_errors();
}

}  // namespace zz::core
