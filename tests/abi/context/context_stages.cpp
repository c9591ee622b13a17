// Stages that change the context for those below, declared or not, and one that varies a memory.
#include <cstdint>
#include <string>

#include "zz/stage.hpp"

namespace {

constexpr zz::Description described(const char* id, const char* name, const char* summary) {
  return {.id = id, .name = name, .summary = summary, .flags = ZZ_STAGE_DETERMINISTIC};
}

// Hands down a key that it does not declare.
struct UndeclaredStage : zz::Stage {
  static constexpr auto description =
      described("org.test.UndeclaredStage", "UndeclaredStage", "hands down what its settings say");
  std::string key = "loma_lpf_limit";
  zz::Value value;
  static constexpr auto params = zz::params(zz::param<&UndeclaredStage::key>("key", "a context key"),
                                            zz::param<&UndeclaredStage::value>("value", "of the key"));

  zz::Results run(zz::Value context) {
    for (zz::Result& result : substage(zz::with(context, {{key, value}}))) co_yield std::move(result);
  }
};

// The same with `provides`, of two keys.
struct DeclaredStage : zz::Stage {
  static constexpr auto description =
      described("org.test.DeclaredStage", "DeclaredStage", "hands down a limit of factors");
  zz::Value value;
  static constexpr auto params =
      zz::params(zz::param<&DeclaredStage::value>("value", "of loma_lpf_limit").required());
  static constexpr zz::Port provides[] = {zz::port("loma_lpf_limit", ZZ_I64, "a limit of factors")};

  zz::Results run(zz::Value context) {
    for (zz::Result& result : substage(zz::with(context, {{"loma_lpf_limit", value}})))
      co_yield std::move(result);
  }
};

struct MisspeltStage : DeclaredStage {
  static constexpr auto description =
      described("org.test.MisspeltStage", "MisspeltStage", "declares a key that nobody takes");
  static constexpr zz::Port provides[] = {zz::port("loma_lpf_limt", ZZ_I64, "a limit of factors")};

  zz::Results run(zz::Value context) {
    for (zz::Result& result : substage(context)) co_yield std::move(result);
  }
};

// A point for each size; in turn with zz::point, with a map that has no settings, and one in another.
struct SizesStage : zz::Stage {
  static constexpr auto description =
      described("org.test.SizesStage", "SizesStage", "one run for each size of the buffer");
  std::vector<int64_t> sizes;
  double most = 1e9;
  std::vector<double> steps{1e16, 1e-5, 0.25, 1e300, 3};
  static constexpr auto params =
      zz::params(zz::param<&SizesStage::sizes>("sizes", "in turn").unit("bit").required(),
                 zz::param<&SizesStage::most>("most", "limit of the energy").unit("pJ"),
                 zz::param<&SizesStage::steps>("steps", "numbers that C writes without a point"));
  static constexpr zz::Port consumes[] = {zz::object("accelerator", "accelerator", "what is varied")};
  static constexpr zz::Port provides[] = {zz::object("accelerator", "accelerator", "with another buffer")};

  void prepare() {
    if (most != 1e9 || steps != std::vector<double>{1e16, 1e-5, 0.25, 1e300, 3})
      throw zz::Error(ZZ_E_INVALID, "the defaults came back as others");
  }

  zz::Results run(zz::Value context) {
    int form = 0;
    for (const int64_t size : sizes) {
      const zz::Value variant = zz::with(context, {{"accelerator.memories[buffer].size", size}});
      for (zz::Result& result : substage(variant)) {
        zz::Result given = zz::point({{"size", size}}, result);
        const zz::Value bare = zz::make({{"size", size}, {"extra", result.extra}});
        if (form == 1) given = zz::Result(result.evaluation, bare);
        if (form == 2) given = zz::point({{"turn", form}}, given);
        co_yield std::move(given);
      }
      ++form;
    }
  }
};

// Halves the innermost memory, which must be large enough: known before anything runs.
struct HalvedStage : zz::Stage {
  static constexpr auto description =
      described("org.test.HalvedStage", "HalvedStage", "halves the innermost memory");
  std::int64_t least = 1;
  static constexpr auto params =
      zz::params(zz::param<&HalvedStage::least>("least", "bits that it must have before"));
  static constexpr zz::Port consumes[] = {zz::object("accelerator", "accelerator", "whose memory it is")};
  static constexpr zz::Port provides[] = {zz::object("accelerator", "accelerator", "with half of it")};

  zz::Value check(zz::Value context) const {
    const std::int64_t size = context["accelerator"]["memories"][0]["size"].i64();
    if (size < least)
      throw zz::Error(ZZ_E_INVALID, "the innermost memory has " + std::to_string(size) + " bits");
    return zz::with(context, {{"accelerator.memories[0].size", size / 2}});
  }
  zz::Results run(zz::Value context) {
    for (zz::Result& result : substage(check(context))) co_yield std::move(result);
  }
};

}  // namespace

ZZ_PLUGIN("org.test.context_stages", UndeclaredStage, DeclaredStage, MisspeltStage, SizesStage, HalvedStage)
