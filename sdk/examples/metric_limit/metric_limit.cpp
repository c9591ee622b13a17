// "Energy, but in no more cycles than L": drops results beyond a limit, and tells mappers about it.
#include <zz/stage.hpp>

struct MetricLimitStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.MetricLimitStage",
      .name = "MetricLimitStage",
      .summary = "Drops results of which a metric is above a limit",
      .doc =
          "The reducer above then chooses among those that keep the limit. A mapper below that knows "
          "limits "
          "leaves the others out before it evaluates them.",
      // It does not forward (ZZ_STAGE_FORWARDS): not each result comes up.
      .flags = ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string metric = "latency_total2";
  double at_most = 0;
  static constexpr auto params = zz::params(
      zz::param<&MetricLimitStage::metric>("metric", "what is limited, as `latency_total2`"),
      zz::param<&MetricLimitStage::at_most>("at_most", "the largest value that is passed on").required());

  zz::Name name;
  void prepare() { name = zz::Name(metric); }

  // Told to the mappers below.
  zz_limits limits() const { return {1, {name.id()}, {at_most}}; }

  zz::Results run(zz::Value ctx) {
    bool any = false;
    for (zz::Result& result : substage(ctx)) {
      if (result.evaluation[name].num() > at_most) continue;
      any = true;
      co_yield std::move(result);
    }
    if (!any) throw zz::Error(ZZ_E_NO_RESULT, "no result has a " + metric + " within the limit");
  }
};

ZZ_PLUGIN("org.example.metric_limit", MetricLimitStage)
