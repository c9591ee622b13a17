#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zz::core {

/// The space of mappings that a proof ranged over: all that zz can search, but for what each member that
/// is true leaves out. The one place from which words, keys of stores and figures of results are made, so
/// that nothing is said of more than was compared.
struct ProofSpace {
  bool prescribed = false;   ///< the mapping file, or the core, leaves no unrolling to choose
  bool given = false;        ///< the unrolling came from another stage, as the generator of three
  bool hinted = false;       ///< the mapping file leaves some to choose
  bool even = false;         ///< UnrollingFactors::even
  bool one_loop = false;     ///< along an array dimension
  bool ordered = false;      ///< the mapping file says something of the loop order
  bool cut = false;          ///< the mapping file gives the loop order and its cuts
  bool greedy = false;       ///< LOMA's allocation makes the cuts
  bool dividing = false;     ///< each tile divides its loop
  bool some_chains = false;  ///< of tiles that do not, those of some lengths under even unrollings
  bool limited = false;      ///< stages above limit the energy or the latency
  // The objectives.
  bool for_energy = false, for_latency = false, for_edp = false;
  // The other figure, by which one was chosen among the best, was proven over less:
  bool second_even = false;      ///< of even unrollings alone
  bool second_dividing = false;  ///< of tiles alone that divide their loop
  // For all layers of a network together:
  bool fused = false;         ///< groups of layers; each has the unrolling of its own optimum
  bool fewer_groups = false;  ///< settings rule some out
  /// A bound says that no unrolling that is left out can be better.
  bool unbeaten = false;

  bool operator==(const ProofSpace&) const = default;
  /// There was an unrolling to choose.
  bool chooses_unrollings() const { return !prescribed && !given; }
};

/// As the figure `optimum_space` (CertificateFigures::space): the sum of the parts of its members.
double figure_of(const ProofSpace& space);
/// The figure of the space inside of both, for which proofs over either hold: it leaves out what either
/// does.
double figure_of_both(double a, double b);
/// Parts of another zz that this one does not know are passed over.
ProofSpace space_of_figure(double figure);

/// "all even unrollings (also of several loops along an array dimension), loop orders and cuts between
/// memories, for latency": what follows "proven best among". `tried`: unrollings that are `given` were
/// tried one by one.
std::string words_of(const ProofSpace& space, bool tried = false);

/// Mappings that did not compete: "unrollings that leave rounds partly empty", ... `all_tried`: unrollings
/// that are `given` are all of the even ones.
std::vector<std::string> left_out(const ProofSpace& space, bool all_tried = false);

/// Figures by which results of an earlier zz told the space; all that these proofs knew.
inline constexpr std::string_view old_space_figures[] = {"optimum_spatial_prescribed", "optimum_mixed",
                                                         "optimum_any_factor"};
/// Takes one of them into `space`, a figure as above, which then begins with what all of them left out.
/// False: the name is none of these.
bool take_old_space_figure(std::string_view name, double value, std::optional<double>& space);

}  // namespace zz::core
