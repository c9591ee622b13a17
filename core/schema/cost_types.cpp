#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "core/cost/rates.hpp"
#include "core/schema/checks.hpp"
#include "core/schema/keys.hpp"
#include "core/schema/types.hpp"
#include "core/value/object.hpp"
#include "core/value/read.hpp"

namespace zz::core {
namespace {

constexpr Field imc_energy_fields[] = {
    field<&ImcEnergy::local_bl_precharging>("local_bl_precharging", "pJ",
                                            "Selecting another weight of a group of cells."),
    field<&ImcEnergy::dacs>("dacs", "pJ", "Drivers of the wordlines."),
    field<&ImcEnergy::adcs>("adcs", "pJ", "Converters of the bitlines."),
    field<&ImcEnergy::mults>("mults", "pJ", "Multipliers of one bit."),
    field<&ImcEnergy::analog_bl_addition>("analog_bl_addition", "pJ", "Addition along the bitlines."),
    field<&ImcEnergy::adders_regular>("adders_regular", "pJ", "Adder trees along the bitlines."),
    field<&ImcEnergy::adders_pv>("adders_pv", "pJ", "Adders of partial results of different place value."),
    field<&ImcEnergy::accumulators>("accumulators", "pJ", "Accumulation over bit-serial cycles."),
    derived<ImcEnergy>("total", "pJ", "Sum of all.",
                       [](const ImcEnergy& energy) { return energy.total(); })};
FieldIndex imc_energy_index;
constexpr Type imc_energy_type =
    object_type<ImcEnergy>("imc_energy", "What a layer spends in an in-memory-computing array.",
                           imc_energy_fields, imc_energy_index);

constexpr Field imc_parts_fields[] = {
    field<&ImcParts::cells>("cells", "", "Memory cells."),
    field<&ImcParts::dacs>("dacs", "", "Drivers of the wordlines."),
    field<&ImcParts::adcs>("adcs", "", "Converters of the bitlines."),
    field<&ImcParts::mults>("mults", "", "Multipliers of one bit."),
    field<&ImcParts::adders_regular>("adders_regular", "", "Adder trees along the bitlines."),
    field<&ImcParts::adders_pv>("adders_pv", "", "Adders of partial results of different place value."),
    field<&ImcParts::accumulators>("accumulators", "", "Accumulation over bit-serial cycles."),
    derived<ImcParts>("total", "", "Sum of all.", [](const ImcParts& parts) { return parts.total(); })};
FieldIndex imc_parts_index;
constexpr Type imc_parts_type = object_type<ImcParts>(
    "imc_parts", "Area (mm2) or delay (ns) of an in-memory-computing array, by component.",
    imc_parts_fields, imc_parts_index);

constexpr Field imc_figures_fields[] = {
    field<&ImcFigures::energy>("mac_energy_breakdown", "pJ", "The parts of mac_energy."),
    field<&ImcFigures::clock>("tclk_breakdown", "ns", "The critical path."),
    field<&ImcFigures::area>("imc_area_breakdown", "mm2", "The array."),
    field<&ImcFigures::memory_areas>("mem_area_breakdown", "mm2", "One instance of each memory, by name."),
    derived<ImcFigures>("tclk", "ns", "Clock period.",
                        [](const ImcFigures& figures) { return figures.tclk(); }),
    derived<ImcFigures>("imc_area", "mm2", "Area of the array.",
                        [](const ImcFigures& figures) { return figures.imc_area(); }),
    derived<ImcFigures>("mem_area", "mm2", "Area of the memories, one instance of each.",
                        [](const ImcFigures& figures) { return figures.mem_area(); }),
    derived<ImcFigures>("area_total", "mm2", "Area of array and memories.",
                        [](const ImcFigures& figures) { return figures.area_total(); })};
FieldIndex imc_figures_index;
constexpr Type imc_figures_type = object_type<ImcFigures>(
    "imc_figures", "Figures that only evaluations on in-memory-computing arrays have.", imc_figures_fields,
    imc_figures_index);

}  // namespace

template <>
const Type* type_of<ImcEnergy>() {
  return &imc_energy_type;
}
template <>
const Type* type_of<ImcParts>() {
  return &imc_parts_type;
}
template <>
const Type* type_of<ImcFigures>() {
  return &imc_figures_type;
}

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

/// A computed text: one of few for the whole process.
Ref lasting(const std::string& text) { return {word_of(text_of(intern(text)).data()), &static_text_type}; }

template <class T, class Function>
constexpr Field derived_text(const char* name, const char* doc, Function function) {
  Field made = derived<T>(name, "", doc, function);
  made.words = Reflect<std::string>::words;
  return made;
}

constexpr Field latency_part_fields[] = {
    field<&LatencyPart::cause>("cause", "",
                               "`ideal`, `idle`, `remainder`, `array`, `stall`, `onloading`, `offloading`, "
                               "`wait` or `drain`."),
    field<&LatencyPart::array_dimension>("array_dimension", "", "Of `idle`: with units that are not used."),
    field<&LatencyPart::loop>("loop", "", "Of `remainder`: whose last round is not full."),
    field<&LatencyPart::memory>("memory", "", "Whose port takes the time."),
    field<&LatencyPart::port>("port", "", "That takes the time."),
    field<&LatencyPart::operand>("operand", "", "That the port moves."),
    field<&LatencyPart::direction>("direction", "", "In which the port moves it, as `rd_out_to_low`."),
    field<&LatencyPart::because>(
        "because", "",
        "Of `stall`: `bandwidth`, `requests`, `single buffer`, `shared port`, `overlap` or "
        "`tile interval`; of `array`: `zeros`, `efficiency`, `fold` or `instruction`; of `wait`: `line`."),
    field<&LatencyPart::behind>("behind", "",
                                "Of `idle` and `remainder`: a port that needs these cycles anyway, as "
                                "`dram.rw_port_1`."),
    field<&LatencyPart::cycles>("cycles", "cycle", "What it takes."),
    derived_text<LatencyPart>("limiter",
                              "What limits: `behind`, else the port or the memory, else `units`, `array` "
                              "or `drain`.",
                              [](const LatencyPart& part) { return lasting(part.limiter()); })};
FieldIndex latency_part_index;
constexpr Type latency_part_type = object_type<LatencyPart>(
    "latency_part", "A share of the latency with its one cause; texts that say nothing are empty.",
    latency_part_fields, latency_part_index);

constexpr Field energy_part_fields[] = {
    field<&EnergyPart::memory>("memory", "", "Empty: of the arithmetic."),
    field<&EnergyPart::operand>("operand", "", "Operand of the layer."),
    field<&EnergyPart::direction>("direction", "", "As `rd_out_to_low`."),
    field<&EnergyPart::because>(
        "because", "",
        "`once`: what any mapping spends that does not bypass the memory; `again`; `scales`; `metadata`; "
        "`partial sums`; `arithmetic`, or a field of `imc_energy`."),
    field<&EnergyPart::pJ>("pJ", "pJ", "What it takes."),
    field<&EnergyPart::low>("low", "pJ", "The same with the costs that were filled in at their low ends."),
    field<&EnergyPart::high>("high", "pJ", "The same at their high ends.")};
FieldIndex energy_part_index;
constexpr Type energy_part_type = object_type<EnergyPart>(
    "energy_part", "A share of the energy with its cause.", energy_part_fields, energy_part_index);

constexpr Field port_use_fields[] = {
    field<&PortUseFigures::operand>("operand", "", "Operand of the layer."),
    field<&PortUseFigures::direction>("direction", "", "As `rd_out_to_low`."),
    field<&PortUseFigures::cycles>("cycles", "cycle", "Of the port for one portion."),
    field<&PortUseFigures::window>("window", "cycle", "Of a period, in which the portion may move."),
    field<&PortUseFigures::period>("period", "cycle", "For which a portion is used below."),
    field<&PortUseFigures::count>("count", "", "Portions over the whole layer."),
    field<&PortUseFigures::second_buffer>("second_buffer", "",
                                          "Whether the memory below has room for the next portion."),
    field<&PortUseFigures::traffic>("traffic", "cycle", "For all portions, which may share cycles."),
    field<&PortUseFigures::loading>("loading", "cycle",
                                    "Of the first data, or the last results, that are not hidden.")};
FieldIndex port_use_index;
constexpr Type port_use_type = object_type<PortUseFigures>("port_use", "What an operand asks of a port.",
                                                           port_use_fields, port_use_index, "operand");

constexpr Field port_load_fields[] = {
    field<&PortFigures::memory>("memory", "", "Name of the memory."),
    field<&PortFigures::port>("port", "", "Name of the port."),
    field<&PortFigures::bandwidth>("bandwidth", "bit/cycle", "The largest."),
    field<&PortFigures::needed>("needed", "cycle", "During the computation."),
    field<&PortFigures::given>("given", "cycle", "In which some transfer may move."),
    field<&PortFigures::stall>("stall", "cycle", "By which it falls behind."),
    field<&PortFigures::slack>("slack", "cycle", "Given and not needed."),
    field<&PortFigures::traffic>("traffic", "cycle", "For all that goes through it."),
    field<&PortFigures::traffic_above_lowest>(
        "traffic_above_lowest", "cycle",
        "The same without what the lowest memories exchange with the units."),
    field<&PortFigures::uses>("uses", "", "What asks for it.")};
FieldIndex port_load_index;
constexpr Type port_load_type = object_type<PortFigures>(
    "port_load", "What a port is asked for and what it gives.", port_load_fields, port_load_index, "port");

constexpr Field cost_model_options_fields[] = {
    field<&CostModelOptions::rules>("compat", "",
                                    "The setting whose figures it gives; empty: corrected ones."),
    field<&CostModelOptions::same_data_free>("access_same_data_considered_as_no_access", "",
                                             "Whether an input that stays the same is read once.")};
FieldIndex cost_model_options_index;
constexpr Type cost_model_options_type =
    object_type<CostModelOptions>("cost_model_options", "By what a cost model values mappings.",
                                  cost_model_options_fields, cost_model_options_index);

}  // namespace

