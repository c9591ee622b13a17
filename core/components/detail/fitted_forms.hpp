#pragma once
#include <array>

// Written by tools/fit_components, which says what is fitted to what. Do not edit.
// clang-format off
namespace zz::core::components::fitted {

inline constexpr int node_count = 5;
inline constexpr std::array<double, node_count> nodes = {22, 32, 45, 65, 90};  // nm

/// The logarithm of a figure of an SRAM: a constant of transistors and node, and eleven terms.
struct SramForm {
  std::array<std::array<double, node_count>, 2> constants;  // high performance, low standby power
  std::array<double, 11> terms;
  double spread;               // nine in ten points that were kept back are within this factor
  double interpolated_spread;  // the same at nodes between two others
};

inline constexpr SramForm sram_read_energy = {
  {{{2.08198194, 2.5341865, 3.24376858, 3.8559493, 4.40268496}, {2.12023034, 3.05326595, 3.41882951, 4.07602724, 4.67454235}}},
  {0.601451673, 0.458812286, 0.00568382694, -0.0296949488, 0.146597459, -0.00331232033, 0.030431585, -0.043923187, 0.0245745206, -0.0482653378, -0.00580186972},
  1.393, 1.381};
inline constexpr SramForm sram_write_energy = {
  {{{2.22305721, 2.97869583, 3.55566422, 4.13732865, 4.78161729}, {2.29990586, 3.09279437, 3.84712178, 4.47631985, 5.05117379}}},
  {0.415858935, 0.880104348, -0.00307468902, 0.0181541361, 0.0424611519, 0.00253839283, -0.00771634995, 0.00988694977, -0.029488977, -0.0645599404, 0.0277581005},
  1.209, 1.167};
inline constexpr SramForm sram_area = {
  {{{-2.89926413, -2.22774679, -1.56960742, -0.832729393, -0.140968286}, {-2.91026912, -2.1565994, -1.56201043, -0.836618297, -0.214328113}}},
  {0.999153039, 0.0726887097, 0.0214703001, -0.0610989846, 0.0956367026, -0.00346390686, 0.0168509611, -0.0298204408, -0.00277548607, -0.00656345504, -0.00633885472},
  1.214, 1.174};
inline constexpr SramForm sram_leakage = {
  {{{3.03870818, 3.76350699, 4.38624922, 4.47688387, 3.37988636}, {-4.07321063, -3.89351678, -4.03675983, -3.70347851, -4.27622424}}},
  {0.944876615, -0.00785285372, 0.00388480792, -0.00524158333, -0.00750014964, 0.000899131806, 9.24818372e-06, 0.00455738974, -0.00660218309, 0.00469760419, 0.00258190201},
  1.067, 1.879};
inline constexpr SramForm sram_access_time = {
  {{{-1.1972543, -0.747934689, -0.523196584, -0.0906440955, 0.27339002}, {0.0223719155, 0.253256365, 0.611614145, 0.937431101, 1.24696699}}},
  {0.375876946, -0.00473101823, 0.016974578, 0.00760130997, 0.0162450013, -0.00223163601, -0.000937201007, 0.00548315852, -0.0566751311, -0.0327189713, -0.07426243},
  1.151, 1.142};

/// The logarithm of a figure of an analogue-to-digital converter: seven terms.
struct ConverterForm {
  std::array<double, 7> terms;
  double spread;  // nine in ten of the fitted points are within this factor
};

inline constexpr ConverterForm converter_energy = {{-1.99934871, 0.324845691, 0.0178422266, 0.598930926, 0.0202298169, -0.0234804376, 1.66368057}, 10.74};
inline constexpr ConverterForm converter_area = {{8.01517607, 0.282123206, -0.000606033243, 0.486442307, 0.0428986029, -0.00270836674, 1.72430041}, 14.42};

}  // namespace zz::core::components::fitted
// clang-format on
