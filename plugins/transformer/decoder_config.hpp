#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "plugins/transformer/decoder.hpp"

namespace zz::plugins {

/// Reads the description of a decoder-only transformer: the file `path`, a `config.json` as model hubs have
/// it, and `changes`, a YAML or JSON map of the same keys, which replace those of the file. One of both may
/// be "". The decoder is named for the file, or for its folder when the file is called config.
///
/// `model_type` says what the file leaves out (gates, biases, normalisations); without it the conventions
/// are those of Llama. Keys that say nothing about sizes are passed over. Throws InputError with every
/// problem: an unknown model type, a missing key, an unknown one that looks like a size, numbers that
/// contradict each other. Warnings are added to `diagnostics`.
Decoder read_decoder(const std::string& path, const std::string& changes, core::Diagnostics& diagnostics,
                     const core::Files& files = core::Files::on_disk());

}  // namespace zz::plugins