template <>
const Type* type_of<CostModelOptions>() {
  return &cost_model_options_type;
}

namespace {

// The metrics of an evaluation as a map: its certificate by the names of certificate.def, then what stages
// added.

std::uint32_t count_metrics(std::uint64_t word) {
  const auto& evaluation = object_at<Evaluation>(word);
  const auto proven = std::count_if(
      std::begin(proven_figures), std::end(proven_figures),
      [&](const ProvenFigure& row) { return (evaluation.certificate.*row.member).has_value(); });
  return static_cast<std::uint32_t>(static_cast<std::size_t>(proven) + evaluation.metrics.size());
}

Ref metric_at(std::uint64_t word, std::uint32_t index, std::string_view& key) {
  const auto& evaluation = object_at<Evaluation>(word);
  for (const ProvenFigure& row : proven_figures) {
    const std::optional<double>& figure = evaluation.certificate.*row.member;
    if (!figure || index-- > 0) continue;
    key = row.name;
    return reflect(*figure);
  }
  const auto& [name, figure] = evaluation.metrics[index];
  key = name;
  return reflect(figure);
}

Ref get_metric(std::uint64_t word, Name name) {
  const auto& evaluation = object_at<Evaluation>(word);
  if (const double* figure = find_metric(evaluation, text_of(name))) return reflect(*figure);
  const std::optional<double> rate = rate_of(evaluation, text_of(name));
  return rate ? reflect(*rate) : missing(name);
}

void edit_metric(EditSession& session, void* object, Steps steps, const Value* value, const Where& where) {
  const std::string_view name = text_of(steps.front());
  std::optional<double> figure;
  if (value != nullptr)
    edit_part(session, figure.emplace(), steps.subspan(1), value, {&where, name, -1, false});
  set_metric(*static_cast<Evaluation*>(object), name, figure);
}

using Figures = std::vector<std::pair<std::string, double>>;

std::shared_ptr<void> clone_metrics(std::uint64_t word) {
  const auto& evaluation = object_at<Evaluation>(word);
  auto metrics = std::make_shared<Evaluation>();
  metrics->certificate = evaluation.certificate;
  metrics->metrics = evaluation.metrics;
  return metrics;
}

constexpr Type metrics_type{.kind = Kind::map,
                            .count = count_metrics,
                            .at = metric_at,
                            .get = get_metric,
                            .clone = clone_metrics,
                            .edit = edit_metric};

void edit_metrics(EditSession& session, void* object, Steps steps, const Value* value, const Where& where) {
  if (!steps.empty()) return edit_metric(session, object, steps, value, where);
  auto& evaluation = *static_cast<Evaluation*>(object);
  Figures given;
  if (value != nullptr) edit_part(session, given, steps, value, where);
  evaluation.certificate = {};
  evaluation.metrics.clear();
  for (const auto& [name, figure] : given) set_metric(evaluation, name, figure);
}

constexpr Field metrics_field(const char* name, const char* unit, const char* doc) {
  return {name,         unit,
          doc,          [](const void* object) { return Ref{word_of(object), &metrics_type}; },
          edit_metrics, Reflect<Figures>::words};
}

constexpr Field evaluation_fields[] = {
    field<&Evaluation::accelerator>("accelerator", "",
                                    "The core that it was evaluated on; may be null in sums."),
    field<&Evaluation::layer>("layer", "", "What was evaluated; null in sums and of whole networks."),
    field<&Evaluation::spatial_mapping>("spatial_mapping", "", "Spatial mapping with average factors."),
    field<&Evaluation::spatial_mapping_int>(
        "spatial_mapping_int", "",
        "The same with whole factors: the units of the fullest round. With `compat` "
        "cut to whole numbers, as ZigZag has them."),
    field<&Evaluation::temporal_mapping>("temporal_mapping", "", "Order of the loops in time."),
    field<&Evaluation::cost_model>("cost_model", "",
                                   "By what a cost model of zz made it; null in sums and of other stages."),
    field<&Evaluation::times>("times", "", "How often the layer is in the figures."),
    field<&Evaluation::layer_ids>("layer_ids", "", "Ids of the layers that went into a sum or a schedule."),
    field<&Evaluation::schedule>("schedule", "", "Of a network on several cores: node by node; else null."),
#define ZZ_FIGURE(member, unit, sum, sign, field, json, words) \
  field<&Evaluation::member>(#member, unit, words),
#include "core/cost/figures.def"
#undef ZZ_FIGURE
    field<&Evaluation::operands>("operands", "", "Costs by operand, in the order of the equation."),
    field<&Evaluation::imc>("imc", "", "Figures of in-memory computing; null for plain multipliers."),
    field<&Evaluation::fused>(
        "fused", "", "Its group of layers that are fused, and its part there; null when it is alone."),
    metrics_field("metrics", "", "Further figures by name: what searches proved, and what stages added."),
    field<&Evaluation::latency_parts>("latency_parts", "",
                                      "What latency_total2 is made of; empty where it is not known."),
    field<&Evaluation::energy_parts>("energy_parts", "",
                                     "What energy_total is made of; empty where it is not known."),
    field<&Evaluation::ports>("ports", "", "What each port is asked for; of one layer, empty in sums."),
    derived_text<Evaluation>("limited_by",
                             "The limiter of this mapping with most cycles; empty where it is not known.",
                             [](const Evaluation& evaluation) { return lasting(limited_by(evaluation)); }),
    derived<Evaluation>("is_sum", "", "Whether it stands for no layer in particular.",
                        [](const Evaluation& evaluation) { return evaluation.is_sum(); }),
    derived<Evaluation>("edp", "pJ cycle", "Product of energy_total and latency_total2.",
                        [](const Evaluation& evaluation) { return evaluation.edp(); }),
    derived<Evaluation>("energy_low", "pJ",
                        "energy_total with the costs that were filled in at the low ends of their ranges; "
                        "null where none was, or what it is made of is not known.",
                        [](const Evaluation& evaluation) {
                          const auto range = energy_range(evaluation);
                          return range ? std::optional(range->low) : std::nullopt;
                        }),
    derived<Evaluation>("energy_high", "pJ", "The same at the high ends, else null.",
                        [](const Evaluation& evaluation) {
                          const auto range = energy_range(evaluation);
                          return range ? std::optional(range->high) : std::nullopt;
                        }),
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
    derived<Evaluation>("area_total", "mm2",
                        "Area of all units and memories on the chip; null where some part has none.",
                        [](const Evaluation& evaluation) { return rates_of(evaluation).area; })};
FieldIndex evaluation_index;

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

bool is_never_negative(std::string_view name) {
  return std::any_of(
      std::begin(evaluation_figures), std::end(evaluation_figures),
      [&](const Figure& figure) { return figure.name == name && figure.sign != Figure::Sign::loading; });
}

/// Throws ValueError for a figure that no search can compare: NaN, an infinity, or a negative cost, which
/// would win every search. The stage that sets it gets the error, not one that reads it.
void check_figure(double figure, Steps steps, const Where& where) {
  const std::string_view name = text_of(steps.back());
  const Where here{&where, name};
  if (std::isnan(figure)) fail(here, ValueError::Problem::wrong_type, "expected a number, found NaN");
  if (std::isinf(figure)) fail(here, ValueError::Problem::wrong_type, "expected a number, found infinity");
  if (steps.size() == 1 && is_never_negative(name))
    require_not_negative(figure, here.text(), to_json(reflect(figure)));
}

void edit_evaluation(EditSession& session, void* object, Steps steps, const Value* value,
                     const Where& where) {
  if (double figure = 0; value != nullptr && read_f64(value->ref(), figure))
    check_figure(figure, steps, where);
  if (steps.size() == 1 && find_field(evaluation_type, steps.front()) == nullptr)
    edit_metric(session, object, steps, value, where);
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
const Type* type_of<LatencyPart>() {
  return &latency_part_type;
}
template <>
const Type* type_of<EnergyPart>() {
  return &energy_part_type;
}
template <>
const Type* type_of<PortUseFigures>() {
  return &port_use_type;
}
template <>
const Type* type_of<PortFigures>() {
  return &port_load_type;
}
template <>
const Type* type_of<Evaluation>() {
  return &evaluation_type;
}

namespace {

constexpr Field core_cost_fields[] = {
    required_field<&CoreCost::core>("core", "", "Number of the core."),
    required_field<&CoreCost::runtime>("runtime", "cycle",
                                       "With loading, without off-loading of the last outputs."),
    field<&CoreCost::onchip_energy>("onchip_energy", "pJ", "Of arithmetic and the core's own memories."),
    field<&CoreCost::offchip_energy>("offchip_energy", "pJ",
                                     "Of the off-chip memory, for operands that stream."),
    field<&CoreCost::streamed>("streamed", "",
                               "Operands too large for the core, by their position in the equation."),
    field<&CoreCost::stream_read_elements>("stream_read_elements", "1/cycle",
                                           "Elements read from the off-chip memory, whole ones."),
    field<&CoreCost::stream_write_elements>("stream_write_elements", "1/cycle",
                                            "Elements written to the off-chip memory, whole ones."),
    field<&CoreCost::stream_read_bits>("stream_read_bits", "bit",
                                       "Read from the off-chip memory in one run."),
    field<&CoreCost::stream_write_bits>("stream_write_bits", "bit",
                                        "Written to the off-chip memory in one run."),
    field<&CoreCost::evaluation>("evaluation", "", "What the figures come from; may be null.")};
FieldIndex core_cost_index;
constexpr Type core_cost_type = object_type<CoreCost>(
    "core_cost", "What one node of a layer costs on one core.", core_cost_fields, core_cost_index);

constexpr Field exchanging_cost_fields[] = {
    required_field<&ExchangingCost::layer>("layer", "", "The layer, counted from 0 in the graph."),
    field<&ExchangingCost::shape>("shape", "",
                                  "0 for its largest nodes, else which of its `smaller_tiles`, from 1."),
    formerly("home", required_field<&ExchangingCost::memory>(
                         "memory", "", "The memory, counted from 0 in those of the core.")),
    required_field<&ExchangingCost::exchanged>(
        "exchanged", "", "Operands that are exchanged there, by their position in the equation."),
    required_field<&ExchangingCost::cost>("cost", "", "What such a node costs on the core.")};
FieldIndex exchanging_cost_index;
constexpr Type exchanging_cost_type = object_type<ExchangingCost>(
    "exchanging_cost",
    "What a node costs that exchanges operands with its neighbours below the topmost memories of its core.",
    exchanging_cost_fields, exchanging_cost_index);

constexpr Field of_shape_fields[] = {
    field<&CoreCosts::OfShape::on>("on", "", "Costs by candidate core, in the order of the mapping.")};
FieldIndex of_shape_index;
constexpr Type of_shape_type = object_type<CoreCosts::OfShape>(
    "shape_core_costs", "What one of the smaller nodes of a layer costs on each candidate core.",
    of_shape_fields, of_shape_index);

constexpr Field of_layer_fields[] = {
    field<&CoreCosts::OfLayer::on>("on", "", "Costs by candidate core, in the order of the mapping."),
    field<&CoreCosts::OfLayer::smaller>("smaller", "",
                                        "The same of smaller nodes, by `smaller_tiles` of the layer.")};
FieldIndex of_layer_index;
constexpr Type of_layer_type = object_type<CoreCosts::OfLayer>(
    "layer_core_costs", "What one of the largest nodes of a layer costs on each candidate core.",
    of_layer_fields, of_layer_index);

constexpr Field core_costs_fields[] = {
    required_field<&CoreCosts::layers>("layers", "", "Rows of costs, in the order of the graph's layers."),
    field<&CoreCosts::exchanging>(
        "exchanging", "",
        "Costs of nodes that exchange operands inside of a core, by layer, shape, "
        "core, memory and operands.")};
FieldIndex core_costs_index;
constexpr Type core_costs_type =
    object_type<CoreCosts>("core_costs", "What the nodes of each layer cost on each candidate core.",
                           core_costs_fields, core_costs_index);

}  // namespace

template <>
const Type* type_of<CoreCost>() {
  return &core_cost_type;
}
template <>
const Type* type_of<ExchangingCost>() {
  return &exchanging_cost_type;
}
template <>
const Type* type_of<CoreCosts::OfShape>() {
  return &of_shape_type;
}
template <>
const Type* type_of<CoreCosts::OfLayer>() {
  return &of_layer_type;
}
template <>
const Type* type_of<CoreCosts>() {
  return &core_costs_type;
}

}  // namespace zz::core
