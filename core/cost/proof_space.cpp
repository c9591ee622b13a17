#include "core/cost/proof_space.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace zz::core {
namespace {

struct Part {
  bool ProofSpace::*member;
  std::uint32_t number;
  const char* left_out;
};

constexpr Part parts[] = {
#define ZZ_PROOF_SPACE(member, number, words) {&ProofSpace::member, number, words},
#include "core/cost/proof_space.def"
#undef ZZ_PROOF_SPACE
};

/// "a, b and c"
std::string enumeration(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

/// "even unrollings (of one loop along an array dimension)"
std::string unrollings_of(const ProofSpace& space) {
  return fmt::format("{}unrollings{} ({} along an array dimension)", space.even ? "even " : "",
                     space.hinted ? " that the mapping file leaves open" : "",
                     space.one_loop ? "of one loop" : "also of several loops");
}

/// "for latency"
std::string objective_of(const ProofSpace& space) {
  std::vector<std::string> made_small;
  if (space.for_energy) made_small.push_back("energy");
  if (space.for_latency) made_small.push_back("latency");
  if (space.for_edp) made_small.push_back("energy times latency");
  return made_small.empty() ? "" : ", for " + enumeration(made_small);
}

}  // namespace

double figure_of(const ProofSpace& space) {
  std::uint32_t sum = 0;
  for (const Part& part : parts)
    if (space.*part.member) sum |= part.number;
  return sum;
}

double figure_of_both(double a, double b) {
  const ProofSpace first = space_of_figure(a), second = space_of_figure(b);
  ProofSpace both;
  for (const Part& part : parts) both.*part.member = first.*part.member || second.*part.member;
  both.unbeaten = first.unbeaten && second.unbeaten;
  return figure_of(both);
}

ProofSpace space_of_figure(double figure) {
  ProofSpace space;
  if (!(figure >= 0 && figure < 4294967296.0)) return space;
  const auto sum = static_cast<std::uint32_t>(figure);
  for (const Part& part : parts) space.*part.member = (sum & part.number) != 0;
  return space;
}

std::string words_of(const ProofSpace& space, bool tried) {
  std::vector<std::string> competed;
  // Only what nothing rules out has "all" before it.
  std::string before = "all ";
  if (space.chooses_unrollings()) {
    competed.push_back(unrollings_of(space));
    if (space.hinted) before = "the ";
  }
  if (space.fused)
    for (const char* what : {"groups of layers", "tensors that stay on chip", "shared loops"})
      competed.emplace_back(what);
  const std::string all = space.chooses_unrollings() && space.hinted ? "all " : "";
  const std::string given = "the loop order and the cuts that the mapping file gives";
  if (space.cut && competed.empty()) {
    before = "";
    competed.push_back(given);
  } else if (!space.cut) {
    competed.push_back(all +
                       (space.ordered ? "loop orders that the mapping file leaves open" : "loop orders"));
    competed.emplace_back(space.greedy ? "LOMA's cuts between memories" : "cuts between memories");
  }
  if (!space.dividing)
    competed.emplace_back(space.chooses_unrollings() && !space.even
                              ? "chains of tiles under even unrollings"
                              : "chains of tiles");
  std::string text = before + enumeration(competed);
  if (space.cut && competed.front() != given) text += ", with " + given;
  if (space.fused)
    text += ", each layer with the unrolling that is best for it by itself, or prescribed";
  else if (space.prescribed)
    text += ", with the prescribed unrollings";
  else if (space.given)
    text +=
        tried ? ", with each of the unrollings that were tried" : ", with the unrollings that are given";
  if (space.unbeaten) text += ", which no other unrolling can better";
  if (space.limited) text += ", within the limits of other stages";
  return text + objective_of(space);
}

std::vector<std::string> left_out(const ProofSpace& space, bool all_tried) {
  ProofSpace told = space;
  if (all_tried && space.given) {
    told.given = false;
    told.even = true;
  }
  std::vector<std::string> words;
  for (const Part& part : parts) {
    const std::string what = part.left_out;
    if (!(told.*part.member) || what.empty()) continue;
    const bool of_unrollings = part.member == &ProofSpace::prescribed ||
                               part.member == &ProofSpace::given || part.member == &ProofSpace::hinted ||
                               part.member == &ProofSpace::even || part.member == &ProofSpace::one_loop;
    if (of_unrollings && told.unbeaten) continue;
    const bool of_choice = part.member == &ProofSpace::hinted || part.member == &ProofSpace::even ||
                           part.member == &ProofSpace::one_loop;
    if (of_choice && !told.chooses_unrollings()) continue;  // among the other unrollings
    if (std::find(words.begin(), words.end(), what) == words.end()) words.push_back(what);
  }
  return words;
}

bool take_old_space_figure(std::string_view name, double value, std::optional<double>& space) {
  if (std::find(std::begin(old_space_figures), std::end(old_space_figures), name) ==
      std::end(old_space_figures))
    return false;
  ProofSpace told =
      space ? space_of_figure(*space) : ProofSpace{.even = true, .one_loop = true, .dividing = true};
  const bool yes = value > 0;
  if (name == "optimum_spatial_prescribed") told.prescribed = yes;
  if (name == "optimum_mixed") told.one_loop = !yes;
  if (name == "optimum_any_factor") told.even = !yes;
  space = figure_of(told);
  return true;
}

}  // namespace zz::core
