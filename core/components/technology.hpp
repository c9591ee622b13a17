#pragma once
#include <string>

namespace zz::core::components {

/// The technology nodes that are answered for, in nm.
inline constexpr double smallest_node = 7;
inline constexpr double largest_node = 90;
/// SRAM is fitted from here on up; below, 22 nm is scaled.
inline constexpr double smallest_fitted_node = 22;
/// Below this node figures lean on one published table, of 7 nm.
inline constexpr double smallest_common_node = 16;

/// The two kinds of transistors that CACTI's points have.
enum class Transistors { high_performance, low_standby_power };

/// "high_performance" or "low_standby_power". Throws InputError for another text.
Transistors transistors_of(const std::string& text);

/// Throws InputError for a node outside of the range.
void check_node(double node);

/// The energy of an operation of logic at a node, by that at 45 nm; the same for its area. Between the
/// nodes of the table powers of the node. The node must be in the range.
///
/// Source: A. Stillmaker, B. Baas: Scaling equations for the accurate prediction of CMOS device performance
/// from 180 nm to 7 nm, Integration 58, 2017; energies at 0.8 V.
double logic_energy_scale(double node);
double logic_area_scale(double node);

/// The share of a node on the way from 16 nm (0, as for all above) to 7 nm (1), by its logarithm.
double share_of_anchor(double node);

/// Who published figures at 7 nm, quoted from notes and not from the paper: energies of operations and of
/// SRAM, and the share of a die that is SRAM.
inline constexpr const char* anchor_source =
    "N. Jouppi et al., Ten Lessons From Three Generations Shaped Google's TPUv4i, ISCA 2021 (7 nm)";

/// The warning that costs at such a node come with; "" from 16 nm up.
std::string warning_of_node(double node);

}  // namespace zz::core::components
