#pragma once

/// The logic gates that the in-memory-computing model counts: a 28 nm process at 0.9 V. Capacitances in
/// pF, so that times volt squared they are pJ; areas in mm2; delays in ns.
///
/// Method: J. Sun, P. Houshmand, M. Verhelst: Analog or Digital In-Memory Computing? Benchmarking through
/// Quantitative Modeling, ICCAD 2023. Values: those of ZigZag 3.8.5.
namespace zz::core::technology {

inline constexpr double supply_squared = 0.9 * 0.9;  ///< V2

inline constexpr double nand_capacitance = 0.7 / 1e3;
inline constexpr double xor_capacitance = 0.7 * 1.5 / 1e3;
inline constexpr double flip_flop_capacitance = 0.7 * 3 / 1e3;
inline constexpr double wordline_capacitance = 0.7 / 2 / 1e3;  ///< of one cell
inline constexpr double bitline_capacitance = 0.7 / 2 / 1e3;   ///< of one cell

inline constexpr double nand_area = 0.614 / 1e6;
inline constexpr double xor_area = 0.614 * 2.4 / 1e6;
inline constexpr double flip_flop_area = 0.614 * 6 / 1e6;

inline constexpr double nand_delay = 0.0478;
inline constexpr double xor_delay = 0.0478 * 2.4;

/// A multiplier of one bit by one bit, idle in half of the cycles.
namespace multiplier {
inline constexpr double energy = 0.5 * nand_capacitance * supply_squared;
inline constexpr double area = nand_area;
inline constexpr double delay = nand_delay;
}  // namespace multiplier

namespace full_adder {
inline constexpr double energy = (3 * nand_capacitance + 2 * xor_capacitance) * supply_squared;
inline constexpr double area = 3 * nand_area + 2 * xor_area;
inline constexpr double input_to_sum = 2 * xor_delay;
inline constexpr double input_to_carry = xor_delay + 2 * nand_delay;
inline constexpr double carry_to_carry = 2 * nand_delay;
}  // namespace full_adder

/// A full adder one of whose inputs does not change.
namespace half_adder {
inline constexpr double energy = 2 * xor_capacitance * supply_squared;
}

/// One bit of a register.
namespace register_bit {
inline constexpr double energy = flip_flop_capacitance * supply_squared;
inline constexpr double area = flip_flop_area;
}  // namespace register_bit

}  // namespace zz::core::technology
