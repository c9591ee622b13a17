#include "core/components/component_question.hpp"

#include <doctest/doctest.h>
#include <map>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/components/memory_cost.hpp"

using namespace zz::core;
using namespace zz::core::components;

namespace {

using Given = std::map<std::string, std::string>;

Diagnostic refusal(const std::string& component, const Given& given) {
  try {
    component_cost(component, given);
    return {};
  } catch (const InputError& error) {
    return error.diagnostics().front();
  }
}

}  // namespace

TEST_CASE("components are asked for in words") {
  CHECK(component_cost("sram", {{"size", "65536"}, {"width", "128"}, {"node", "28"}}).energy.value ==
        sram_cost({65536, 128, 28}).energy.value);
  CHECK(component_cost("sram", {{"size", "65536"}, {"width", "128"}}).energy.value ==
        sram_cost({65536, 128, 22}).energy.value);
  CHECK(component_cost("adc", {{"bits", "8"}, {"rate", "1e8"}}).energy.value ==
        component_cost("adc", {{"bits", "8"}, {"rate", "1e8"}, {"node", "22"}}).energy.value);
  CHECK(component_cost("wire", {{"node", "40"}}).energy.value == doctest::Approx(0.24));
  for (const char* beyond : {"10", "45"})
    CHECK(standing_of(component_cost("wire", {{"node", beyond}})) == std::string("extrapolated"));
  CHECK(standing_of(component_cost("wire", {{"node", "22"}})) == std::string("interpolated"));
  CHECK(component_cost("dram", {{"interface", "hbm2"}, {"width", "1"}}).energy.low == 5);
  CHECK(component_cost("mac", {{"type", "int8"}, {"node", "45"}}).energy.value == doctest::Approx(0.3));
}

TEST_CASE("every component has an answer with a source and a range around its value") {
  const Given all = {{"size", "8192"}, {"width", "32"},       {"type", "int8"},
                     {"bits", "8"},    {"rate", "1e8"},       {"length", "1"},
                     {"node", "28"},   {"interface", "ddr4"}, {"transistors", "low_standby_power"}};
  for (const Component& component : all_components()) {
    CAPTURE(component.name);
    Given given;
    for (const Argument* argument : component.arguments) given[argument->name] = all.at(argument->name);
    const ComponentCost cost = component_cost(component.name, given);
    CHECK(cost.energy.low <= cost.energy.value);
    CHECK(cost.energy.value <= cost.energy.high);
    CHECK(cost.energy.low > 0);
    CHECK(std::string(cost.source).size() > 10);
  }
}

TEST_CASE("what is asked wrongly is refused with the nearest name") {
  CHECK(refusal("srm", {}).message == "there is no component 'srm'");
  CHECK(refusal("hbm2", {}).message == "there is no component 'hbm2': it is an interface of DRAM");
  CHECK(refusal("srm", {}).hint == "did you mean 'sram'?");
  CHECK(refusal("sram", {{"width", "8"}}).message == "'sram' needs 'size': capacity of a memory");
  CHECK(refusal("sram", {{"size", "8k"}, {"width", "8"}}).message ==
        "'size' must be a number, but found '8k'");
  CHECK(refusal("sram", {{"size", "nan"}, {"width", "8"}}).message ==
        "'size' must be a number, but found 'nan'");
  CHECK(refusal("wire", {{"lenght", "8"}}).hint == "did you mean 'length'?");
  CHECK(refusal("adc", {{"bits", "30"}, {"rate", "1e8"}}).message.find("30 bits is out of range") !=
        std::string::npos);
  CHECK(refusal("wire", {{"length", "-1"}}).message.find("the length of a wire is -1 mm") == 0);
  CHECK(refusal("sram", {{"size", "8192"}, {"width", "8"}, {"transistors", "high"}}).message ==
        "there are no transistors 'high'");
}
