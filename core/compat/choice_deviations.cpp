#include "core/compat/choice_deviations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace zz::core {
namespace {

/// More rules than that are named in one sentence.
constexpr std::size_t most_sentences = 2;

std::string some_of(const std::set<std::string>& layers) {
  constexpr std::size_t most = 3;
  std::string names;
  std::size_t named = 0;
  for (const std::string& layer : layers) {
    if (named == most) break;
    names += fmt::format("{}{}", named == 0 ? "" : ", ", layer);
    ++named;
  }
  return layers.size() > named ? fmt::format("{} and {} more", names, layers.size() - named) : names;
}

std::string layers_of(const std::set<std::string>& layers) {
  return fmt::format("{} layer{} ({})", layers.size(), layers.size() == 1 ? "" : "s", some_of(layers));
}

}  // namespace

void ChoiceDeviations::add(const DeviationText& text, const std::string& layer) {
  const std::lock_guard lock(mutex_);
  layers_[text.name].insert(layer);
}

std::vector<std::string> ChoiceDeviations::sentences(std::string_view compat) const {
  const std::lock_guard lock(mutex_);
  const Rules original = rules_of(compat);
  std::vector<std::string> sentences, rules;
  for (const auto& [rule, layers] : layers_) {
    const DeviationText& text = *deviation_text(rule);
    if (!(original.*text.rule)) continue;
    rules.push_back(fmt::format("{} in {}", rule, layers_of(layers)));
    sentences.push_back(fmt::format("{}: this applies to {}, whose figures may differ from {}'s; {}",
                                    text.what, layers_of(layers), original_of(compat),
                                    advice(compat, rule)));
  }
  if (rules.size() <= most_sentences) return sentences;
  return {fmt::format("figures may differ from {}'s for {} reasons: {}; {}", original_of(compat),
                      rules.size(), fmt::join(rules, ", "), advice(compat))};
}

}  // namespace zz::core
