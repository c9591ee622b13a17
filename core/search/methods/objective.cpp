#include "core/search/methods/objective.hpp"

#include <array>
#include <cstddef>

#include "core/base/text.hpp"

namespace zz::core {
namespace {

struct Words {
  Objective objective;
  std::string_view word, figure;
};
constexpr std::array<Words, 3> all = {{{Objective::energy, "energy", "energy_total"},
                                       {Objective::latency, "latency", "latency_total2"},
                                       {Objective::edp, "edp", "edp"}}};

const Words& words_of(Objective objective) { return all[static_cast<std::size_t>(objective)]; }

template <class Same>
std::optional<Objective> find(const Same& same) {
  for (const Words& words : all)
    if (same(words)) return words.objective;
  return std::nullopt;
}

}  // namespace

std::span<const std::string> objective_words() {
  static const std::array<std::string, all.size()> words = {
      std::string(all[0].word), std::string(all[1].word), std::string(all[2].word)};
  return words;
}

std::string word_of(Objective objective) { return std::string(words_of(objective).word); }

std::optional<Objective> objective_of_word(std::string_view word) {
  return find([word = lower_case(word)](const Words& words) { return words.word == word; });
}

std::string figure_of(Objective objective) { return std::string(words_of(objective).figure); }

std::optional<Objective> objective_of_figure(std::string_view figure) {
  return find([&](const Words& words) { return words.figure == figure; });
}

}  // namespace zz::core
