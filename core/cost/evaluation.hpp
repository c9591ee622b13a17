#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cost/cost_model_options.hpp"
#include "core/cost/cost_parts.hpp"
#include "core/cost/deviation.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/imc/imc_figures.hpp"
#include "core/mapping/group_member.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The figure of several layers together: their sum, the largest of theirs, or none. `either`: the figure
/// is a sum of powers of two, and that of several layers has those of any of them (certificate.def).
enum class MetricSum { add, largest, none, either };

/// A metric that some stage describes (zz_metric in stage_abi.h).
struct MetricRule {
  std::string name;
  MetricSum sum = MetricSum::add;
  std::string unit;     ///< "" when none
  bool column = false;  ///< in the table at the end of the run
  std::string doc = {};
};

/// Says what metrics mean, for the whole process: sums of evaluations and tables of results read it. Called
/// once, before stages run. Metrics that are not described are added up.
void describe_metrics(std::vector<MetricRule> rules);

/// All that are described, in that order.
const std::vector<MetricRule>& described_metrics();

/// MetricSum::add for a metric that is not described.
MetricSum sum_of_metric(std::string_view name);

struct Schedule;
struct JointQuestion;

/// The cost of one operand at one of its memories. Arrays are indexed by Direction.
struct LevelCost {
  std::string memory;  ///< name of the memory; "" in sums over different hierarchies
  /// Share of the memory that this operand and the others that share it occupy in the fullest round.
  double utilization = 0;
  std::array<std::int64_t, direction_count> accesses{};       ///< words of bandwidth_max bits
  std::array<double, direction_count> energy_by_direction{};  ///< pJ
  double energy = 0;                                          ///< pJ
};

struct OperandCost {
  std::string operand;
  std::vector<LevelCost> levels;  ///< from the lowest memory upwards
};

/// The numbers of a certificate: what searches proved of a result, or looked at for it. Members are those
/// of certificate.def; a search has some of them.
struct CertificateFigures {
#define ZZ_PROVEN(member, name, sum, words) std::optional<double> member;
#include "core/cost/certificate.def"
#undef ZZ_PROVEN
};

/// A row of certificate.def.
struct ProvenFigure {
  const char* name;
  std::optional<double> CertificateFigures::*member;
  MetricSum sum;
  const char* words;
};

#define ZZ_PROVEN(member, name, sum, words) \
  ProvenFigure{name, &CertificateFigures::member, MetricSum::sum, words},
inline constexpr ProvenFigure proven_figures[] = {
#include "core/cost/certificate.def"
};
#undef ZZ_PROVEN

/// The cost of running a layer in one way, or the sum of several. Energies in pJ, latencies in cycles.
///
/// Whatever follows from other members is a function, never stored: a stage that replaces one figure
/// leaves no stale one behind.
struct Evaluation {
  // The mapping that was evaluated. Null in sums and in evaluations that a plugin made without saying.
  std::shared_ptr<const Accelerator> accelerator;
  std::shared_ptr<const Layer> layer;
  std::shared_ptr<const SpatialMapping> spatial_mapping;      ///< fractional
  std::shared_ptr<const SpatialMapping> spatial_mapping_int;  ///< whole factors
  std::shared_ptr<const TemporalMapping> temporal_mapping;
  /// By what a cost model of zz made it from these; none in sums, and where something else made it.
  std::optional<CostModelOptions> cost_model;
  /// To which its mapping is the answer; null where no search asked for the best one. Not saved.
  std::shared_ptr<const JointQuestion> question;
  /// The layer in the middle of a sum of layers that differ in one size, as the steps of a decode: it
  /// stands for all where limits are asked for. Else null. Not saved.
  std::shared_ptr<const Evaluation> typical;
  double times = 1;                     ///< so often the layer is in the figures; scale() multiplies it
  std::optional<GroupMember> fused;     ///< of a layer in a group
  std::vector<std::int64_t> layer_ids;  ///< of a sum or a schedule: what went into it
  /// A network on several cores, node by node. energy_total and the latencies are then its figures.
  std::shared_ptr<const Schedule> schedule;

  /// The figures of figures.def: energies, and latencies, of which latency_total0 is computation with
  /// stalls, latency_total1 also loading of the first data, and latency_total2 also off-loading of the
  /// last, and the drain: the latency.
#define ZZ_FIGURE(member, unit, sum, sign, field, json, words) double member = 0;
#include "core/cost/figures.def"
#undef ZZ_FIGURE
  std::vector<OperandCost> operands;  ///< in equation order
  std::optional<ImcFigures> imc;      ///< of in-memory-computing arrays only
  // The parts of latency_total2 and energy_total. Empty where no cost model of zz made the evaluation.
  std::vector<LatencyPart> latency_parts;
  std::vector<EnergyPart> energy_parts;
  std::vector<PortFigures> ports;  ///< in the order of the memories; of one layer, none of sums
  /// The bounds and counts of the searches that proved something of it; none where nothing was proven.
  CertificateFigures certificate;
  /// Further figures by name, added by stages: none of the names of certificate.def (set_metric()).
  std::vector<std::pair<std::string, double>> metrics;
  /// Deviations of each layer that went into it, for the warnings at the end of a run. Not saved.
  std::vector<std::shared_ptr<const LayerDeviations>> deviations;

  bool is_sum() const { return layer == nullptr && schedule == nullptr; }
  /// Cycles that the array itself takes beyond its steps: fills, drains and blocks of few rows.
  double array_stall() const { return std::max(0.0, array_cycle - ideal_temporal_cycle); }
  double edp() const { return latency_total2 * energy_total; }
  double mac_spatial_utilization() const { return ideal_cycle / ideal_temporal_cycle; }
  double mac_utilization0() const { return ideal_cycle / latency_total0; }
  double mac_utilization1() const { return ideal_cycle / latency_total1; }
  double mac_utilization2() const { return ideal_cycle / latency_total2; }
};

/// A row of figures.def.
struct Figure {
  enum class Sign { cost, loaded, loading };

  std::string_view name;
  double Evaluation::*member;
  std::string_view unit;
  MetricSum sum;
  Sign sign;
  std::string_view json;  ///< "block.key"; "": none of its own
};

#define ZZ_FIGURE(member, unit, sum, sign, field, json, words) \
  Figure{#member, &Evaluation::member, unit, MetricSum::sum, Figure::Sign::sign, json},
inline constexpr Figure evaluation_figures[] = {
#include "core/cost/figures.def"
};
#undef ZZ_FIGURE

/// The figures that a result has by name: of its certificate, of stages, `energy_low` and `energy_high` of
/// filled costs, and pJ of `scales` and `metadata`, if any. Tables, JSON, CSV and Python show these.
std::vector<std::pair<std::string, double>> metrics_of(const Evaluation& evaluation);
/// A figure of the certificate or a metric; nullptr: it has none of that name.
const double* find_metric(const Evaluation& evaluation, std::string_view name);
/// Sets the figure of the certificate that has the name, else a metric; nothing: takes it away.
void set_metric(Evaluation& evaluation, std::string_view name, std::optional<double> figure);

/// a followed by b: figures as figures.def and certificate.def say, metrics as they are described, levels
/// added position by position (the longer list keeps its tail), parts where all their texts agree. A sum
/// has no schedule. Its accelerator is the one whose name is a prefix of the other's; null when they are
/// unrelated. Start from an empty Evaluation.
Evaluation add(const Evaluation& a, const Evaluation& b);

/// `a` repeated `factor` times, without its schedule, if any.
Evaluation scale(const Evaluation& a, double factor);

}  // namespace zz::core
