#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace zz::core {

/// The figure that a search makes small: energy (pJ), latency (cycles), or their product (EDP).
enum class Objective { energy, latency, edp };

/// Words for objectives wherever there are some: in settings, files, stores, and on the command line.
inline constexpr const char* objective_choices = "energy|latency|edp";
inline constexpr const char* objective_choices_or_none = "|energy|latency|edp";
std::span<const std::string> objective_words();

/// "energy", "latency" or "edp".
std::string word_of(Objective objective);
/// The objective of a word, also in capitals; none for other texts.
std::optional<Objective> objective_of_word(std::string_view word);

/// The figure of an evaluation: "energy_total", "latency_total2" or "edp".
std::string figure_of(Objective objective);
/// The objective of a figure; none for those that searches do not make small.
std::optional<Objective> objective_of_figure(std::string_view figure);

inline double value_of(Objective objective, double energy, double latency) {
  switch (objective) {
    case Objective::energy:
      return energy;
    case Objective::latency:
      return latency;
    case Objective::edp:
      return energy * latency;
  }
  return 0;
}

}  // namespace zz::core
