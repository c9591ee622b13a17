#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/compat/rules.hpp"
#include "core/cost/evaluation.hpp"
#include "core/cost/proof_space.hpp"
#include "core/search/optimal/certificate.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The settings of the stages that prove their result. A stage inherits them and lists them in its params.
struct ProofSettings {
  std::string objective;
  double time_limit = 10;
  double gap = 0;
  std::int64_t memory_limit = 1024;
  std::string temporal_mapping_type = "uneven";
  std::int64_t loma_lpf_limit = 0;
  std::string tiles = "dividing";

  static constexpr auto objective_setting =
      param<&ProofSettings::objective>("objective",
                                       "what is minimised; empty: what the reducer above keeps")
          .allowed(core::objective_choices_or_none);
  static constexpr auto time_limit_setting(const char* doc) {
    return param<&ProofSettings::time_limit>("time_limit", doc).unit("s").allowed("[0, inf]");
  }
  static constexpr auto gap_setting =
      param<&ProofSettings::gap>(
          "gap", "a proven gap that is small enough to stop at, as a fraction; 0: only a proven optimum is")
          .allowed("[0, inf]");
  static constexpr auto memory_limit_setting =
      param<&ProofSettings::memory_limit>("memory_limit", "how much memory one search may take")
          .unit("MiB")
          .allowed("[1, inf]");
  static constexpr auto mapping_type_setting =
      param<&ProofSettings::temporal_mapping_type>("temporal_mapping_type",
                                                   "as for LomaStage; only uneven mappings can be searched")
          .allowed("uneven|even");
  static constexpr auto factor_limit_setting =
      param<&ProofSettings::loma_lpf_limit>(
          "loma_lpf_limit", "known for the sake of pipelines made for LomaStage; without effect")
          .deprecated();
  static constexpr auto tiles_setting =
      param<&ProofSettings::tiles>("tiles",
                                   "which tiles compete: those that divide their loop, or chains as well")
          .allowed("dividing|chains");

  bool with_chains() const { return tiles == "chains"; }
  /// The limits of one search by `stage`, which must outlive it.
  core::SearchLimits limits(const Stage& stage) const;
};

/// Says that chains of tiles cannot compete where a setting asks for them (core::may_have_chains).
void warn_without_chains(const Stage& stage, std::string_view setting, const core::Layer& layer,
                         const core::Accelerator& accelerator, const core::Rules& rules);

/// The objective of a stage: its setting `objective`, else the metric that the reducer above keeps. Throws
/// when that metric is none that can be proven best.
core::Objective wanted_objective(const Stage& stage, const std::string& setting);

/// The limits of stages above. Throws for a limit of other figures than energy and latency, within which
/// nothing can be proven.
core::MappingLimits limits_above(const Stage& stage);

/// The description of a figure of certificate.def, which a stage lists among its metrics.
constexpr Metric proven(std::optional<double> core::CertificateFigures::*member) {
  for (const core::ProvenFigure& row : core::proven_figures)
    if (row.member == member) {
      const Metric metric = zz::metric(row.name, row.words);
      return row.sum == core::MetricSum::add       ? metric
             : row.sum == core::MetricSum::largest ? metric.largest()
                                                   : metric.not_summed();
    }
  throw std::logic_error("no figure of a certificate");  // no constant expression
}

/// The metrics of a certificate.
inline constexpr Metric certificate_metrics[] = {
    proven(&core::CertificateFigures::lower_bound), proven(&core::CertificateFigures::gap),
    proven(&core::CertificateFigures::states),      proven(&core::CertificateFigures::second_bound),
    proven(&core::CertificateFigures::unbounded),   proven(&core::CertificateFigures::allowed_gap),
    proven(&core::CertificateFigures::space)};

/// The figures of the certificate of a search that was free to stop at a gap, over that space.
core::CertificateFigures figures_of(const core::Certificate& certificate, double allowed_gap,
                                    const core::ProofSpace& space);

/// The evaluation from below with this certificate, and the question to which its mapping is the answer.
/// Throws when its figure is not `value`, that of the mapping handed down.
Value certified(const Value& evaluation, core::Objective objective, double value,
                const core::CertificateFigures& certificate,
                std::shared_ptr<const core::JointQuestion> question = nullptr);

/// Throws for temporal mappings that are not "uneven".
void require_uneven(const std::string& temporal_mapping_type);

/// The search has no lower bound to prove its result by: loading may take less than no time with these
/// rules.
bool has_no_bound(const core::Certificate& certificate, core::Objective objective,
                  const core::Rules& rules);

/// Counts proven mappings and visited states. Warns of a gap above `gap_wanted`, which a limit left, or
/// figures that have no bound.
void report_certificate(const Stage& stage, const core::Certificate& certificate, double gap_wanted,
                        bool unbounded);

}  // namespace zz::plugins
