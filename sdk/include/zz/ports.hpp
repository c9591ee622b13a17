// zz/ports.hpp - the static tables of a stage besides its settings: its description, the context keys that
// it takes from above (`consumes`) and hands down (`provides`), and the metrics that it adds.
//
//   static constexpr zz::Description description{
//       .id = "org.example.CarbonStage", .name = "CarbonStage", .summary = "Adds the carbon footprint",
//       .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC};
//   static constexpr zz::Port consumes[] = {zz::object("accelerator", "accelerator", "its area, in mm2")};
//
//   static constexpr zz::Metric metrics[] = {
//       zz::metric("carbon_total", "greenhouse gases of making and running it").unit("g").column()};
//   static constexpr const char* writes[] = {"energy_total"};
//
// `metrics` are new figures, with their meaning; `writes` are other figures that the stage changes. Texts
// live as long as the library. The keys of the built-in stages are in docs/values.md; other keys begin with
// a prefix that their author owns.
#pragma once

#include "zz/runtime.hpp"

#pragma GCC visibility push(hidden)
namespace zz {

struct Description {
  const char* id;                 // unique, never reused for another meaning
  const char* name;               // as written in pipeline files
  const char* aliases = nullptr;  // further names, "OldStage|OlderStage"
  const char* summary;            // one line
  const char* doc = nullptr;      // Markdown
  uint32_t flags = 0;             // ZZ_STAGE_...
};

struct Port : zz_port {
  constexpr Port(const char* key, int32_t kind, const char* type, const char* doc, uint32_t flags = 0)
      : zz_port{key, kind, flags, type, doc, nullptr} {}
  constexpr Port optional() const { return Port(key, kind, type, doc, flags | ZZ_OPTIONAL); }
  constexpr Port deprecated() const { return Port(key, kind, type, doc, flags | ZZ_DEPRECATED); }
  // For a port with a layer: the stage uses its id, its name and the sources of its operands for messages
  // only.
  constexpr Port anonymous() const { return Port(key, kind, type, doc, flags | ZZ_ANONYMOUS); }
};
static_assert(sizeof(Port) == sizeof(zz_port), "arrays of Port cross the boundary as arrays of zz_port");

// A key that holds an object of the named type.
constexpr Port object(const char* key, const char* type, const char* doc) {
  return Port(key, ZZ_OBJECT, type, doc);
}
// A key that holds a scalar, list or map; ZZ_NULL for any.
constexpr Port port(const char* key, int32_t kind, const char* doc) {
  return Port(key, kind, nullptr, doc);
}
// A figure that the stage adds to evaluations. By default, the figure of several layers is the sum, and the
// table has no column for it.
struct Metric : zz_metric {
  constexpr Metric(const char* name, int32_t sum, uint32_t flags, const char* unit, const char* doc)
      : zz_metric{name, sum, flags, unit, doc, nullptr} {}
  constexpr Metric unit(const char* text) const { return Metric(name, sum, flags, text, doc); }
  // The figure of several layers is the largest of theirs.
  constexpr Metric largest() const { return Metric(name, ZZ_SUM_MAX, flags, zz_metric::unit, doc); }
  // Several layers have no such figure together.
  constexpr Metric not_summed() const { return Metric(name, ZZ_SUM_NONE, flags, zz_metric::unit, doc); }
  // A column of the table at the end of the run.
  constexpr Metric column() const {
    return Metric(name, sum, flags | ZZ_METRIC_COLUMN, zz_metric::unit, doc);
  }
};
static_assert(sizeof(Metric) == sizeof(zz_metric),
              "arrays of Metric cross the boundary as such of zz_metric");

constexpr Metric metric(const char* name, const char* doc) {
  return Metric(name, ZZ_SUM_ADD, 0, nullptr, doc);
}

// The context keys that the settings of the stage name.
constexpr Port any_port(const char* doc) { return Port("*", ZZ_NULL, nullptr, doc); }

}  // namespace zz
#pragma GCC visibility pop
