#pragma once

namespace zz::core {

/// The analog-to-digital converter at the end of a bitline. `resolution` in bits; 0: there is none.
double adc_area(double resolution);                    ///< mm2
double adc_delay(double resolution, double bitlines);  ///< ns; `bitlines`: cells along one bitline
double adc_energy(double resolution);                  ///< pJ per conversion

/// The driver that turns `bits` of an activation into a voltage. It takes neither area nor time in the
/// model.
double dac_energy(double bits);  ///< pJ per conversion; nothing for one bit, which needs no converter

}  // namespace zz::core
