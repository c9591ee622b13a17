#include <algorithm>
#include <fmt/format.h>

#include "core/input/onnx/detail/loop_nests.hpp"
#include "core/input/onnx/operators/operator.hpp"

// Attention operators of the standard (set 23) and of com.microsoft.
namespace zz::core::onnx_import {
namespace {

/// softmax(Q K^T) V (Vaswani et al., NeurIPS 2017). Several query heads may share the keys and values of
/// one head (Ainslie et al., EMNLP 2023).
struct Heads {
  std::int64_t batch = 1, query_heads = 1, key_heads = 1;
  std::int64_t queries = 1;                 ///< rows of Q
  std::int64_t past = 0;                    ///< keys of earlier steps
  std::int64_t keys = 1;                    ///< all keys
  std::int64_t width = 1, value_width = 1;  ///< of one head
  int key_input = -1, value_input = -1;     ///< where most keys and values are read
  int past_key = -1, past_value = -1;
};

std::int64_t of_one_head(std::int64_t length, std::int64_t heads, const char* what) {
  if (length == unknown_length) return unknown_length;
  if (heads < 1 || length % heads != 0)
    throw NodeProblem(fmt::format("its {} of {} cannot be divided by {} heads", what, length, heads));
  return length / heads;
}

std::int64_t added(std::int64_t a, std::int64_t b) {
  return a == unknown_length || b == unknown_length ? unknown_length : a + b;
}

void require_axes(const Shape& shape, std::size_t smallest, std::size_t largest, const char* what) {
  if (shape.size() < smallest || shape.size() > largest)
    throw NodeProblem(fmt::format(
        "its {} has {} axes, expected are {}", what, shape.size(),
        smallest == largest ? std::to_string(smallest) : fmt::format("{} to {}", smallest, largest)));
}

/// Length of a cache [batch, heads, keys, width] that an input holds; 0 without one.
std::int64_t cached_keys(const OperatorNode& node, std::size_t input) {
  if (!node.has_input(input)) return 0;
  if (node.shape(input) == nullptr) return unknown_length;
  require_axes(*node.shape(input), 4, 4, "cache");
  return (*node.shape(input))[2];
}

// Attention of operator set 23: Q, K, V, mask, past K, past V.
std::optional<Heads> standard_heads(const OperatorNode& node) {
  const Shape* const q = node.shape(0);
  const Shape* const k = node.shape(1);
  const Shape* const v = node.shape(2);
  if (q == nullptr || k == nullptr || v == nullptr) return std::nullopt;
  for (const Shape* each : {q, k, v}) require_axes(*each, 3, 4, "input");
  Heads heads;
  heads.batch = (*q)[0];
  if (q->size() == 4) {
    require_axes(*k, 4, 4, "key");
    require_axes(*v, 4, 4, "value");
    heads.query_heads = (*q)[1];
    heads.key_heads = (*k)[1];
    heads.queries = (*q)[2];
    heads.width = (*q)[3];
    heads.keys = (*k)[2];
    heads.value_width = (*v)[3];
  } else {
    require_axes(*k, 3, 3, "key");
    require_axes(*v, 3, 3, "value");
    heads.query_heads = node.attributes().required_integer("q_num_heads");
    heads.key_heads = node.attributes().required_integer("kv_num_heads");
    heads.queries = (*q)[1];
    heads.width = of_one_head((*q)[2], heads.query_heads, "width");
    heads.keys = (*k)[1];
    heads.value_width = of_one_head((*v)[2], heads.key_heads, "width of values");
  }
  heads.key_input = 1;
  heads.value_input = 2;
  heads.past_key = 4;
  heads.past_value = 5;
  heads.past = cached_keys(node, 4);
  heads.keys = added(heads.keys, heads.past);
  return heads;
}

// com.microsoft: input, weights of all projections, bias, mask, past (QAttention has it as input 8).
std::optional<Heads> projected_heads(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  const Shape* const weights = node.shape(1);
  if (input == nullptr || weights == nullptr) return std::nullopt;
  require_axes(*input, 3, 3, "input");
  require_axes(*weights, 2, 2, "weight");
  const std::int64_t third = (*weights)[1] == unknown_length ? unknown_length : (*weights)[1] / 3;
  const Shape sizes = node.attributes().integers("qkv_hidden_sizes").value_or(Shape{third, third, third});
  if (sizes.size() != 3) throw NodeProblem("the attribute 'qkv_hidden_sizes' has not three values");
  Heads heads;
  heads.batch = (*input)[0];
  heads.queries = heads.keys = (*input)[1];
  heads.query_heads = heads.key_heads = node.attributes().required_integer("num_heads");
  heads.width = of_one_head(sizes[0], heads.query_heads, "width");
  heads.value_width = of_one_head(sizes[2], heads.query_heads, "width of values");
  const std::size_t past = node.op_type() == "QAttention" ? 8 : 4;
  if (node.has_input(past)) {
    const Shape* const cache = node.shape(past);
    if (cache != nullptr) require_axes(*cache, 5, 5, "cache");
    heads.past = cache != nullptr ? (*cache)[3] : unknown_length;
    // A buffer for past and present has room for the new keys already.
    heads.keys = node.attributes().integer("past_present_share_buffer", 0) != 0
                     ? heads.past
                     : added(heads.keys, heads.past);
  }
  return heads;
}

// MultiHeadAttention: Q, K, V, which may be packed, bias, mask, bias of scores, past K, past V. Generation
// by ONNX Runtime makes DecoderMaskedMultiHeadAttention of it, which has no bias before the mask.
std::optional<Heads> multi_head_heads(const OperatorNode& node) {
  const Shape* const q = node.shape(0);
  if (q == nullptr || (node.has_input(1) && node.shape(1) == nullptr)) return std::nullopt;
  require_axes(*q, 3, 5, "query");
  Heads heads;
  heads.query_heads = heads.key_heads = node.attributes().required_integer("num_heads");
  heads.batch = (*q)[0];
  heads.queries = (*q)[1];
  heads.key_input = node.has_input(1) ? 1 : 0;
  heads.value_input = node.has_input(2) ? 2 : heads.key_input;
  if (q->size() == 5) {
    heads.keys = heads.queries;
    heads.width = heads.value_width = (*q)[4];
  } else {
    heads.width = of_one_head(q->back(), heads.query_heads, "width");
    const Shape& k = node.has_input(1) ? *node.shape(1) : *q;
    require_axes(k, 3, 5, "key");
    if (k.size() == 3) {
      heads.keys = k[1];
      const Shape* const v = node.shape(2);
      heads.value_width =
          v != nullptr ? of_one_head(v->back(), heads.query_heads, "width of values") : heads.width;
    } else if (k.size() == 4) {
      heads.keys = k[2];
      heads.value_width = node.shape(2) != nullptr ? node.shape(2)->back() : k[3];
    } else {
      heads.keys = k[1];
      heads.value_width = k[4];
    }
  }
  heads.past_key = node.op_type() == "MultiHeadAttention" ? 6 : 5;
  heads.past_value = heads.past_key + 1;
  heads.past = cached_keys(node, static_cast<std::size_t>(heads.past_key));
  heads.keys = added(heads.keys, heads.past);
  return heads;
}

// GroupQueryAttention: Q, K, V (K and V may be packed into Q), past K, past V, lengths, keys after the
// step. A cache that has room for these already keeps its length.
std::optional<Heads> group_query_heads(const OperatorNode& node) {
  const Shape* const q = node.shape(0);
  if (q == nullptr) return std::nullopt;
  require_axes(*q, 3, 3, "query");
  Heads heads;
  heads.query_heads = node.attributes().required_integer("num_heads");
  heads.key_heads = node.attributes().required_integer("kv_num_heads");
  heads.batch = (*q)[0];
  heads.queries = (*q)[1];
  const bool packed = !node.has_input(1);
  heads.width = heads.value_width =
      of_one_head((*q)[2], packed ? heads.query_heads + 2 * heads.key_heads : heads.query_heads, "width");
  heads.key_input = packed ? 0 : 1;
  heads.value_input = packed ? 0 : 2;
  heads.past_key = 3;
  heads.past_value = 4;
  heads.past = cached_keys(node, 3);
  heads.keys = added(heads.queries, heads.past);
  if (const auto* all_keys = node.integers(6);
      all_keys != nullptr && !all_keys->empty() && heads.past >= all_keys->front())
    heads.keys = heads.past;
  return heads;
}

using HeadsOf = std::optional<Heads> (*)(const OperatorNode&);

HeadsOf heads_reader(const OperatorNode& node) {
  if (node.op_type().find("MultiHeadAttention") != std::string::npos) return multi_head_heads;
  const bool grouped = node.op_type() == "GroupQueryAttention" || node.op_type() == "SparseAttention";
  return grouped ? group_query_heads : standard_heads;
}

// Attention on tokens without padding, those of all sequences behind each other: PackedAttention projects
// them, PackedMultiHeadAttention and PagedAttention have them projected. How long each sequence is, data
// tell; every query meets the keys of as many tokens as the longest may have.

std::int64_t length_of(const OperatorNode& node, std::size_t input, std::size_t axis) {
  const Shape* const shape = node.shape(input);
  return shape != nullptr && axis < shape->size() ? (*shape)[axis] : unknown_length;
}

/// Where the lengths of the sequences [sequences + 1] are, and what has an axis of the longest.
struct LengthInputs {
  std::size_t cumulative, longest;
};

LengthInputs length_inputs(const OperatorNode& node) {
  if (node.op_type() == "PackedAttention") return {4, 3};
  return node.op_type() == "PackedMultiHeadAttention" ? LengthInputs{5, 4} : LengthInputs{5, 7};
}

std::optional<Heads> packed_heads(const OperatorNode& node) {
  const Shape* const q = node.shape(0);
  if (q == nullptr) return std::nullopt;
  const LengthInputs lengths = length_inputs(node);
  Heads heads;
  heads.query_heads = heads.key_heads = node.attributes().required_integer("num_heads");
  const std::int64_t ends = length_of(node, lengths.cumulative, 0);
  const std::int64_t sequences = ends == unknown_length ? unknown_length : ends - 1;
  const std::int64_t tokens = (*q)[0];
  // Sequences of equal lengths have these products; of others there is no telling.
  const bool even = sequences >= 1 && tokens != unknown_length && tokens % sequences == 0;
  heads.batch = even ? sequences : 1;
  heads.queries = even ? tokens / sequences : tokens;
  heads.keys = length_of(node, lengths.longest, 1);
  if (node.op_type() == "PackedAttention") {
    const std::int64_t columns = length_of(node, 1, 1);
    const std::int64_t third = columns == unknown_length ? unknown_length : columns / 3;
    const Shape sizes = node.attributes().integers("qkv_hidden_sizes").value_or(Shape{third, third, third});
    if (sizes.size() != 3) throw NodeProblem("the attribute 'qkv_hidden_sizes' has not three values");
    heads.width = of_one_head(sizes[0], heads.query_heads, "width");
    heads.value_width = of_one_head(sizes[2], heads.query_heads, "width of values");
    return heads;
  }
  const bool all_in_one = !node.has_input(1);
  heads.key_input = all_in_one ? 0 : 1;
  heads.value_input = node.has_input(2) ? 2 : heads.key_input;
  if (node.op_type() == "PackedMultiHeadAttention") {
    require_axes(*q, 2, 4, "query");
    heads.width = q->size() == 4 ? q->back() : of_one_head(q->back(), heads.query_heads, "width");
    heads.value_width = node.has_input(2)
                            ? of_one_head(length_of(node, 2, 1), heads.query_heads, "width of values")
                            : heads.width;
    return heads;
  }
  require_axes(*q, 2, 2, "query");
  heads.key_heads = node.attributes().required_integer("kv_num_heads");
  heads.width = of_one_head(
      (*q)[1], all_in_one ? heads.query_heads + 2 * heads.key_heads : heads.query_heads, "width");
  const std::int64_t own = node.attributes().integer("v_head_size", 0);
  heads.value_width = own > 0 ? own : heads.width;
  const std::int64_t in_block = length_of(node, 3, 1);
  heads.keys =
      heads.keys == unknown_length || in_block == unknown_length ? unknown_length : heads.keys * in_block;
  heads.key_input = 3;
  heads.value_input = node.has_input(4) ? 4 : 3;
  return heads;
}

std::int64_t of_all_heads(std::int64_t a, std::int64_t b) {
  return a == unknown_length || b == unknown_length ? unknown_length : a * b;
}

void infer_attention(const OperatorNode& node) {
  const auto heads = heads_reader(node)(node);
  if (!heads) {
    for (std::size_t i = 0; i < node.output_count(); ++i) node.set(i, node.type(0), std::nullopt);
    return;
  }
  const bool by_heads = heads_reader(node) == standard_heads && node.shape(0)->size() == 4;
  node.set(0, node.type(0),
           by_heads
               ? Shape{heads->batch, heads->query_heads, heads->queries, heads->value_width}
               : Shape{heads->batch, heads->queries, of_all_heads(heads->query_heads, heads->value_width)});
  const auto cache_type = [&](int past, int input) {
    return node.has_input(static_cast<std::size_t>(past)) ? node.type(static_cast<std::size_t>(past))
                                                          : node.type(static_cast<std::size_t>(input));
  };
  node.set(1, cache_type(heads->past_key, heads->key_input),
           Shape{heads->batch, heads->key_heads, heads->keys, heads->width});
  node.set(2, cache_type(heads->past_value, heads->value_input),
           Shape{heads->batch, heads->key_heads, heads->keys, heads->value_width});
  node.set(3, node.type(0), Shape{heads->batch, heads->query_heads, heads->queries, heads->keys});
}

void infer_projected(const OperatorNode& node) {
  const auto heads = projected_heads(node);
  const ElementType type = node.op_type() == "QAttention" ? node.type(3) : node.type(0);
  if (!heads) {
    node.set(0, type, std::nullopt);
    return node.set(1, type, std::nullopt);
  }
  node.set(0, type,
           Shape{heads->batch, heads->queries, of_all_heads(heads->query_heads, heads->value_width)});
  node.set(1, type, Shape{2, heads->batch, heads->query_heads, heads->keys, heads->width});
}

void infer_on_tokens(const OperatorNode& node) {
  const auto heads = packed_heads(node);
  node.set(0, node.type(0),
           heads ? std::optional(
                       Shape{(*node.shape(0))[0], of_all_heads(heads->query_heads, heads->value_width)})
                 : std::nullopt);
  if (node.op_type() != "PagedAttention") return;
  for (const std::size_t cache : {3U, 4U})
    if (node.has_input(cache)) node.set(cache - 2, node.type(cache), node.shape_if_known(cache));
}

/// Scores and context. Keys and values have one loop less than queries where heads share them.
void add_attention(std::vector<Product>& products, const Heads& heads) {
  if (heads.key_heads < 1 || heads.query_heads % heads.key_heads != 0)
    throw NodeProblem(
        fmt::format("{} query heads cannot share {} heads of keys", heads.query_heads, heads.key_heads));
  const std::int64_t sharing = heads.query_heads / heads.key_heads;
  Shape queries{heads.batch, heads.key_heads}, keys{heads.batch, heads.key_heads};
  if (sharing > 1) {
    queries.push_back(sharing);
    keys.push_back(1);
  }
  const auto nest = [&](std::int64_t summed, std::int64_t columns) {
    return matrix_nest(queries, keys, heads.queries, summed, columns);
  };
  Product scores = nest(heads.width, heads.keys);
  scores.suffix = "/scores";
  scores.output = -1;
  Product context = nest(heads.keys, heads.value_width);
  context.suffix = "/context";
  context.input.product = static_cast<int>(products.size());
  products.push_back(std::move(scores));
  products.push_back(std::move(context));
}

std::vector<Product> attention_products(const OperatorNode& node) {
  for (std::size_t i = 0; i < 3; ++i)
    if (node.has_input(i)) node.full_shape(i);
  const Heads heads = *heads_reader(node)(node);
  for (const int past : {heads.past_key, heads.past_value})
    if (node.has_input(static_cast<std::size_t>(past))) node.full_shape(static_cast<std::size_t>(past));
  std::vector<Product> products;
  add_attention(products, heads);
  const auto connect = [&](ProductOperand& operand, int past, int input) {
    operand.input = input;
    if (heads.past == 0 || !node.has_input(static_cast<std::size_t>(past))) return;
    operand.input = past;
    operand.joined_input = input;
  };
  products[0].input.input = 0;
  connect(products[0].weight, heads.past_key, heads.key_input);
  connect(products[1].weight, heads.past_value, heads.value_input);
  return products;
}

/// All queries, keys and values at once.
Product projection_of(const Shape& input, const Shape& weights) {
  const Shape batch(input.begin(), input.end() - 2);
  Product projection = matrix_nest(batch, {}, input[input.size() - 2], input.back(), weights[1]);
  projection.suffix = "/projection";
  projection.input.input = 0;
  projection.weight.input = 1;
  projection.output = -1;
  return projection;
}

std::vector<Product> products_on_tokens(const OperatorNode& node) {
  const Shape& input = node.full_shape(0);
  const LengthInputs lengths = length_inputs(node);
  node.full_shape(lengths.longest);
  const Heads heads = *packed_heads(node);
  std::vector<Product> products;
  if (node.op_type() == "PackedAttention") products.push_back(projection_of(input, node.full_shape(1)));
  const bool projects = !products.empty();
  add_attention(products, heads);
  const std::size_t first = products.size() - 2;
  if (projects) {
    products[first].input.product = products[first].weight.product = products[first + 1].weight.product = 0;
    return products;
  }
  products[first].input.input = 0;
  products[first].weight.input = heads.key_input;
  products[first + 1].weight.input = heads.value_input;
  return products;
}

// LongformerAttention: each token meets the tokens of its window. Which tokens meet all others, data tell:
// their second projection is counted for all, and their scores are not.
std::vector<Product> windowed_products(const OperatorNode& node) {
  const Shape& input = node.full_shape(0);
  const Shape& weights = node.full_shape(1);
  require_axes(input, 3, 3, "input");
  require_axes(weights, 2, 2, "weight");
  Heads heads;
  heads.batch = input[0];
  heads.queries = input[1];
  heads.query_heads = heads.key_heads = node.attributes().required_integer("num_heads");
  heads.width = heads.value_width = of_one_head(input[2], heads.query_heads, "width");
  heads.keys = std::min(2 * node.attributes().required_integer("window") + 1, input[1]);
  std::vector<Product> products{projection_of(input, weights), projection_of(input, weights)};
  products[1].suffix = "/global_projection";
  products[1].weight.input = 4;
  add_attention(products, heads);
  products[2].input.product = products[2].weight.product = products[3].weight.product = 0;
  return products;
}

std::vector<Product> projected_products(const OperatorNode& node) {
  const Shape& input = node.full_shape(0);
  const Shape& weights = node.full_shape(1);
  const Heads heads = *projected_heads(node);
  const std::size_t past = node.op_type() == "QAttention" ? 8 : 4;
  if (node.has_input(past)) node.full_shape(past);
  std::vector<Product> products{projection_of(input, weights)};
  add_attention(products, heads);
  products[1].input.product = 0;
  for (std::size_t i = 1; i <= 2; ++i) {
    ProductOperand& keys = products[i].weight;
    (heads.past > 0 ? keys.joined_product : keys.product) = 0;
    if (heads.past > 0) keys.input = static_cast<int>(past);
  }
  return products;
}

}  // namespace

std::vector<Operator> attention_operators() {
  constexpr auto products = Operator::Work::products;
  return {
      {standard_domain, "Attention", products, infer_attention, attention_products},
      {microsoft_domain, "Attention", products, infer_projected, projected_products},
      {microsoft_domain, "QAttention", products, infer_projected, projected_products},
      {microsoft_domain, "MultiHeadAttention", products, infer_attention, attention_products},
      {microsoft_domain, "DecoderMaskedMultiHeadAttention", products, infer_attention, attention_products},
      {microsoft_domain, "DecoderMaskedSelfAttention", products, infer_projected, projected_products},
      {microsoft_domain, "PackedAttention", products, infer_on_tokens, products_on_tokens},
      {microsoft_domain, "PackedMultiHeadAttention", products, infer_on_tokens, products_on_tokens},
      {microsoft_domain, "PagedAttention", products, infer_on_tokens, products_on_tokens},
      {microsoft_domain, "LongformerAttention", products, infer_like_first_input, windowed_products},
      {microsoft_domain, "SparseAttention", products, infer_attention, attention_products},
      {preview_domain, "FlexAttention", products, infer_attention, attention_products},
      {microsoft_domain, "GroupQueryAttention", products, infer_attention, attention_products}};
}

}  // namespace zz::core::onnx_import
