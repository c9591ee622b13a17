#include "core/schema/keys.hpp"
#include "core/schema/types.hpp"

namespace zz::core {
namespace {

constexpr Field array_dimension_fields[] = {
    required_field<&ArrayDimension::name>("name", "", "Name of the dimension, as D1."),
    required_field<&ArrayDimension::size>("size", "", "Units along it.")};
FieldIndex array_dimension_index;
constexpr Type array_dimension_type =
    object_type<ArrayDimension>("array_dimension", "One dimension of an array of units.",
                                array_dimension_fields, array_dimension_index, "name");

constexpr Field imc_properties_fields[] = {
    required_field<&ImcProperties::imc_type>("imc_properties_type", "", "analog or digital."),
    required_field<&ImcProperties::activation_precision>("activation_precision", "bit",
                                                         "Size of an activation."),
    required_field<&ImcProperties::weight_precision>("weight_precision", "bit", "Size of a weight."),
    field<&ImcProperties::adc_resolution>("adc_resolution", "bit", "Resolution of the converters."),
    field<&ImcProperties::bit_serial_precision>("bit_serial_precision", "bit/cycle",
                                                "Activation bits fed in at once.")};
FieldIndex imc_properties_index;
constexpr Type imc_properties_type =
    object_type<ImcProperties>("imc_properties", "What makes an array an in-memory-computing one.",
                               imc_properties_fields, imc_properties_index);

constexpr Field operational_array_fields[] = {
    required_field<&OperationalArray::dimensions>("dimensions", "", "Its dimensions."),
    field<&OperationalArray::unit_energy>("unit_energy", "pJ", "Energy of one multiply-accumulate."),
    field<&OperationalArray::unit_area>("unit_area", "", "Area of one unit."),
    field<&OperationalArray::systolic_dimensions>(
        "systolic_dimensions", "",
        "Array dimensions along which operands move from unit to unit, one unit a cycle."),
    field<&OperationalArray::imc>("imc", "",
                                  "Properties of in-memory computing; null for plain multipliers."),
    derived<OperationalArray>("unit_count", "", "Number of units.",
                              [](const OperationalArray& array) { return array.unit_count(); })};
FieldIndex operational_array_index;
constexpr Type operational_array_type =
    object_type<OperationalArray>("operational_array", "The array of multiply-accumulate units.",
                                  operational_array_fields, operational_array_index);

/// Copies of each memory, by name; the word is the accelerator.
constexpr Type instances_type{
    .kind = Kind::map,
    .count =
        [](std::uint64_t word) {
          return static_cast<std::uint32_t>(object_at<Accelerator>(word).memories.size());
        },
    .at =
        [](std::uint64_t word, std::uint32_t index, std::string_view& key) {
          const Accelerator& accelerator = object_at<Accelerator>(word);
          key = accelerator.memories[index].name;
          return reflect(accelerator.instances(accelerator.memories[index]));
        },
    .get =
        [](std::uint64_t word, Name key) {
          const Accelerator& accelerator = object_at<Accelerator>(word);
          for (const Memory& memory : accelerator.memories)
            if (memory.name == text_of(key)) return reflect(accelerator.instances(memory));
          return missing(key);
        },
    .clone = clone_object<Accelerator>};

constexpr Field accelerator_fields[] = {
    required_field<&Accelerator::name>("name", "", "Name of the accelerator."),
    required_field<&Accelerator::memories>("memories", "", "Its memories, from the units outwards."),
    required_field<&Accelerator::array>("operational_array", "", "The array of units."),
    field<&Accelerator::dataflows>("dataflows", "",
                                   "How a core of several unrolls its layers; not used on a single core."),
    derived<Accelerator>("unit_count", "", "Number of units of the array.",
                         [](const Accelerator& accelerator) { return accelerator.array.unit_count(); }),
    derived<Accelerator>("memory_instances", "", "Number of instances of each memory, by name.",
                         [](const Accelerator& accelerator) {
                           return Ref{word_of(&accelerator), &instances_type};
                         })};
FieldIndex accelerator_index;
constexpr Type accelerator_type = object_type<Accelerator>(
    "accelerator", "A single-core accelerator: an array of units below a hierarchy of memories.",
    accelerator_fields, accelerator_index, "name",
    [](const void* object) { static_cast<const Accelerator*>(object)->validate(); });

}  // namespace

template <>
const Type* type_of<ArrayDimension>() {
  return &array_dimension_type;
}
template <>
const Type* type_of<ImcProperties>() {
  return &imc_properties_type;
}
template <>
const Type* type_of<OperationalArray>() {
  return &operational_array_type;
}
template <>
const Type* type_of<Accelerator>() {
  return &accelerator_type;
}

}  // namespace zz::core
