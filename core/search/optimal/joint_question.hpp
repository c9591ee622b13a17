#pragma once
#include "core/cost/evaluation.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The question that a search for a pair of mappings answers: the layer with its entry of the mapping file,
/// and how it was to be searched. Nothing cancels it.
struct JointQuestion {
  Layer layer;
  JointOptions options;
};

/// The evaluation of which a question is asked: the layer that is typical of a sum, else itself.
inline const Evaluation& asked_of(const Evaluation& evaluation) {
  return evaluation.typical ? *evaluation.typical : evaluation;
}

/// The question to which the mapping of an evaluation is the answer (Evaluation::question). Where no search
/// for the best has asked it: the same layer over all unrollings, for the latency. The evaluation has a
/// layer and a cost model.
inline JointQuestion question_of(const Evaluation& evaluation) {
  if (evaluation.question) return *evaluation.question;
  JointQuestion question{*evaluation.layer, {}};
  question.layer.mapping.spatial_mapping = {};
  question.options.objective = Objective::latency;
  question.options.mixed = true;
  question.options.model = *evaluation.cost_model;
  question.options.factors = usual_factors(question.options.model.rules);
  return question;
}

}  // namespace zz::core
