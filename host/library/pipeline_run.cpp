#include "host/library/pipeline_run.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/exploration/point_key.hpp"
#include "core/input/yaml/document.hpp"
#include "core/value/read.hpp"
#include "host/base/cancellation.hpp"
#include "host/base/time_spent.hpp"
#include "host/chain/chain_description.hpp"
#include "host/chain/guard.hpp"
#include "host/report/result_rows.hpp"
#include "host/values/context.hpp"
#include "host/values/handles.hpp"

namespace zz::host {

namespace {

/// True for a text, or one inside, that leads into the packages of the originals.
bool is_of_original(const core::yaml::Node& value) {
  for (const core::yaml::Node& item : value.items)
    if (is_of_original(item)) return true;
  for (const auto& [name, entry] : value.entries)
    if (is_of_original(entry)) return true;
  const std::optional<std::string> text = value.as_text();
  if (!text) return false;
  constexpr std::string_view inputs[] = {"zigzag/inputs/", "stream/inputs/", "zigzag.inputs.",
                                         "stream.inputs."};
  return std::any_of(std::begin(inputs), std::end(inputs),
                     [&](std::string_view one) { return text->find(one) != text->npos; });
}

bool names_original(const PipelineFile& pipeline) {
  const auto any = [](const std::vector<WrittenSetting>& settings) {
    return std::any_of(settings.begin(), settings.end(), [](const WrittenSetting& setting) {
      return setting.name == "compat" || is_of_original(setting.value);
    });
  };
  return any(pipeline.parameters) ||
         std::any_of(pipeline.stages.begin(), pipeline.stages.end(),
                     [&](const StageEntry& stage) { return any(stage.settings); });
}

}  // namespace

PipelineRun::PipelineRun(const OpenPipeline& open, Run& run, Telling telling)
    : run_(run), names_original_(names_original(open.pipeline)), told_(telling == Telling::nothing) {
  const WorkingFor working(run_);
  const Charge charge("creating the stages");
  chain_ = std::make_unique<Chain>(open.chain);
}

PipelineRun::~PipelineRun() {
  const WorkingFor working(run_);
  const Charge charge("between the stages");
  if (opened_) stream_.close(&stream_);
  chain_.reset();
  tell_deviations();
  try {
    run_.answers->write();
  } catch (const core::InputError& problem) {
    log(LogLevel::warning, fmt::format("the last answers are not in the store: {}", problem.what()));
  }
}

void PipelineRun::tell_deviations() {
  if (std::exchange(told_, true)) return;
  const std::string sentence = deviations_.sentence();
  if (sentence.empty()) return;
  if (names_original_)
    log(LogLevel::warning, sentence);
  else
    run_.log.note(sentence);
}

void PipelineRun::rehearse() {
  const WorkingFor working(run_);
  const Charge charge("between the stages");
  chain_->rehearse();
}

namespace {

bool has_one_result(const zz_place* place) {
  for (; place != nullptr; place = place->below) {
    const std::uint32_t flags = place->description->flags;
    if ((flags & ZZ_STAGE_REDUCES) != 0) return true;
    if ((flags & ZZ_STAGE_ONE) == 0) return false;
    if ((flags & ZZ_STAGE_FORWARDS) == 0) return place->below == nullptr;
  }
  return false;
}

/// The digest of each object of the context that the chain reads.
std::map<std::string, std::string> digests_of_objects(const core::Value& context,
                                                      const core::ChainContent& chain) {
  std::map<std::string, std::string> digests;
  for (const core::Name key : context_keys(context)) {
    const core::Value* const value = find_in_context(context, key);
    std::string name(core::text_of(key));
    if (value != nullptr && core::kind_of(value->ref()) == core::Kind::object && chain.reads(name))
      digests.emplace(std::move(name), core::digest_of(core::to_json(value->ref())));
  }
  return digests;
}

}  // namespace

PipelineRun::Key PipelineRun::key() {
  const WorkingFor working(run_);
  const Charge charge("between the stages");
  Key key;
  bool arrived = false;
  chain_->read_files([&](const zz_place& first, const core::Value& context) {
    const core::Value described = describe_chain(&first, context);
    const core::ChainContent chain(nlohmann::json::parse(core::to_json(described.ref())));
    key = {core::point_key(chain, digests_of_objects(context, chain)), has_one_result(&first)};
    arrived = true;
  });
  if (!arrived)
    throw ChainFailure(make_failure(ZZ_E_NO_RESULT, "the stages that read files gave nothing", ""));
  return key;
}

std::string PipelineRun::no_result() const {
  const std::string why = let_through_none(chain_->first());
  return "the pipeline gave no result" + (why.empty() ? "" : ": " + why);
}

/// A reducer that got nothing does not know why.
FailurePointer PipelineRun::with_reason(const FailurePointer& failure, zz_status status) const {
  const std::string why = status == ZZ_E_NO_RESULT ? let_through_none(chain_->first()) : "";
  if (why.empty() || failure == nullptr) return failure;
  Failure told = *failure;
  told.message += "; " + why;
  return std::make_shared<const Failure>(std::move(told));
}

std::optional<PipelineResult> PipelineRun::next() {
  const WorkingFor working(run_);
  const Charge charge("between the stages");
  zz_error sink;
  if (!opened_) {
    if (open_place(chain_->first(), chain_->root_context(), &stream_, &sink) != ZZ_OK)
      throw ChainFailure(from_value(sink.failure));
    opened_ = true;
  }
  zz_result result{};
  std::uint32_t count = 0;
  if (const zz_status status = stream_.pull(&stream_, &result, 1, &count, &sink); status != ZZ_OK)
    throw ChainFailure(with_reason(from_value(sink.failure), status));
  if (count == 0) {
    tell_deviations();
    try {
      run_.answers->write();
    } catch (const core::InputError& problem) {
      throw ChainFailure(make_failure(ZZ_E_INVALID, problem.what(), ""));
    }
    // Whatever stages made of it, what came up is not all that was asked for.
    if (was_interrupted()) throw ChainFailure(make_failure(ZZ_E_CANCELLED, "interrupted", ""));
    return std::nullopt;
  }
  const Handle evaluation = Handle::take(result.evaluation), extra = Handle::take(result.extra);
  if (const auto part = part_of_list(evaluation.value()))
    deviations_.add(part->evaluation, part->extra);
  else
    deviations_.add(evaluation.value(), extra.value());
  return PipelineResult{evaluation.value(), extra.value()};
}

}  // namespace zz::host
