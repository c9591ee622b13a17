#include "plugins/transformer/decoder_workload.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/workload/layer_check.hpp"
#include "plugins/transformer/decoder_config.hpp"
#include "plugins/transformer/step_builder.hpp"
#include "tests/unit/transformer/public_models.hpp"

namespace {

using namespace zz::core;
using namespace zz::plugins;
using nlohmann::json;

MappingFile one_mapping() {
  MappingFile file;
  LayerMapping entry;
  entry.name = "default";
  entry.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  file.entries = {entry};
  return file;
}

Workload workload_of(const std::string& config, const DecoderStep& step, const DecoderBits& bits = {}) {
  Diagnostics diagnostics;
  return make_decoder_workload(read_decoder("", config, diagnostics), step, bits, one_mapping(), {},
                               diagnostics);
}

double operations_of(const Workload& workload) {
  double operations = 0;
  for (const auto& layer : workload.layers) operations += static_cast<double>(layer->mac_count());
  return operations;
}

const Layer& layer_called(const Workload& workload, const std::string& name) {
  for (const auto& layer : workload.layers)
    if (layer->name == name) return *layer;
  FAIL("no layer " << name);
  return *workload.layers.front();
}

std::string loops_of(const Workload& workload, const std::string& name) {
  std::string text;
  for (const LoopDimension& loop : layer_called(workload, name).loops)
    text += loop.name + std::to_string(loop.size) + " ";
  return text;
}

/// Multiply-accumulates of a step by the keys of the configuration alone. Latent attention is as `absorbed`
/// says.
double closed_formula(const json& c, const DecoderStep& step) {
  const auto first_of = [&](std::initializer_list<const char*> keys, double otherwise) {
    for (const char* key : keys)
      if (c.contains(key) && !c[key].is_null()) return c[key].get<double>();
    return otherwise;
  };
  const std::string type = c["model_type"];
  const double d = first_of({"hidden_size", "n_embd"}, 0),
               blocks = first_of({"num_hidden_layers", "n_layer"}, 0);
  const double heads = first_of({"num_attention_heads", "n_head"}, 0);
  const bool one = c.value("multi_query", false) && !c.value("new_decoder_architecture", false);
  const double shared = one ? 1 : first_of({"num_key_value_heads", "num_kv_heads"}, heads);
  const double width = first_of({"head_dim"}, d / heads);
  const double inner = first_of({"intermediate_size", "n_inner"}, 4 * d);
  const auto batch = static_cast<double>(step.batch), tokens = static_cast<double>(step.tokens);
  const auto context = static_cast<double>(step.context);
  const std::set<std::string> ungated = {"gpt2", "gpt_bigcode", "gpt_neox", "phi", "falcon", "starcoder2"};

  double of_token = d * (heads + 2 * shared) * width + heads * width * d;
  double of_pair = heads * 2 * width;
  double of_cached = 0;
  if (c.contains("kv_lora_rank")) {
    const double rank = c["kv_lora_rank"], plain = c["qk_nope_head_dim"], rotary = c["qk_rope_head_dim"];
    const double value = c["v_head_dim"], query = first_of({"q_lora_rank"}, 0);
    of_token = (query > 0 ? d * query + query * heads * (plain + rotary) : d * heads * (plain + rotary)) +
               d * (rank + rotary) + heads * value * d;
    if (step.absorbed) {
      of_token += heads * rank * (plain + value);
      of_pair = heads * (2 * rank + rotary);
    } else {
      of_cached = rank * heads * (plain + value);
      of_pair = heads * (plain + rotary + value);
    }
  }
  const double experts = first_of({"num_local_experts", "num_experts", "n_routed_experts"}, 0);
  const double dense = experts == 0 ? blocks : first_of({"first_k_dense_replace"}, 0);
  const double expert_width = first_of({"moe_intermediate_size"}, inner);
  const double taken = first_of({"num_experts_per_tok"}, 0) + first_of({"n_shared_experts"}, 0);
  const double mixture = 3 * d * (taken * expert_width + first_of({"shared_expert_intermediate_size"}, 0)) +
                         d * experts + (c.contains("shared_expert_intermediate_size") ? d : 0);
  const double fed = (ungated.count(type) > 0 ? 2 : 3) * d * inner;
  const double logits = (step.last_logits ? 1 : tokens) * d * c["vocab_size"].get<double>();
  return batch * (tokens * (blocks * of_token + dense * fed + (blocks - dense) * mixture) +
                  blocks * (context * of_cached + tokens * context * of_pair) + logits);
}

TEST_CASE("decoders: operations of public models are those of the closed formula") {
  const DecoderStep steps[] = {{1, 128, 128, false, false}, {2, 64, 64, true, false},
                               {1, 1, 100, false, true},    {8, 1, 77, false, true},
                               {2, 3, 13, false, false},    {4, 1, 5, false, false}};
  for (const zz::test::PublicModel& model : zz::test::public_models()) {
    for (const DecoderStep& step : steps) {
      INFO(model.name, ", context ", step.context);
      const Workload workload = workload_of(model.config, step);
      CHECK(operations_of(workload) == closed_formula(json::parse(model.config), step));
      CHECK(workload_problem(workload) == "");
    }
  }
}

const std::string tiny =
    "{hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 8, "
    "num_key_value_heads: 2, intermediate_size: 96, vocab_size: 100";

TEST_CASE("decoders: keys and values are elements of W once for all queries that share them") {
  const DecoderStep step{3, 1, 50};
  const Workload workload = workload_of(tiny + "}", step, {4, 8, 6, 24});
  CHECK(loops_of(workload, "block1/attention/scores") == "C8 D4 K50 B3 H2 ");
  CHECK(loops_of(workload, "block1/attention/context") == "C50 D4 K8 B3 H2 ");
  CHECK(loops_of(workload, "block0/mlp/down") == "C96 D1 K64 B3 ");
  CHECK(loops_of(workload, "head") == "C64 D1 K100 B3 ");
  const Layer& scores = layer_called(workload, "block1/attention/scores");
  CHECK(scores.operand_elements(scores.operand_index("W"), {}) == 3 * 2 * 8 * 50);
  CHECK(scores.operands[2].precision == 6);
  CHECK_FALSE(scores.operands[2].constant);
  const Layer& down = layer_called(workload, "block0/mlp/down");
  CHECK(down.operand_elements(down.operand_index("W"), {}) == 96 * 64);
  CHECK(down.operands[2].precision == 4);
  CHECK(down.operands[2].constant);
  CHECK(down.operands[0].precision == 24);
  CHECK(down.final_output_precision == 8);
  CHECK(layer_called(workload, "block0/attention/key").final_output_precision == 6);
}

TEST_CASE("decoders: every layer is sound") {
  for (const std::string& config : {tiny + "}", tiny + ", sliding_window: 5}",
                                    tiny + ", model_type: gemma3_text, head_dim: 8, sliding_window: 5}",
                                    tiny + ", num_experts: 8, num_experts_per_tok: 3}"}) {
    const Workload workload = workload_of(config, {2, 7, 12});
    for (const auto& layer : workload.layers) {
      INFO(layer->name, " ", layer->equation);
      CHECK(loop_problems(*layer).empty());
      CHECK(operand_problems(*layer).empty());
    }
    CHECK(workload_problem(workload) == "");
  }
}

TEST_CASE("decoders: a window makes products banded, whose keys are those in reach") {
  const std::string config = tiny + ", sliding_window: 5}";
  const auto keys_of = [&](const DecoderStep& step) {
    const Workload workload = workload_of(config, step);
    const Layer& scores = layer_called(workload, "block0/attention/scores");
    const Layer& context = layer_called(workload, "block0/attention/context");
    const std::int64_t keys = scores.operand_elements(2, {});
    CHECK(context.operand_elements(2, {}) == keys);
    return keys / (2 * 8);
  };
  // Four queries share a head of keys; each of 12 tokens attends to 5.
  CHECK(loops_of(workload_of(config, {1, 12, 12}), "block0/attention/scores") == "C8 D12 K5 B1 H2 G4 ");
  CHECK(keys_of({1, 12, 12}) == 12);
  CHECK(keys_of({1, 3, 12}) == 7);
  CHECK(keys_of({1, 1, 12}) == 5);
  CHECK(loops_of(workload_of(config, {1, 1, 12}), "block0/attention/scores") == "C8 D4 K5 B1 H2 ");
  CHECK(loops_of(workload_of(config, {1, 4, 4}), "block0/attention/scores") == "C8 D16 K4 B1 H2 ");
}

TEST_CASE("decoders: the expected number of experts is read, and no token is lost") {
  CHECK(expected_experts(8, 2, 1) == doctest::Approx(2));
  CHECK(expected_experts(8, 2, 8) == doctest::Approx(8 * (1 - std::pow(0.75, 8))));
  for (const std::int64_t tokens : {1, 2, 3, 7, 8, 100, 4096}) {
    const ExpertLoad load = expert_load(60, 4, tokens);
    CHECK(load.experts * load.tokens + load.with_one_more == 4 * tokens);
    CHECK(load.experts == std::llround(expected_experts(60, 4, tokens)));
  }
  const std::string config = tiny + ", num_experts: 8, num_experts_per_tok: 2}";
  const Workload one = workload_of(config, {1, 1, 50});
  CHECK(loops_of(one, "block0/moe/experts/up") == "C64 D1 K96 E2 ");
  CHECK(loops_of(one, "block0/moe/router") == "C64 D1 K8 B1 ");
  const Workload eight = workload_of(config, {8, 1, 50});  // 16 tokens for 7 experts
  CHECK(loops_of(eight, "block0/moe/experts/up") == "C64 D2 K96 E5 ");
  CHECK(loops_of(eight, "block0/moe/fuller_experts/down") == "C96 D3 K64 E2 ");
}

TEST_CASE("decoders: latent attention uses cached vectors as they are, or makes keys and values") {
  std::string config;
  for (const zz::test::PublicModel& model : zz::test::public_models())
    if (model.name == "DeepSeek-V2-Lite") config = model.config;
  const Workload absorbed = workload_of(config, {1, 1, 300, false, true});
  CHECK(loops_of(absorbed, "block0/attention/scores") == "C576 D16 K300 B1 H1 ");
  CHECK(loops_of(absorbed, "block0/attention/context") == "C300 D16 K512 B1 H1 ");
  CHECK(loops_of(absorbed, "block0/attention/query_absorbed") == "C128 D1 K512 B1 H16 ");
  const Workload expanded = workload_of(config, {1, 300, 300, false, false});
  CHECK(loops_of(expanded, "block0/attention/scores") == "C192 D300 K300 B1 H16 ");
  CHECK(loops_of(expanded, "block0/attention/context") == "C300 D300 K128 B1 H16 ");
  CHECK(loops_of(expanded, "block0/attention/key_value") == "C512 D300 K4096 B1 ");
}

TEST_CASE("decoders: work on elements is layers for a vector unit, and costs nothing without") {
  for (const std::string more :
       {"", ", num_experts: 8, num_experts_per_tok: 3", ", model_type: gpt2, n_positions: 64",
        ", model_type: falcon", ", model_type: qwen3, head_dim: 8"}) {
    DecoderStep step{3, 1, 65};
    const Workload plain = workload_of(tiny + more + "}", step);
    step.vector_layers = true;
    const Workload workload = workload_of(tiny + more + "}", step);
    double products = 0;
    for (const auto& layer : workload.layers) {
      INFO(more, " ", layer->name);
      CHECK(loop_problems(*layer).empty());
      CHECK(operand_problems(*layer).empty());
      if (!layer->vector_work) products += static_cast<double>(layer->mac_count());
      // Nothing is left outside of the layers but tables, caches and the choice of experts.
      for (const std::int64_t source : layer->operands[1].sources) {
        for (const PassThroughNode& node : workload.pass_through)
          if (node.id == source)
            CHECK((node.type == "gather" || node.type == "concat" || node.type == "topk"));
      }
    }
    CHECK(products == operations_of(plain));
    CHECK(std::none_of(plain.layers.begin(), plain.layers.end(),
                       [](const auto& layer) { return layer->vector_work; }));
  }
  DecoderStep step{3, 2, 65};
  step.vector_layers = true;
  const DecoderBits bits{4, 16, 8, 32};
  const Workload workload = workload_of(tiny + "}", step, bits);
  const Layer& softmax = layer_called(workload, "block0/attention/softmax");
  CHECK(softmax.equation == "O[b][k][oy][ox] = I[b][k][oy][ox] * W[b][k][oy][ox]");
  CHECK(softmax.operands[2].precision == 0);
  CHECK(loops_of(workload, "block0/attention/softmax") == "B3 K8 OX65 OY2 ");
  const Layer& norm = layer_called(workload, "block1/mlp/norm");
  CHECK(norm.equation == "O[b][oy][ox] = I[b][oy][ox] * W[ox]");
  CHECK(norm.operands[2].precision == 16);
  CHECK(layer_called(workload, "block0/attention/key_rotary").final_output_precision == 8);
  CHECK(layer_called(workload, "block0/mlp/add").operands[2].sources.size() == 1);
}

TEST_CASE("decoders: steps are the layers of each context, and none is there twice") {
  for (const std::string& config :
       {tiny + "}", tiny + ", model_type: gemma2, head_dim: 8, sliding_window: 5}",
        tiny + ", num_experts: 8, num_experts_per_tok: 3, first_k_dense_replace: 1}"}) {
    Diagnostics diagnostics;
    const Decoder decoder = read_decoder("", config, diagnostics);
    const DecoderStep first{2, 1, 3};
    const DecoderSteps steps = make_decoder_steps(decoder, first, 9, {}, one_mapping(), {}, diagnostics);
    for (std::size_t i = 0; i < steps.layers.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) CHECK_FALSE(same_work(*steps.layers[i], *steps.layers[k]));
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      DecoderStep step = first;
      step.context += static_cast<std::int64_t>(i);
      const Workload whole = make_decoder_workload(decoder, step, {}, one_mapping(), {}, diagnostics);
      std::size_t layers = 0;
      for (const DecoderSteps::Part& part : steps.steps[i]) {
        const auto like = [&](const auto& other) { return same_work(*steps.layers[part.layer], *other); };
        CHECK(std::count_if(whole.layers.begin(), whole.layers.end(), like) == part.times);
        layers += static_cast<std::size_t>(part.times);
      }
      CHECK(layers == whole.layers.size());
    }
  }
}

}  // namespace
