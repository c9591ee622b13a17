#include "plugins/transformer/step_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/text.hpp"
#include "core/workload/element_nest.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/layer_check.hpp"
#include "core/workload/layer_precision.hpp"

namespace zz::plugins {
namespace {

/// "[b][h][d][c]"
std::string brackets(const std::vector<std::string>& dimensions) {
  std::string text;
  for (const std::string& dimension : dimensions) text += "[" + core::lower_case(dimension) + "]";
  return text;
}

constexpr const char* band_dimension = "T";

core::DimensionRelation band_relation(const MatrixProduct& product) {
  core::DimensionRelation relation;
  relation.data = band_dimension;
  relation.output_loop = "D";
  relation.filter_loop = product.band;
  relation.size = product.band_tokens;
  const std::int64_t width = product.band == "K" ? product.columns : product.summed;
  relation.padding_low = product.rows + width - 1 - product.band_tokens;
  relation.has_padding = relation.padding_low > 0;
  return relation;
}

/// The layer of a product with its loops, equation and operands, without name, bits and sources.
core::Layer product_layer(const MatrixProduct& product) {
  core::Layer layer;
  layer.type = "MatMul";
  layer.loops = {{"C", product.summed}, {"D", product.rows}, {"K", product.columns}};
  std::vector<std::string> all, of_weights;
  for (const MatrixProduct::Axis& axis : product.batch) {
    layer.loops.push_back({axis.name, axis.size});
    all.emplace_back(axis.name);
    if (axis.of_weights) of_weights.emplace_back(axis.name);
  }
  const auto with = [](std::vector<std::string> names, const std::string& rows,
                       const std::string& columns) {
    names.push_back(rows);
    names.push_back(columns);
    return names;
  };
  const auto weight_axis = [&](const char* name) { return name == product.band ? band_dimension : name; };
  layer.operands = {{"O", with(all, "D", "K"), 0, false, {}},
                    {"I", with(all, "D", "C"), 0, false, {}},
                    {"W", with(of_weights, weight_axis("C"), weight_axis("K")), 0, false, {}}};
  if (!product.band.empty()) layer.relations = {band_relation(product)};
  layer.equation = "O" + brackets(layer.operands[0].dimensions) + " = I" +
                   brackets(layer.operands[1].dimensions) + " * W" + brackets(layer.operands[2].dimensions);
  return layer;
}

}  // namespace

double expected_experts(std::int64_t count, std::int64_t chosen, std::int64_t tokens) {
  const auto all = static_cast<double>(count);
  const double passed_over = 1 - static_cast<double>(chosen) / all;  // one expert by one token
  return all * (1 - std::pow(passed_over, static_cast<double>(tokens)));
}

ExpertLoad expert_load(std::int64_t count, std::int64_t chosen, std::int64_t tokens, std::int64_t needed) {
  // Rounding cannot leave the range of what is possible.
  const auto expected = static_cast<std::int64_t>(std::llround(expected_experts(count, chosen, tokens)));
  const std::int64_t experts = std::clamp(needed > 0 ? needed : expected, chosen, count);
  const std::int64_t pairs = tokens * chosen;
  return {experts, pairs / experts, pairs % experts};
}

namespace {

constexpr double first_uncounted = 9007199254740992.0;  // 2^53: doubles count no further one by one

double product_of(std::initializer_list<std::int64_t> factors) {
  double product = 1;
  for (const std::int64_t factor : factors) product *= static_cast<double>(factor);
  return product;
}

}  // namespace

void StepBuilder::build(const std::vector<std::int64_t>& blocks) {
  Id flow = pass("embedding", "gather", {}, product_of({step_.batch, step_.tokens, decoder_.width}));
  if (decoder_.learned_positions > 0)
    flow = only_as_layer("position/add", "add", flow, tokens_of(decoder_.width), Second::tensor,
                         bits_.activation);
  for (const std::int64_t block : blocks) {
    block_ = block;
    const bool experts = decoder_.blocks[static_cast<std::size_t>(block)].experts;
    const bool norms_after = decoder_.block_norms > 2;
    const auto norm = [&](const char* role, Id input) {
      return work_on(role, "norm", {input}, tokens_of(decoder_.width), Second::scale);
    };
    const Id normal = norm("attention/norm", flow);
    Id attended = attention(normal);
    if (norms_after) attended = norm("attention/norm_after", attended);
    const auto add = [&](const char* role, std::vector<Id> sources) {
      return work_on(role, "add", sources, tokens_of(decoder_.width), Second::tensor);
    };
    // A sum of three tensors is one node, but two layers.
    const bool adds_three = decoder_.parallel && !step_.vector_layers;
    const Id between = adds_three ? attended : add("attention/add", {flow, attended});
    Id input = normal;
    if (!decoder_.parallel || decoder_.block_norms > 1)
      input = norm("mlp/norm", decoder_.parallel ? flow : between);
    Id fed = experts ? mixture(input) : feed_forward("mlp", input, decoder_.feed_forward);
    if (norms_after) fed = norm("mlp/norm_after", fed);
    std::vector<Id> sources = {between, fed};
    if (adds_three) sources.push_back(flow);
    flow = add("mlp/add", sources);
  }
  block_ = -1;
  const std::int64_t rows = step_.last_logits ? 1 : step_.tokens;
  flow = work_on("norm", "norm", {flow}, tokens_of(decoder_.width), Second::scale);
  project("head", flow, decoder_.width, decoder_.vocabulary, plain_widths(), rows);
}

StepBuilder::Id StepBuilder::attention(Id input) {
  const Attention& part = decoder_.attention;
  const Id context = part.latent ? latent_attention(input) : plain_attention(input);
  return project("attention/output", context, part.heads * part.value_width, decoder_.width);
}

StepBuilder::Id StepBuilder::plain_attention(Id input) {
  const Attention& part = decoder_.attention;
  const std::int64_t queries = part.heads * part.key_width;
  const std::int64_t keys = part.cached_heads * part.key_width;
  const std::int64_t values = part.cached_heads * part.value_width;
  Id query = 0, key = 0, value = 0;
  if (part.fused) {
    query = key = value =
        project("attention/query_key_value", input, decoder_.width, queries + keys + values);
  } else {
    const Widths cached = {bits_.activation, bits_.weight, bits_.cache};
    query = project("attention/query", input, decoder_.width, queries);
    key = project("attention/key", input, decoder_.width, keys, cached, step_.tokens);
    value = project("attention/value", input, decoder_.width, values, cached, step_.tokens);
  }
  if (part.head_norms) {
    query = only_as_layer("attention/query_norm", "norm", query, tokens_of(queries), Second::nothing,
                          bits_.activation);
    key = only_as_layer("attention/key_norm", "norm", key, tokens_of(keys), Second::nothing, bits_.cache);
  }
  if (decoder_.learned_positions == 0) {
    query = only_as_layer("attention/query_rotary", "rotary", query, tokens_of(queries), Second::nothing,
                          bits_.activation);
    key =
        only_as_layer("attention/key_rotary", "rotary", key, tokens_of(keys), Second::nothing, bits_.cache);
  }
  key = with_past("attention/key_cache", key);
  value = with_past("attention/value_cache", value);
  return attend(
      {part.cached_heads, part.heads / part.cached_heads, part.key_width, part.value_width, bits_.cache},
      query, key, value);
}

StepBuilder::Id StepBuilder::latent_attention(Id input) {
  const Attention& part = decoder_.attention;
  const LatentAttention& latent = *part.latent;
  Id query = input;
  std::int64_t rank = decoder_.width;
  if (latent.query_rank > 0) {
    query = project("attention/query_down", input, decoder_.width, latent.query_rank);
    rank = latent.query_rank;
    query = only_as_layer("attention/query_norm", "norm", query, tokens_of(rank), Second::scale,
                          bits_.activation);
  }
  query = project("attention/query", query, rank, part.heads * part.key_width);
  query = only_as_layer("attention/query_rotary", "rotary", query,
                        tokens_of(part.heads * latent.rotary_width), Second::nothing, bits_.activation);
  const std::int64_t width = latent.cached_rank + latent.rotary_width;
  Id made = project("attention/cached", input, decoder_.width, width,
                    {bits_.activation, bits_.weight, bits_.cache}, step_.tokens);
  made = only_as_layer("attention/cached_norm", "norm", made, tokens_of(latent.cached_rank), Second::scale,
                       bits_.cache);
  made = only_as_layer("attention/key_rotary", "rotary", made, tokens_of(latent.rotary_width),
                       Second::nothing, bits_.cache);
  const Id cached = with_past("attention/cache", made);
  return step_.absorbed ? absorbed_attention(query, cached) : expanded_attention(query, cached);
}

StepBuilder::Id StepBuilder::expanded_attention(Id query, Id cached) {
  const Attention& part = decoder_.attention;
  const LatentAttention& latent = *part.latent;
  const Id made = project("attention/key_value", cached, latent.cached_rank,
                          part.heads * (latent.plain_width + part.value_width),
                          {bits_.cache, bits_.weight, bits_.activation}, step_.context);
  return attend({part.heads, 1, part.key_width, part.value_width, bits_.activation}, query, made, made);
}

StepBuilder::Id StepBuilder::absorbed_attention(Id query, Id cached) {
  const Attention& part = decoder_.attention;
  const LatentAttention& latent = *part.latent;
  MatrixProduct of_heads;
  of_heads.batch = {{"B", step_.batch, false}, {"H", part.heads, true}};
  of_heads.rows = step_.tokens;
  of_heads.summed = latent.plain_width;
  of_heads.columns = latent.cached_rank;
  const Id absorbed = multiply("attention/query_absorbed", of_heads, plain_widths(), {query}, {});
  const Id context =
      attend({1, part.heads, latent.cached_rank + latent.rotary_width, latent.cached_rank, bits_.cache},
             absorbed, cached, cached);
  of_heads.summed = latent.cached_rank;
  of_heads.columns = part.value_width;
  return multiply("attention/value", of_heads, plain_widths(), {context}, {});
}

/// The axes, and the rows as far as they do not depend on a window.
MatrixProduct StepBuilder::over_tokens(const Heads& heads) const {
  const std::int64_t window = decoder_.blocks[static_cast<std::size_t>(block_)].window;
  MatrixProduct product;
  product.batch = {{"B", step_.batch}, {"H", heads.heads}};
  product.rows = heads.queries * step_.tokens;
  if (window == 0 || window >= step_.context || step_.tokens == 1) return product;
  // Row by row the window moves on by a token.
  product.rows = step_.tokens;
  product.batch.push_back({"G", heads.queries, false});
  product.band_tokens = std::min(step_.context, step_.tokens + window - 1);
  return product;
}

StepBuilder::Id StepBuilder::attend(const Heads& heads, Id query, Id key, Id value) {
  const std::int64_t window = decoder_.blocks[static_cast<std::size_t>(block_)].window;
  const std::int64_t seen = window == 0 ? step_.context : std::min(window, step_.context);
  MatrixProduct scores = over_tokens(heads);
  MatrixProduct context = scores;
  const bool banded = scores.band_tokens > 0;
  scores.summed = heads.key_width;
  scores.columns = seen;
  context.summed = seen;
  context.columns = heads.value_width;
  if (banded) {
    scores.band = "K";
    context.band = "C";
  }
  const Widths widths = {bits_.activation, heads.cache, bits_.activation};
  const Id scored = multiply("attention/scores", scores, widths, {query}, {key});
  const Id weights = work_on("attention/softmax", "softmax", {scored},
                             {step_.batch, heads.heads * heads.queries, step_.tokens, seen});
  return multiply("attention/context", context, widths, {weights}, {value});
}

StepBuilder::Id StepBuilder::with_past(const std::string& role, Id made) {
  if (step_.tokens == step_.context) return made;
  // The cache stays where it is: only what is made is written, by the layer that makes it.
  return pass(role, "concat", {made}, 0);
}

StepBuilder::Id StepBuilder::feed_forward(const std::string& role, Id input, const FeedForward& part) {
  std::vector<Id> made;
  if (part.fused) {
    made = {project(role + "/gate_up", input, decoder_.width, 2 * part.width)};
  } else {
    if (part.gated) made.push_back(project(role + "/gate", input, decoder_.width, part.width));
    made.push_back(project(role + "/up", input, decoder_.width, part.width));
  }
  const Id active = activate(role + "/activation", made, tokens_of(part.width), part.gated);
  return project(role + "/down", active, part.width, decoder_.width);
}

StepBuilder::Id StepBuilder::mixture(Id input) {
  const Experts& experts = decoder_.experts;
  const std::int64_t tokens = step_.batch * step_.tokens;
  const Id router = project("moe/router", input, decoder_.width, experts.count);
  // It also refuses numbers that are too large for the load.
  const Id chances = only_as_layer("moe/softmax", "softmax", router, {tokens, experts.count},
                                   Second::nothing, bits_.activation);
  const Id chosen = pass("moe/choice", "topk", {chances, input}, product_of({tokens, experts.chosen}));
  const ExpertLoad load = expert_load(experts.count, experts.chosen, tokens, step_.experts);
  std::vector<Id> added = {
      expert_group("moe/experts", chosen, load.experts - load.with_one_more, load.tokens)};
  if (load.with_one_more > 0)
    added.push_back(expert_group("moe/fuller_experts", chosen, load.with_one_more, load.tokens + 1));
  if (experts.shared_width > 0)
    added.push_back(feed_forward("moe/shared", input, {experts.shared_width, true, false, false}));
  if (experts.shared_gate) added.push_back(project("moe/shared/weight", input, decoder_.width, 1));
  return add_up("moe/add", added, experts.chosen + (experts.shared_width > 0 ? 1 : 0));
}

StepBuilder::Id StepBuilder::expert_group(const std::string& role, Id input, std::int64_t experts,
                                          std::int64_t tokens) {
  const std::int64_t width = decoder_.experts.width;
  MatrixProduct product;
  product.batch = {{"E", experts}};
  product.rows = tokens;
  product.summed = decoder_.width;
  product.columns = width;
  const Id gate = multiply(role + "/gate", product, plain_widths(), {input}, {});
  const Id up = multiply(role + "/up", product, plain_widths(), {input}, {});
  const Id active = activate(role + "/activation", {gate, up}, {experts, tokens, width}, true);
  std::swap(product.summed, product.columns);
  return multiply(role + "/down", product, plain_widths(), {active}, {});
}

StepBuilder::Id StepBuilder::project(const std::string& role, Id input, std::int64_t summed,
                                     std::int64_t columns) {
  return project(role, input, summed, columns, plain_widths(), step_.tokens);
}

StepBuilder::Id StepBuilder::project(const std::string& role, Id input, std::int64_t summed,
                                     std::int64_t columns, const Widths& widths, std::int64_t rows) {
  MatrixProduct product;
  product.batch = {{"B", step_.batch, false}};
  product.rows = rows;
  product.summed = summed;
  product.columns = columns;
  return multiply(role, product, widths, {input}, {});
}

namespace {

void assume(core::Layer& layer, std::initializer_list<std::pair<const char*, ElementBits>> operands) {
  for (const auto& [operand, bits] : operands) {
    if (bits.assumed) layer.assumed_precision.emplace_back(operand);
    if (bits.scale_assumed) core::assume_scale(layer, operand);
  }
}

}  // namespace

StepBuilder::Id StepBuilder::multiply(const std::string& role, const MatrixProduct& product,
                                      const Widths& widths, const std::vector<Id>& inputs,
                                      const std::vector<Id>& weights) {
  auto layer = std::make_shared<core::Layer>(product_layer(product));
  const auto give = [&](core::LayerOperand& operand, const ElementBits& bits) {
    operand.precision = bits.bits;
    operand.scale = bits.scale;
  };
  give(layer->operands[0], bits_.partial_sum);
  give(layer->operands[1], widths.input);
  give(layer->operands[2], widths.weight);
  layer->final_output_precision = widths.output.bits;
  layer->final_output_scale = widths.output.scale;
  assume(*layer,
         {{"O", bits_.partial_sum}, {"W", widths.weight}, {"I", widths.input}, {"O_final", widths.output}});
  return add_layer(std::move(layer), role, inputs, weights);
}

/// Gives a layer with its operands O, I, W its name and its place in the network.
StepBuilder::Id StepBuilder::add_layer(std::shared_ptr<core::Layer> layer, const std::string& role,
                                       const std::vector<Id>& inputs, const std::vector<Id>& weights) {
  layer->id = next_++;
  layer->name = name_of(role);
  layer->operands[1].sources = inputs;
  layer->operands[2].sources = weights;
  layer->operands[2].constant = weights.empty();
  layer->source_order = {2, 1};
  connect(layer->id, inputs);
  connect(layer->id, weights);
  if (const std::string problem = core::count_problem(*layer); !problem.empty())
    throw core::InputError(fmt::format("the layer '{}' {}", layer->name, problem));
  layers.push_back({layer, block_, role});
  return layer->id;
}

StepBuilder::Id StepBuilder::work_on(const std::string& role, const char* type,
                                     const std::vector<Id>& sources, const Shape& shape, Second second,
                                     ElementBits bits) {
  if (!step_.vector_layers) {
    double elements = 1;
    for (const std::int64_t length : shape) elements *= static_cast<double>(length);
    return pass(role, type, sources, elements);
  }
  auto layer = std::make_shared<core::Layer>();
  layer->type = type;
  const core::ElementNest nest = core::element_nest(shape);
  layer->loops = nest.loops();
  core::ElementOperand other{nest.names, 0};
  if (second != Second::nothing) other.bits = bits.bits;
  if (second == Second::scale) other.dimensions = {nest.names.back()};
  core::set_element_work(*layer, {nest.names, bits.bits}, {nest.names, bits.bits}, other);
  for (core::LayerOperand& operand : layer->operands)
    if (operand.precision > 0) operand.scale = bits.scale;
  layer->final_output_scale = bits.scale;
  assume(*layer, {{"O", bits}, {"W", bits}, {"I", bits}, {"O_final", bits}});
  const bool reads_two = second == Second::tensor && sources.size() > 1;
  std::vector<Id> inputs = sources, weights;
  if (reads_two) {
    weights.assign(sources.begin() + 1, sources.end());
    inputs.resize(1);
  }
  return add_layer(std::move(layer), role, inputs, weights);
}

/// An activation, and where `gated` its product with the second source, or with the other half of the only
/// one.
StepBuilder::Id StepBuilder::activate(const std::string& role, const std::vector<Id>& sources,
                                      const Shape& shape, bool gated) {
  if (!step_.vector_layers || !gated) return work_on(role, "activation", sources, shape);
  const Id active = work_on(role, "activation", {sources.front()}, shape);
  return work_on(role + "/product", "mul", {active, sources.back()}, shape, Second::tensor);
}

StepBuilder::Id StepBuilder::add_up(const std::string& role, const std::vector<Id>& sources,
                                    std::int64_t terms) {
  const Shape shape = tokens_of(decoder_.width);
  if (!step_.vector_layers) return work_on(role, "add", sources, shape);
  auto layer = std::make_shared<core::Layer>();
  layer->type = "add";
  // Sizes are checked with the layer; rows of all tokens are one loop, as those of reductions are.
  layer->loops = {{"K", shape[0] * shape[1] * shape[2]}, {"C", terms}};
  const ElementBits& bits = bits_.activation;
  core::set_element_work(*layer, {{"K"}, bits.bits}, {{"K", "C"}, bits.bits}, {{"K", "C"}, 0});
  layer->operands[0].scale = layer->operands[1].scale = layer->final_output_scale = bits.scale;
  assume(*layer, {{"O", bits}, {"I", bits}, {"O_final", bits}});
  return add_layer(std::move(layer), role, sources, {});
}

StepBuilder::Id StepBuilder::pass(const std::string& role, const char* type, const std::vector<Id>& sources,
                                  double elements) {
  core::PassThroughNode node;
  node.id = next_++;
  node.name = name_of(role);
  if (elements >= first_uncounted) {
    throw core::InputError(
        fmt::format("the operator '{}' writes {:.3g} elements, which is more than can be "
                    "counted exactly",
                    node.name, elements));
  }
  node.type = type;
  node.sources = sources;
  node.output_elements = static_cast<std::int64_t>(elements);
  connect(node.id, sources);
  workload.pass_through.push_back(std::move(node));
  return workload.pass_through.back().id;
}

std::string StepBuilder::name_of(const std::string& role) const {
  return block_ < 0 ? role : fmt::format("block{}/{}", block_, role);
}

void StepBuilder::connect(Id node, const std::vector<Id>& sources) {
  if (workload.node_order.empty() || workload.node_order.back() != node)
    workload.node_order.push_back(node);
  for (const Id source : sources) {
    const std::pair<Id, Id> edge{source, node};
    // The edges of a node follow each other.
    const auto of_node = std::find_if(workload.edges.rbegin(), workload.edges.rend(),
                                      [&](const auto& known) { return known.second != node; });
    if (std::find(of_node.base(), workload.edges.end(), edge) == workload.edges.end())
      workload.edges.push_back(edge);
  }
}

}  // namespace zz::plugins
