// Around the members of a stage in docs/writing-a-stage.md.
#include <zz/stage.hpp>

struct KeepBest : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.KeepBest", .name = "KeepBest", .summary = "Passes on the best results"};
  // LISTING
  zz::Results run(zz::Value context) {
    for (zz::Result& result : substage(context)) co_yield std::move(result);
  }
};

ZZ_PLUGIN("org.example.keep_best", KeepBest)
