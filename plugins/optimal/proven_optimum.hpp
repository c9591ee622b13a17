#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "core/search/optimal/certificate.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

// What the stages that prove their result have in common.

/// What is minimised: the setting `objective`, else what the reducer above the stage keeps. Throws when
/// that is none of the figures that can be proven best.
core::Objective wanted_objective(const Stage& stage, const std::string& setting);

using Metric = std::pair<const char*, double>;

/// The evaluation from below with the certificate and `more` as metrics. Throws when it does not have the
/// figure that the certificate speaks of.
Value certified(const Value& evaluation, core::Objective objective, const core::Certificate& certificate,
                std::span<const Metric> more = {});

/// Throws for temporal mappings that are not "uneven".
void require_uneven(const std::string& temporal_mapping_type);

/// Counts what is proven, and says at the level of debugging what is not.
void report_certificate(const Stage& stage, const Value& ctx, const core::Certificate& certificate,
                        double gap_wanted);

}  // namespace zz::plugins
