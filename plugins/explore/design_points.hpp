#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/exploration/design_space.hpp"
#include "core/exploration/space_forms.hpp"
#include "plugins/internal/accelerator_fields.hpp"
#include "plugins/internal/json_values.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// One point of a space.
struct DesignPoint {
  std::uint64_t number = 0;
  std::vector<nlohmann::json> axes;    ///< values, by the names of the space
  std::vector<PointSetting> settings;  ///< the same, then linked fields
  Value accelerator;                   ///< null where no stage above hands one down
  std::vector<double> numbers;         ///< of DesignPoints::quantities(); not a number: unknown as yet
};

/// The points of a space over one context: which accelerator and which settings each of them has, and what
/// the closed forms give there. [any]
class DesignPoints {
 public:
  /// A name whose number closed forms may ask for.
  struct Quantity {
    enum Kind { axis, linked, metric, figure, field } kind;
    std::string name;       ///< as first written
    std::size_t index = 0;  ///< of the axis name, linked field, metric or figure
    int element = -1;       ///< of an axis whose values are lists
    double number = 0;      ///< of a field that does not vary
  };

  /// Tries every name and closed form. `settings`: of the stages below. Throws Error(ZZ_E_INVALID) with all
  /// that is wrong and the nearest names. `space` and `forms` must outlive it.
  DesignPoints(const Value& ctx, const core::DesignSpace& space, const core::SpaceForms& forms,
               const std::vector<std::string>& settings);

  const core::DesignSpace& space() const { return space_; }
  const core::SpaceForms& forms() const { return forms_; }
  const std::vector<Quantity>& quantities() const { return quantities_; }
  /// The accelerator that varies; null where the space has settings alone.
  const Value& base() const { return accelerator_; }

  /// Values that no accelerator has whose other fields are as above the stage, and why: of each axis the
  /// first.
  std::vector<std::string> values_without_accelerator() const;
  /// Throws Error(ZZ_E_INVALID) where a closed form has no value or no accelerator can have these fields:
  /// `point` then has what is known of it.
  void make(std::uint64_t number, DesignPoint& point) const;
  /// The context of the stages below. `point` was made.
  Value context(const Value& ctx, const DesignPoint& point) const;
  /// True when some axis is a setting of a stage below.
  bool varies_settings() const;

  /// Gives `numbers` the figures, then the metrics that need them.
  void set_figures(std::vector<double>& numbers, std::span<const double> figures) const;
  /// The number of a metric, a figure or an objective by its name.
  double number_of(const std::vector<double>& numbers, const std::string& name) const;
  /// The quantity of a metric or figure, if closed forms or objectives name it.
  std::optional<std::size_t> find_quantity(const std::string& name) const;
  std::size_t quantity_of(const std::string& name) const { return find_quantity(name).value(); }
  /// The constraint that is broken most and by how much; nothing where all hold as far as is known.
  struct Broken {
    std::size_t constraint = 0;
    double excess = 0;
  };
  std::optional<Broken> broken(const std::vector<double>& numbers) const;
  /// The quantities of an expression or constraint: of the linked fields, then the metrics, then the
  /// constraints.
  const std::vector<std::vector<std::size_t>>& uses() const { return uses_; }
  const std::vector<std::size_t>& uses_of_constraint(std::size_t constraint) const {
    return uses_[forms_.linked.size() + forms_.metrics.size() + constraint];
  }
  /// True when the axis name is a field of the accelerator, and not a setting of a stage below.
  bool is_field(std::size_t name) const { return is_field_[name]; }

 private:
  std::size_t quantity(const std::string& name, std::size_t linked_before, std::size_t metrics_before);
  std::vector<std::size_t> resolve(const std::vector<std::string>& names, std::size_t linked_before,
                                   std::size_t metrics_before, const std::string& what);
  void check_names(const std::vector<std::string>& settings);
  void tell(const std::string& text) { wrong_ += (wrong_.empty() ? "" : "\n") + text; }
  void evaluate(std::size_t use, const core::Expression& expression, std::size_t target,
                std::vector<double>& numbers) const;

  Value accelerator_;
  const core::DesignSpace& space_;
  const core::SpaceForms& forms_;
  std::vector<std::string> names_;                       ///< of the axes
  std::vector<bool> is_field_;                           ///< by name
  std::vector<std::vector<std::vector<Value>>> values_;  ///< by axis, step and name of it
  std::vector<Quantity> quantities_;
  std::map<std::string, std::size_t> by_name_;                 ///< quantities that were asked for
  std::map<std::string, std::pair<std::size_t, int>> varied_;  ///< unique path -> axis name, element
  std::map<std::string, std::size_t> linked_paths_;            ///< unique path -> linked field
  std::vector<std::vector<std::size_t>> uses_;
  std::vector<std::size_t> linked_quantity_, metric_quantity_;
  std::string wrong_;
};

/// A whole number as one.
Value value_of_number(double number);

}  // namespace zz::plugins
