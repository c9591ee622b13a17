#include "core/answers/cost_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "core/answers/question.hpp"
#include "core/base/diagnostics.hpp"
#include "core/output/archive/archive.hpp"
#include "core/value/name.hpp"
#include "core/value/read.hpp"

namespace zz::core {
namespace {

/// Version of what is written as the extra of an answer.
constexpr std::int64_t cost_file_version = 2;

std::string text_at(const Value& map, const char* key) {
  std::string_view text;
  return read_text(part(map.ref(), intern(key)), text) ? std::string(text) : std::string();
}

}  // namespace

/// Digests of all that the answer to a question can depend on. Equal digests, equal costs.
struct CostFile::Digests {
  explicit Digests(const CoreCostQuestion& question)
      : layer(question_text(*question.layer)), accelerator(exact_text(*question.accelerator)) {}

  std::string layer, accelerator;
};

CostFile::CostFile(std::string path, const Files& files) : path_(std::move(path)) {
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return;
  if (!is_archive(path_)) {
    foreign_ = true;
    problem_ = "it was not written by zz, and is left as it is";
    return;
  }
  try {
    ArchiveReader reader(path_, ArchiveReader::As::objects, files);
    Value evaluation;
    Value extra;
    while (reader.next(evaluation, extra)) {
      std::int64_t version = 0;
      if (!read_i64(part(extra.ref(), intern("cost_file")), version)) {
        foreign_ = true;
        problem_ = "it holds results, but no costs of cores, and is left as it is";
        return;
      }
      if (version != cost_file_version) {
        problem_ = fmt::format("it is of version {}, not {}", version, cost_file_version);
        return;
      }
      Entry entry{text_at(extra, "where"),
                  text_at(extra, "layer"),
                  text_at(extra, "accelerator"),
                  {},
                  evaluation.as<Evaluation>()};
      const Ref stages = part(extra.ref(), intern("stages"));
      for (std::uint32_t i = 0; i < count_of(stages); ++i) {
        std::string_view name;
        std::string_view text;
        if (read_text(part_at(stages, i, &name), text)) entry.stages.emplace_back(name, text);
      }
      entries_.push_back(std::move(entry));
    }
  } catch (const InputError& error) {
    entries_.clear();
    problem_ = error.diagnostics().front().message;
  }
}

std::string CostFile::change(const Entry& entry, const Digests& question,
                             const CostModelTexts& stages) const {
  for (const auto& [name, text] : stages) {
    const auto same_name = [name = &name](const auto& earlier) { return earlier.first == *name; };
    const auto earlier = std::find_if(entry.stages.begin(), entry.stages.end(), same_name);
    if (earlier == entry.stages.end()) return fmt::format("'{}' is {} and was not set", name, text);
    if (earlier->second != text) return fmt::format("'{}' is {} and was {}", name, text, earlier->second);
  }
  if (entry.stages.size() != stages.size()) return "a setting is no longer there";
  if (entry.accelerator != question.accelerator) return "the core or what streams to it is another";
  return "the node is another";
}

std::vector<std::shared_ptr<const Evaluation>> CostFile::answers(
    const std::vector<CoreCostQuestion>& questions, const CostModelTexts& stages,
    std::vector<std::string>& warnings) const {
  std::map<std::pair<std::string, std::string>, const Entry*> usable;
  std::map<std::string, const Entry*> by_place;
  for (const Entry& entry : entries_) {
    if (entry.stages == stages && entry.answer) usable[{entry.layer, entry.accelerator}] = &entry;
    by_place[entry.where] = &entry;
  }
  std::vector<std::shared_ptr<const Evaluation>> answers;
  std::size_t out_of_date = 0;
  std::string first_change;
  for (const CoreCostQuestion& question : questions) {
    const Digests digests(question);
    const auto found = usable.find({digests.layer, digests.accelerator});
    if (found != usable.end()) {
      answers.push_back(found->second->answer);
      continue;
    }
    answers.push_back(nullptr);
    const auto earlier = by_place.find(question.where);
    if (earlier == by_place.end()) continue;
    if (out_of_date++ == 0) {
      first_change = fmt::format("{}: {}", question.where, change(*earlier->second, digests, stages));
    }
  }
  if (!problem_.empty()) {
    warnings.push_back(fmt::format("the cost file '{}' is not used: {}", path_, problem_));
  } else if (out_of_date > 0) {
    warnings.push_back(fmt::format("{} of {} costs in '{}' are out of date and computed anew ({})",
                                   out_of_date, entries_.size(), path_, first_change));
  } else if (!entries_.empty() &&
             std::none_of(answers.begin(), answers.end(), [](const auto& answer) { return answer; })) {
    warnings.push_back(
        fmt::format("the costs in '{}' are all of other layers or cores; computed anew", path_));
  }
  return answers;
}

void CostFile::write(const std::vector<CoreCostQuestion>& questions, const CostModelTexts& stages,
                     const std::vector<std::shared_ptr<const Evaluation>>& answers) const {
  if (foreign_) return;
  std::vector<std::pair<std::string, Value>> texts;
  for (const auto& [name, text] : stages) texts.emplace_back(name, Value::text(text));
  const Value stage_texts = Value::map(std::move(texts));
  ArchiveWriter writer(path_);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (!answers[i]) continue;
    const Digests digests(questions[i]);
    writer.add(Value::object(answers[i]), Value::map({{"cost_file", Value::integer(cost_file_version)},
                                                      {"where", Value::text(questions[i].where)},
                                                      {"layer", Value::text(digests.layer)},
                                                      {"accelerator", Value::text(digests.accelerator)},
                                                      {"stages", stage_texts}}));
  }
  writer.finish();
}

}  // namespace zz::core
