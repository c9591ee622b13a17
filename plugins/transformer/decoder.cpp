#include "plugins/transformer/decoder.hpp"

#include <algorithm>

namespace zz::plugins {
namespace {

// Sums and products of whole numbers are exact in doubles below 2^53 and do not overflow above it.

double number(std::int64_t value) { return static_cast<double>(value); }

double latent_parameters(const Decoder& decoder, const LatentAttention& latent) {
  const Attention& attention = decoder.attention;
  const double width = number(decoder.width), heads = number(attention.heads);
  const double queries = heads * number(attention.key_width);
  const double rank = number(latent.query_rank), cached = number(latent.cached_rank);
  const double rotary = number(latent.rotary_width);
  const double values = number(latent.plain_width) + number(attention.value_width);
  // Each compressed vector is normalised, with a scale for each element.
  double count = latent.query_rank == 0 ? width * queries : (width + 1 + queries) * rank;
  count += width * (cached + rotary) + cached + cached * heads * values;
  if (attention.input_bias) count += rank + cached + rotary;
  return count;
}

double plain_parameters(const Decoder& decoder) {
  const Attention& attention = decoder.attention;
  const double key = number(attention.key_width), value = number(attention.value_width);
  const double made = number(attention.heads) * key + number(attention.cached_heads) * (key + value);
  return made * (number(decoder.width) + (attention.input_bias ? 1 : 0));
}

double attention_parameters(const Decoder& decoder) {
  const Attention& attention = decoder.attention;
  double count =
      attention.latent ? latent_parameters(decoder, *attention.latent) : plain_parameters(decoder);
  count += number(attention.heads) * number(attention.value_width) * number(decoder.width);
  if (attention.output_bias) count += number(decoder.width);
  if (attention.head_norms) count += 2 * number(attention.key_width);
  if (attention.sinks) count += number(attention.heads);
  return count;
}

double feed_forward_parameters(const Decoder& decoder) {
  const FeedForward& part = decoder.feed_forward;
  const double inner = part.gated ? 2 : 1;
  const double width = number(decoder.width), inside = number(part.width);
  return (inner + 1) * width * inside + (part.bias ? inner * inside + width : 0);
}

double expert_parameters(const Decoder& decoder) {
  const Experts& experts = decoder.experts;
  const double width = number(decoder.width), inside = number(experts.width);
  double one = 3 * width * inside + width;  // with its row of the router
  if (experts.choice_bias) one += 1;
  if (experts.bias) one += 2 * inside + width;
  return number(experts.count) * one + 3 * width * number(experts.shared_width) +
         (experts.shared_gate ? width : 0);
}

}  // namespace

double parameters_of(const Decoder& decoder) {
  const double width = number(decoder.width);
  const double norm = width * (decoder.norm_bias ? 2 : 1);
  const double table = number(decoder.vocabulary) * width;
  double count = table + number(decoder.learned_positions) * width + norm;
  if (!decoder.tied) count += table + (decoder.head_bias ? number(decoder.vocabulary) : 0);
  for (const DecoderBlock& block : decoder.blocks) {
    count += attention_parameters(decoder) + number(decoder.block_norms) * norm;
    count += block.experts ? expert_parameters(decoder) : feed_forward_parameters(decoder);
  }
  return count;
}

double cached_elements(const Decoder& decoder, std::int64_t context) {
  const Attention& attention = decoder.attention;
  const std::int64_t token = attention.latent
                                 ? attention.latent->cached_rank + attention.latent->rotary_width
                                 : attention.cached_heads * (attention.key_width + attention.value_width);
  double elements = 0;
  for (const DecoderBlock& block : decoder.blocks)
    elements += number(token) * number(block.window > 0 ? std::min(block.window, context) : context);
  return elements;
}

}  // namespace zz::plugins
