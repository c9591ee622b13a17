#include "host/report/calibration_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

std::string percent(double error) { return fmt::format("{:.1f}", error); }

}  // namespace

std::string calibration_as_table(const CalibrationReport& report) {
  const core::Calibration& made = report.made;
  TextTable constants({{"key"}, {"before", true}, {"fitted", true}, {""}});
  for (const core::FittedConstant& one : made.constants)
    constants.add_row({one.key.name, fmt::format("{}", one.before), fmt::format("{}", one.after),
                       one.matters ? "" : "does not matter: it stays"});
  TextTable errors({{"mean error [%]"},
                    {"rows", true},
                    {"before", true},
                    {"fitted", true},
                    {"roofline", true},
                    {"calibrated roofline", true}});
  for (const core::CalibrationErrors& one : made.errors) {
    if (made.errors.size() == 2 && !one.kind.empty()) continue;  // the same rows
    const bool any = one.rows > 0;
    errors.add_row({one.kind.empty() ? "other half" : one.kind, fmt::format("{}", one.rows),
                    any ? percent(one.before) : "-", any ? percent(one.after) : "-",
                    any ? percent(one.roofline) : "-", any ? percent(one.calibrated_roofline) : "-"});
  }
  std::string text = fmt::format(
      "{}\n{}\nfitted on {} of the {} rows, where the error went from {} to {} %; the calibrated roofline "
      "reaches {:.3f} of the peak and {:.3f} of the bandwidth\n",
      constants.text(), errors.text(), made.fitted_rows, made.fitted_rows + made.other_rows,
      percent(made.fitted_before), percent(made.fitted_after), made.roofline_peak, made.roofline_bandwidth);
  if (made.unproven_layers > 0)
    text += fmt::format("of {} of the {} layers time ended the proof that no mapping is faster\n",
                        made.unproven_layers, made.layers);
  if (!report.written.empty()) text += fmt::format("written: {}\n", report.written);
  return text;
}

nlohmann::ordered_json calibration_as_json(const CalibrationReport& report) {
  const core::Calibration& made = report.made;
  using Json = nlohmann::ordered_json;
  Json constants = Json::array(), errors = Json::array();
  for (const core::FittedConstant& one : made.constants)
    constants.push_back(
        {{"key", one.key.name}, {"before", one.before}, {"after", one.after}, {"matters", one.matters}});
  for (const core::CalibrationErrors& one : made.errors) {
    const auto known = [&](double error) { return one.rows > 0 ? Json(error) : Json(nullptr); };
    errors.push_back({{"kind", one.kind.empty() ? Json(nullptr) : Json(one.kind)},
                      {"rows", one.rows},
                      {"before", known(one.before)},
                      {"after", known(one.after)},
                      {"roofline", known(one.roofline)},
                      {"calibrated_roofline", known(one.calibrated_roofline)}});
  }
  return {{"accelerator", report.accelerator},
          {"measurements", report.measurements},
          {"output", report.written.empty() ? Json(nullptr) : Json(report.written)},
          {"constants", constants},
          {"rows", {{"fitted", made.fitted_rows}, {"other", made.other_rows}}},
          {"layers", {{"all", made.layers}, {"unproven", made.unproven_layers}}},
          {"fitted_error", {{"before", made.fitted_before}, {"after", made.fitted_after}}},
          {"errors", errors},
          {"calibrated_roofline", {{"peak", made.roofline_peak}, {"bandwidth", made.roofline_bandwidth}}}};
}

}  // namespace zz::host
