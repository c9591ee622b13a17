// Says what an operator is that zz does not know: LowRankMatMul of the domain org.example, which multiplies
// by two thin matrices in place of a thick one.
//
//   Y[.., n] = sum over r of (sum over k of X[.., k] * U[k, r]) * V[r, n]
#include <zz/stage.hpp>

struct LowRankOperatorStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.LowRankOperatorStage",
      .name = "LowRankOperatorStage",
      .summary = "reads the operator LowRankMatMul of org.example",
      .doc =
          "Stands in the chain `operators` of a stage that reads ONNX files. Knows one operator; for "
          "others it "
          "has no result, so that the reader asks no further.",
      .flags = ZZ_STAGE_LEAF | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};
  static constexpr zz::Port consumes[] = {zz::any_port("the node, under `operator`")};

  zz::Result run(zz::Value ctx) {
    const zz::Ref node = ctx["operator"];
    if (node["type"].str() != "org.example:LowRankMatMul")
      throw zz::Error(ZZ_E_NO_RESULT,
                      "operator '" + std::string(node["type"].str()) + "' is not known here");
    const zz::Ref x = node["inputs"][0], u = node["inputs"][1], v = node["inputs"][2];
    if (x["shape"].is_null() || u["shape"].size() != 2 || v["shape"].size() != 2)
      throw zz::Error(ZZ_E_INVALID,
                      "node '" + std::string(node["name"].str()) + "': needs a tensor and two matrices");
    const int64_t summed = u["shape"][0].i64(), rank = u["shape"][1].i64(), columns = v["shape"][1].i64();
    int64_t rows = 1;
    std::vector<int64_t> shape;
    for (uint32_t axis = 0; axis + 1 < x["shape"].size(); ++axis) {
      shape.push_back(x["shape"].at(axis).i64());
      rows *= shape.back();
    }
    shape.push_back(columns);

    const std::string type(x["type"].str());
    const zz::Value output = zz::make(nullptr, {{"type", type}, {"shape", shape}});
    const zz::Value down = product("/down", {{"D", rows}, {"C", summed}, {"K", rank}}, -1, {"input", 0}, 1);
    const zz::Value up = product("/up", {{"D", rows}, {"C", rank}, {"K", columns}}, 0, {"product", 0}, 2);
    const zz::Value answer =
        zz::make(nullptr, {{"outputs", zz::list({output})}, {"products", zz::list({down, up})}});
    return {zz::Value(), zz::make(nullptr, {{"operator", answer}})};
  }

 private:
  /// O[D, K] += I[D, C] * W[C, K]. `output` is the node's output that it writes, -1 for none; `data` says
  /// where I is read, from an input of the node or from an earlier product; `weight` is the input with W.
  static zz::Value product(const char* suffix, std::initializer_list<zz::Entry> loops, int64_t output,
                           zz::Entry data, int64_t weight) {
    return zz::make(nullptr, {{"suffix", suffix},
                              {"loops", loops},
                              {"O", {{"dimensions", zz::list({"D", "K"})}, {"output", output}}},
                              {"I", {{"dimensions", zz::list({"D", "C"})}, data}},
                              {"W", {{"dimensions", zz::list({"C", "K"})}, {"input", weight}}}});
  }
};

ZZ_PLUGIN("org.example.custom_operator", LowRankOperatorStage)
