#include "plugins/transformer/shard.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"

namespace zz::plugins {
namespace {

/// A number of parts that is shared out over the chips, whole parts to each.
struct Shared {
  std::int64_t count;
  const char* words;
};

std::vector<Shared> shared_parts(const Decoder& decoder) {
  const Attention& attention = decoder.attention;
  std::vector<Shared> parts = {{attention.heads, "heads"}};
  // Latent attention caches one vector for all heads, which every chip has.
  if (!attention.latent) parts.push_back({attention.cached_heads, "heads of keys and values"});
  const bool dense = std::any_of(decoder.blocks.begin(), decoder.blocks.end(),
                                 [](const DecoderBlock& block) { return !block.experts; });
  if (dense) parts.push_back({decoder.feed_forward.width, "columns of the feed-forward part"});
  return parts;
}

std::string list_of(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ", numbers[i]);
  return text;
}

}  // namespace

std::vector<std::int64_t> degrees_of(const Decoder& decoder) {
  const std::vector<Shared> parts = shared_parts(decoder);
  std::vector<std::int64_t> degrees;
  for (std::int64_t degree = 1; degree <= decoder.attention.heads; ++degree)
    if (std::all_of(parts.begin(), parts.end(),
                    [&](const Shared& part) { return part.count % degree == 0; }))
      degrees.push_back(degree);
  return degrees;
}

Decoder shard_of(const Decoder& decoder, std::int64_t degree, const std::string& file) {
  for (const Shared& part : shared_parts(decoder)) {
    if (part.count % degree == 0) continue;
    const std::vector<std::int64_t> degrees = degrees_of(decoder);
    core::Diagnostics diagnostics;
    diagnostics.error(
        {file, 0, 0},
        fmt::format("tensor parallelism of degree {}: the model has {} {}, which {}", degree, part.count,
                    part.words,
                    degree > part.count ? "are fewer than the chips" : "cannot be shared out evenly"),
        degrees.size() == 1 ? "the only degree of this model is 1"
                            : fmt::format("degrees that do: {}", list_of(degrees)));
    diagnostics.throw_if_errors();
  }
  Decoder shard = decoder;
  shard.attention.heads /= degree;
  shard.attention.cached_heads = std::max<std::int64_t>(1, shard.attention.cached_heads / degree);
  shard.feed_forward.width = std::max<std::int64_t>(1, shard.feed_forward.width / degree);
  shard.vocabulary = (shard.vocabulary + degree - 1) / degree;
  return shard;
}

}  // namespace zz::plugins
