#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugins/transformer/decoder_config.hpp"
#include "plugins/transformer/decoder_workload.hpp"

// Decoders by their parameters against exported networks of the same sizes, whose operations were counted
// on the graph.

namespace {

using namespace zz::core;
using namespace zz::plugins;
using nlohmann::json;

struct Exported {
  std::string network;
  std::string config;
  std::vector<std::string> cases;
};

const std::vector<Exported>& exported() {
  static const std::vector<Exported> networks = {
      {"llama_dynamic",
       "{model_type: llama, hidden_size: 256, num_hidden_layers: 2, num_attention_heads: 8, "
       "num_key_value_heads: 2, intermediate_size: 704, vocab_size: 1000}",
       {"prefill", "decode", "b4"}},
      {"llama_opset23",
       "{model_type: llama, hidden_size: 128, num_hidden_layers: 2, num_attention_heads: 8, "
       "num_key_value_heads: 2, intermediate_size: 352, vocab_size: 500}",
       {"prefill", "decode"}},
      {"genai_llama_int4",
       "{model_type: llama, hidden_size: 2048, num_hidden_layers: 2, num_attention_heads: 32, "
       "num_key_value_heads: 8, intermediate_size: 8192, vocab_size: 4096}",
       {"prefill", "decode"}},
      {"gpt2_with_past",
       "{model_type: gpt2, n_embd: 192, n_layer: 2, n_head: 6, vocab_size: 800, n_positions: 256, "
       "tie_word_embeddings: false}",
       {"prefill", "decode", "b2s3p10"}},
  };
  return networks;
}

std::int64_t dimension(const json& truth, const std::string& name) {
  const json& all = truth["dimensions"];
  return all.contains(name) ? all[name] : all[name + (name == "batch" ? "_size" : "_sequence_length")];
}

/// Without tables of rotary positions, which some exporters compute as outer products.
double operations_of_truth(const json& truth) {
  double operations = 0;
  for (const json& node : truth["nodes"]) {
    if (node["kind"] != "mac") continue;
    const std::string formula = node["formula"];
    if (!formula.ends_with("*1")) operations += node["macs"].get<double>();
  }
  return operations;
}

double elements_of_truth(const json& truth, const std::string& op) {
  double elements = 0;
  for (const json& node : truth["nodes"])
    if (node["kind"] == "other" && node["op"] == op) elements += node["elements"].get<double>();
  return elements;
}

double vector_work_of(const Workload& workload, const std::string& type) {
  double operations = 0;
  for (const auto& layer : workload.layers)
    if (layer->vector_work && layer->type == type) operations += static_cast<double>(layer->mac_count());
  return operations;
}

TEST_CASE("decoders: operations and cache bytes are those of exported networks") {
  const auto folder = std::filesystem::path(ZZ_SOURCE_DIR).parent_path() / "shared" / "networks" / "truth";
  if (!std::filesystem::exists(folder)) {
    MESSAGE("skipped: there is no folder shared/networks/truth beside the source tree");
    return;
  }
  MappingFile mapping;
  mapping.entries.emplace_back().name = "default";
  for (const Exported& network : exported()) {
    for (const std::string& name : network.cases) {
      INFO(network.network, "@", name);
      std::ifstream file(folder / (network.network + "@" + name + ".json"));
      REQUIRE(file.good());
      const json truth = json::parse(file);
      const json& dimensions = truth["dimensions"];
      DecoderStep step;
      step.batch = dimension(truth, "batch");
      step.tokens =
          dimensions.contains("sequence") ? dimensions["sequence"] : dimensions["sequence_length"];
      step.context = step.tokens + dimension(truth, "past");
      Diagnostics diagnostics;
      const Decoder decoder = read_decoder("", network.config, diagnostics);
      const Workload workload = make_decoder_workload(decoder, step, {}, mapping, {}, diagnostics);
      double operations = 0;
      for (const auto& layer : workload.layers) operations += static_cast<double>(layer->mac_count());
      CHECK(operations == operations_of_truth(truth));
      step.vector_layers = true;
      const Workload with_vector_work = make_decoder_workload(decoder, step, {}, mapping, {}, diagnostics);
      const auto vector_work = [&](const char* type) { return vector_work_of(with_vector_work, type); };
      if (network.network == "llama_opset23") {
        CHECK(vector_work("norm") == elements_of_truth(truth, "RMSNormalization"));
        CHECK(vector_work("rotary") == elements_of_truth(truth, "RotaryEmbedding"));
        CHECK(vector_work("add") == elements_of_truth(truth, "Add"));
        // Written with Sigmoid and Mul.
        CHECK(vector_work("activation") == elements_of_truth(truth, "Sigmoid"));
        CHECK(vector_work("activation") + vector_work("mul") == elements_of_truth(truth, "Mul"));
      }
      if (network.network == "llama_dynamic")
        CHECK(vector_work("softmax") == elements_of_truth(truth, "Softmax"));
      const json& cache = truth["kv_cache"];
      CHECK(static_cast<double>(step.batch) * cached_elements(decoder, step.context) *
                cache["bytes_per_element"].get<double>() ==
            cache["present_bytes"].get<double>());
      if (truth.contains("parameters_of_source"))
        CHECK(parameters_of(decoder) == truth["parameters_of_source"].get<double>());
    }
  }
}

}  // namespace
