#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plugins/transformer/decoder.hpp"

namespace zz::plugins {

/// The degrees of tensor parallelism that a decoder can have, from 1 on: they divide its heads, its heads
/// of keys and values, and the width of its feed-forward part.
std::vector<std::int64_t> degrees_of(const Decoder& decoder);

/// The part of a decoder that one of `degree` chips computes: its share of the heads, of the feed-forward
/// part and of the vocabulary, which is made longer where it does not divide. Normalisations and experts
/// stay whole: experts are shared out by themselves, not in parts. M. Shoeybi et al., Megatron-LM,
/// arXiv:1909.08053, section 3. Throws core::InputError, at `file`, for a degree that is none of
/// degrees_of(), and names those that are.
Decoder shard_of(const Decoder& decoder, std::int64_t degree, const std::string& file = "");

}  // namespace zz::plugins
