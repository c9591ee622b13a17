#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plugins/iterate/hardware_points.hpp"
#include "plugins/iterate/points_table.hpp"
#include "plugins/iterate/sweep.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Runs the chain below on variants of the accelerator and keeps the best one.
class HardwareOptimizerStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.HardwareOptimizerStage",
      .name = "HardwareOptimizerStage",
      .summary = "tries variants of the accelerator and keeps the best",
      .doc =
          R"(Opens the chain below once for each combination of values in `hardware_parameters`, a map of fields of the
accelerator and lists of values. The first entry is the slowest loop; several fields in one key, separated by commas, take
their values together. Fields are named by their path, as in the file or as in the object: `memories.l1.size`,
`memories[l1].ports[rw_port_1].bandwidth_max`, `operational_array.sizes[D1]`, or `operational_array.sizes` for all at once.

`linked_parameters` sets further fields from these by expressions with + - * /, parentheses, floor, ceil, round, min and
max; names in them are fields of the variant. Linked fields are computed in the order in which they are written.

The best point is the one with the lowest `hardware_metric`; for `latency` the lower energy decides between equals, for
`energy` the lower latency, and in the end the one that comes first. A point that is no valid accelerator, or on which
nothing can be mapped, is recorded with its reason and the sweep goes on; only when all are infeasible there is no result.
Points run in parallel with `-j`; results do not depend on it.

With `dump_folder` the table of all points goes to `<dump_folder>/hardware_points.csv` and `.json`, and the stages below
get a folder of their own for each point, `<dump_folder>/point_<number>`.

Yields one result: the best evaluation, with the extra {settings, extra, points}: the settings of the best point, what came
with its result, and the list of all points.

```yaml
parameters:
  hardware_parameters:
    memories.l1.size, memories.l1.r_cost: [[262144, 95], [524288, 104]]
    operational_array.sizes: [[8, 8], [8, 16], [16, 16]]
  linked_parameters:
    memories.l1.w_cost: memories.l1.r_cost * 1.2
    memories.l1.ports[rw_port_1].bandwidth_max: operational_array.sizes[D1] * operational_array.sizes[D2] * 8
stages:
  - WorkloadParserStage
  - AcceleratorParserStage
  - HardwareOptimizerStage
  - SumStage
  - WorkloadStage
  - ...
```

Unrollings that the mapping file prescribes are cut to the size of the array; prescribe the largest one, or hints.)",
      .flags = ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  Value hardware_parameters;
  Value linked_parameters;
  std::string hardware_metric = "latency";
  std::optional<std::string> dump_folder;
  static constexpr auto params = zz::params(
      param<&HardwareOptimizerStage::hardware_parameters>(
          "hardware_parameters",
          "the fields to vary: {path: [values]}, {\"path, path\": [[value, value]]}; first is slowest")
          .required(),
      param<&HardwareOptimizerStage::linked_parameters>(
          "linked_parameters", "fields that follow from others: {path: expression}"),
      param<&HardwareOptimizerStage::hardware_metric>(
          "hardware_metric",
          "what is to be lowest: latency, energy, EDP, or any number of evaluations by its name"),
      param<&HardwareOptimizerStage::dump_folder>(
          "dump_folder", "the folder for the table of all points; without it no table is written"));
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "the accelerator whose fields are varied")};
  static constexpr Port provides[] = {zz::object("accelerator", "accelerator", "the variant of a point"),
                                      zz::port("dump_folder", ZZ_STR, "the folder of a point").optional()};

  void prepare();
  Result run(Value ctx);
  zz_demand demand() const;

 private:
  std::vector<Name> criteria() const;
  void write(const PointsTable& table) const;

  Sweep sweep_;
  std::vector<LinkedField> linked_;
};

}  // namespace zz::plugins
