#include <utility>

#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/iterate/array_scaling.hpp"

namespace zz::plugins {
namespace {

/// Scales the array of the accelerator, and what mapping files prescribe for it.
class PEArrayScalingStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.PEArrayScalingStage",
      .name = "PEArrayScalingStage",
      .summary = "scales every dimension of the array by a ratio",
      .doc =
          R"(Multiplies the size of every dimension of the operational array by `pe_array_scaling`, and the unrolling factors
that the mapping file prescribes with it: along each dimension of the array the first factor that is not 1 and stays
whole. Memories and ports stay as they are. The accelerator is then called `<name>-scaled`. A ratio that gives no
whole size of at least 1 is refused.

To compare several ratios, let GeneralParameterIteratorStage vary the setting:

```yaml
parameters:
  general_parameter_iterations: {pe_array_scaling: [1/2, 1, 2]}
stages:
  - WorkloadParserStage
  - AcceleratorParserStage
  - GeneralParameterIteratorStage
  - PEArrayScalingStage
  - SumStage
  - WorkloadStage
  - ...
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  Value pe_array_scaling;
  static constexpr auto params = zz::params(
      param<&PEArrayScalingStage::pe_array_scaling>(
          "pe_array_scaling", "factor for the size of every dimension of the array: 2, 0.5, 1/2, ...")
          .required());
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "its array is scaled"),
      zz::object("workload", "workload", "what is prescribed for its layers is scaled")};
  static constexpr Port provides[] = {zz::object("accelerator", "accelerator", "with the scaled array"),
                                      zz::object("workload", "workload", "with the scaled factors")};

  void prepare();
  Value check(Value ctx) const;
  Results run(Value ctx);

 private:
  Ratio ratio_;
};

void PEArrayScalingStage::prepare() {
  if (pe_array_scaling.is_null()) return;  // a stage above gives it later
  const Ref given = pe_array_scaling.look();
  ratio_ = ratio_from_text(given.kind() == ZZ_STR ? std::string(given.str()) : given.json());
}

Value PEArrayScalingStage::check(Value ctx) const {
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const Value hardware = wrap(scaled_array(*accelerator, ratio_));
  const Value network = wrap(scaled_mappings(*workload, ratio_));
  return with(ctx, {{"accelerator"_n, hardware}, {"workload"_n, network}});
}

Results PEArrayScalingStage::run(Value ctx) {
  for (Result& result : substage(check(ctx))) co_yield std::move(result);
}

}  // namespace

ZZ_PLUGIN_STAGE(PEArrayScalingStage)

}  // namespace zz::plugins
