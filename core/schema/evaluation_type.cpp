#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/schema/checks.hpp"
#include "core/schema/keys.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"

namespace zz::core {
namespace {

constexpr Field level_cost_fields[] = {
    field<&LevelCost::memory>("memory", "",
                              "Name of the memory; empty in sums over different hierarchies."),
    field<&LevelCost::utilization>("utilization", "",
                                   "Share of the memory that is occupied in the fullest round."),
    field<&LevelCost::accesses>("accesses", "", "Words of bandwidth_max bits, by direction."),
    field<&LevelCost::energy_by_direction>("energy_by_direction", "pJ",
                                           "Energy of the accesses, by direction."),
    field<&LevelCost::energy>("energy", "pJ", "Energy of all accesses.")};
FieldIndex level_cost_index;
constexpr Type level_cost_type =
    object_type<LevelCost>("level_cost", "What one operand costs at one of its memories.",
                           level_cost_fields, level_cost_index, "memory");

constexpr Field operand_cost_fields[] = {
    field<&OperandCost::operand>("operand", "", "Operand of the layer."),
    field<&OperandCost::levels>("levels", "", "Its memories, from the lowest upwards.")};
FieldIndex operand_cost_index;
constexpr Type operand_cost_type = object_type<OperandCost>(
    "operand_cost", "What one operand costs.", operand_cost_fields, operand_cost_index, "operand");

constexpr Field evaluation_fields[] = {
    field<&Evaluation::accelerator>("accelerator", "",
                                    "The core that it was evaluated on; may be null in sums."),
    field<&Evaluation::layer>("layer", "", "What was evaluated; null in sums and of whole networks."),
    field<&Evaluation::spatial_mapping>("spatial_mapping", "", "Spatial mapping with average factors."),
    field<&Evaluation::spatial_mapping_int>("spatial_mapping_int", "",
                                            "Spatial mapping with whole factors."),
    field<&Evaluation::temporal_mapping>("temporal_mapping", "", "Order of the loops in time."),
    field<&Evaluation::layer_ids>("layer_ids", "", "Ids of the layers that went into a sum or a schedule."),
    field<&Evaluation::schedule>("schedule", "", "Of a network on several cores: node by node; else null."),
    field<&Evaluation::mac_energy>("mac_energy", "pJ", "Energy of the multiply-accumulates."),
    field<&Evaluation::mem_energy>("mem_energy", "pJ", "Energy of all memory accesses."),
    required_field<&Evaluation::energy_total>("energy_total", "pJ",
                                              "Energy of memories and multiply-accumulates."),
    field<&Evaluation::ideal_cycle>("ideal_cycle", "cycle",
                                    "Latency if every unit were busy in every cycle."),
    field<&Evaluation::ideal_temporal_cycle>("ideal_temporal_cycle", "cycle",
                                             "Latency of this mapping without stalls."),
    field<&Evaluation::latency_total0>("latency_total0", "cycle", "Computation with stalls."),
    field<&Evaluation::latency_total1>("latency_total1", "cycle",
                                       "Computation and loading of the first data."),
    required_field<&Evaluation::latency_total2>("latency_total2", "cycle",
                                                "The latency: with off-loading of the last data, too."),
    field<&Evaluation::data_onloading_cycle>("data_onloading_cycle", "cycle", "Loading of the first data."),
    field<&Evaluation::data_offloading_cycle>("data_offloading_cycle", "cycle",
                                              "Off-loading of the last data."),
    field<&Evaluation::systolic_drain_cycle>(
        "systolic_drain_cycle", "cycle",
        "Until the last result has left a systolic array; part of latency_total2."),
    field<&Evaluation::operands>("operands", "", "Costs by operand, in the order of the equation."),
    field<&Evaluation::imc>("imc", "", "Figures of in-memory computing; null for plain multipliers."),
    field<&Evaluation::metrics>("metrics", "", "Further figures by name, added by stages."),
    derived<Evaluation>("is_sum", "", "Whether it stands for no layer in particular.",
                        [](const Evaluation& evaluation) { return evaluation.is_sum(); }),
    derived<Evaluation>("edp", "pJ cycle", "Product of energy_total and latency_total2.",
                        [](const Evaluation& evaluation) { return evaluation.edp(); }),
    derived<Evaluation>("mac_spatial_utilization", "", "ideal_cycle by ideal_temporal_cycle.",
                        [](const Evaluation& evaluation) { return evaluation.mac_spatial_utilization(); }),
    derived<Evaluation>("mac_utilization0", "", "ideal_cycle by latency_total0.",
                        [](const Evaluation& evaluation) { return evaluation.mac_utilization0(); }),
    derived<Evaluation>("mac_utilization1", "", "ideal_cycle by latency_total1.",
                        [](const Evaluation& evaluation) { return evaluation.mac_utilization1(); }),
    derived<Evaluation>("mac_utilization2", "", "ideal_cycle by latency_total2.",
                        [](const Evaluation& evaluation) { return evaluation.mac_utilization2(); }),
    derived<Evaluation>("tclk", "ns", "Clock period of an in-memory-computing array, else null.",
                        [](const Evaluation& evaluation) {
                          return evaluation.imc ? std::optional(evaluation.imc->tclk()) : std::nullopt;
                        }),
    derived<Evaluation>(
        "area_total", "mm2", "Area of an in-memory-computing array and its memories, else null.",
        [](const Evaluation& evaluation) {
          return evaluation.imc ? std::optional(evaluation.imc->area_total()) : std::nullopt;
        })};
FieldIndex evaluation_index;

using Metrics = Reflect<std::vector<std::pair<std::string, double>>>;

/// Names that are no field are metrics.
Ref get_metric(std::uint64_t word, Name name) {
  const double* metric = Metrics::find(object_at<Evaluation>(word).metrics, text_of(name));
  return metric ? reflect(*metric) : missing(name);
}

void edit_evaluation(EditSession& session, void* object, Steps steps, const Value* value,
                     const Where& where);

constexpr Type make_evaluation_type() {
  Type type = object_type<Evaluation>("evaluation",
                                      "The cost of running a layer in one way or a network on several "
                                      "cores, or the sum of several; open for further figures.",
                                      evaluation_fields, evaluation_index);
  type.get = get_metric;
  type.edit = edit_evaluation;
  return type;
}
constexpr Type evaluation_type = make_evaluation_type();

/// Energies and latencies, except on-loading, which is negative in some results of ZigZag.
constexpr std::array never_negative = {"mac_energy",     "mem_energy",           "energy_total",
                                       "ideal_cycle",    "ideal_temporal_cycle", "latency_total0",
                                       "latency_total1", "latency_total2"};

/// Throws ValueError for a figure that no search can compare: NaN, an infinity, or a negative cost, which
/// would win every search. The stage that sets it gets the error, not one that reads it.
void check_figure(double figure, Steps steps, const Where& where) {
  const std::string_view name = text_of(steps.back());
  const Where here{&where, name};
  if (std::isnan(figure)) fail(here, ValueError::Problem::wrong_type, "expected a number, found NaN");
  if (std::isinf(figure)) fail(here, ValueError::Problem::wrong_type, "expected a number, found infinity");
  if (steps.size() == 1 &&
      std::find(never_negative.begin(), never_negative.end(), name) != never_negative.end())
    require_not_negative(figure, here.text(), to_json(reflect(figure)));
}

void edit_evaluation(EditSession& session, void* object, Steps steps, const Value* value,
                     const Where& where) {
  if (double figure = 0; value != nullptr && read_f64(value->ref(), figure))
    check_figure(figure, steps, where);
  if (steps.size() == 1 && find_field(evaluation_type, steps.front()) == nullptr)
    Metrics::edit(session, &static_cast<Evaluation*>(object)->metrics, steps, value, where);
  else
    edit_object(evaluation_type, session, object, steps, value, where);
}

}  // namespace

template <>
const Type* type_of<LevelCost>() {
  return &level_cost_type;
}
template <>
const Type* type_of<OperandCost>() {
  return &operand_cost_type;
}
template <>
const Type* type_of<Evaluation>() {
  return &evaluation_type;
}

}  // namespace zz::core
