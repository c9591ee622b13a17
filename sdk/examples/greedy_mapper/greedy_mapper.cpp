// A search of one's own, as fast as those of zz: swaps two loops while that saves something, from several
// random orders. Candidates are numbers, of which the host makes no objects; the best is kept for whoever
// asks again.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>
#include <zz/stage.hpp>

struct GreedyMapperStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.GreedyMapperStage",
      .name = "GreedyMapperStage",
      .summary = "Swaps loops while that saves something",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  int64_t starts = 20;
  int64_t seed = 1;
  std::string metric = "latency_total2";
  std::string store;
  static constexpr auto params = zz::params(
      zz::param<&GreedyMapperStage::starts>("starts", "random orders to begin with").allowed("[1, inf]"),
      zz::param<&GreedyMapperStage::seed>("seed", "of the random numbers"),
      zz::param<&GreedyMapperStage::metric>("metric", "what is made small"),
      zz::param<&GreedyMapperStage::store>("store",
                                           "keeps what was found for later runs; empty: nothing does"));
  static constexpr zz::Port consumes[] = {
      zz::object("layer", "layer", "its loops are put into order"),
      zz::object("accelerator", "accelerator", "has the memories"),
      zz::object("spatial_mapping", "spatial_mapping", "what it unrolls is not iterated in time")};
  static constexpr zz::Port provides[] = {
      zz::object("temporal_mapping", "temporal_mapping", "the best order that was found")};

  // An order in numbers, as zz_order wants it.
  struct Order {
    std::vector<uint8_t> dimension;  // of layer.loops, innermost first
    std::vector<int64_t> size;
    double value = INFINITY;

    zz_order raw() const {
      return {.dimension = dimension.data(),
              .size = size.data(),
              .cuts = nullptr,  // the host shares the loops out over the memories
              .loops = static_cast<uint32_t>(size.size()),
              .levels = 0,
              .even = 0};
    }
    void swap(std::size_t a, std::size_t b) {
      std::swap(dimension[a], dimension[b]);
      std::swap(size[a], size[b]);
    }
  };

  // The prime factors of what each loop leaves to be iterated in time.
  static Order loops_of(const zz::Value& ctx) {
    Order loops;
    uint8_t dimension = 0;
    for (zz::Ref loop : ctx["layer.loops"]) {
      double unrolled = 1;
      for (zz::Ref level : ctx["spatial_mapping.operands[0].levels"])
        for (zz::Ref part : level)
          if (part["dimension"].str() == loop["name"].str()) unrolled *= part["factor"].num();
      auto left = static_cast<int64_t>(std::ceil(loop["size"].num() / unrolled - 1e-9));
      for (int64_t factor = 2; left > 1; ++factor)
        for (; left % factor == 0; left /= factor) {
          loops.dimension.push_back(dimension);
          loops.size.push_back(factor);
        }
      ++dimension;
    }
    return loops;
  }

  static double value_of(zz::RowScorer& scorer, const Order& order) {
    double value = 0;
    const zz_order raw = order.raw();
    try {
      scorer.score({&raw, 1}, &value);
    } catch (const zz::Below& failure) {
      if (failure.code != ZZ_E_CANCELLED) throw;
      return INFINITY;  // the search ends soon, with the best so far
    }
    return std::isnan(value) ? INFINITY : value;  // some memory is too small for that order
  }

  // Takes the first swap that saves something, until there is none.
  void descend(zz::RowScorer& scorer, Order& order, uint64_t& scored) const {
    for (bool better = true; better && !cancelled();) {
      better = false;
      for (std::size_t a = 0; a < order.size.size() && !better; ++a)
        for (std::size_t b = a + 1; b < order.size.size() && !better; ++b) {
          order.swap(a, b);
          const double value = value_of(scorer, order);
          ++scored;
          better = value < order.value;
          if (better)
            order.value = value;
          else
            order.swap(a, b);
        }
    }
  }

  // `whole` becomes false where the run was asked to stop meanwhile.
  Order search(zz::RowScorer& scorer, const zz::Value& ctx, bool& whole) const {
    Order loops = loops_of(ctx), best;
    std::mt19937_64 random(static_cast<uint64_t>(seed));
    uint64_t scored = 0;
    for (int64_t i = 0; i < starts && !cancelled(); ++i) {
      for (std::size_t left = loops.size.size(); left > 1; --left) loops.swap(left - 1, random() % left);
      loops.value = value_of(scorer, loops);
      descend(scorer, loops, scored);
      if (loops.value < best.value) best = loops;
    }
    count("orders scored", scored);
    whole = !cancelled();
    if (std::isinf(best.value)) {
      if (!whole) throw zz::Error(ZZ_E_CANCELLED, "stopped before an order was found");
      throw zz::Error(ZZ_E_NO_RESULT, "none of the orders fits into the memories");
    }
    // The best so far is better than nothing.
    if (!whole) zz::take_interruption();
    return best;
  }

  // The answer of an earlier search. It may come from a file: what it says is scored like any candidate.
  static Order order_of(const zz::Value& answer, zz::RowScorer& scorer) {
    Order order;
    for (zz::Ref loop : answer["loops"]) {
      order.dimension.push_back(static_cast<uint8_t>(loop[0].i64()));
      order.size.push_back(loop[1].i64());
    }
    order.value = value_of(scorer, order);
    return order;
  }
  static zz::Value answer_of(const Order& order) {
    std::vector<zz::Value> loops;
    for (std::size_t i = 0; i < order.size.size(); ++i)
      loops.push_back(zz::make(nullptr, zz::list({int64_t{order.dimension[i]}, order.size[i]})));
    return zz::make({{"loops", zz::make_list(loops)}});
  }

  zz::Results run(zz::Value ctx) {
    std::vector<zz::Name> metrics{zz::Name(metric)};
    std::optional<zz::RowScorer> below = scorer(ctx, zz::Name("temporal_mapping"), metrics);
    if (!below)
      throw zz::Error(ZZ_E_UNSUPPORTED, "the stages below give more than one result for a mapping");
    const zz::Value question = zz::make({{"layer", ctx["layer"]},
                                         {"accelerator", ctx["accelerator"]},
                                         {"spatial_mapping", ctx["spatial_mapping"]},
                                         {"starts", starts},
                                         {"seed", seed},
                                         {"metric", metric}});
    Order best;
    if (const zz::Value known = find_answer(question, store)) {
      best = order_of(known, *below);
    } else {
      bool whole = true;
      best = search(*below, ctx, whole);
      if (whole) keep_answer(question, answer_of(best), store);
    }
    const zz_order raw = best.raw();
    const zz::Value mapping = below->mapping(raw);
    for (zz::Result& result : substage(zz::with(ctx, {{"temporal_mapping", mapping}})))
      co_yield std::move(result);
  }
};

ZZ_PLUGIN("org.example.greedy_mapper", GreedyMapperStage)
