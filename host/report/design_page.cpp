#include "host/report/design_page.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/cost/rates.hpp"
#include "core/exploration/design_space.hpp"
#include "host/report/point_story.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

using core::StoredBox;
using PageJson = nlohmann::json;

constexpr std::size_t most_points = 20000, most_boxes = 2000;

std::uint64_t designs_in(const StoredBox& box) { return core::points_between(box.lower, box.upper); }

class DesignPage {
 public:
  explicit DesignPage(const core::ResultStore& store)
      : store_(store),
        told_(store.space()),
        space_(described_space(store)),
        table_(store.figures()),
        boxes_(store.boxes()) {
    figures_ = told_.figures;
    figures_.insert(figures_.end(), told_.metrics.begin(), told_.metrics.end());
    for (const auto& row : store.front().rows)
      ranks_.emplace(row.front().get<std::uint64_t>(), ranks_.size());
    state_ = column("state");
  }

  PageJson data() {
    const std::vector<std::size_t> rows = shown_rows();
    PageJson numbers = PageJson::array(), columns = PageJson::object(), steps = PageJson::object(),
             layers = PageJson::object();
    for (const std::string& figure : figures_) columns[figure] = PageJson::array();
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < rows.size(); ++place) {
      const auto& row = table_.rows[rows[place]];
      const auto number = row.front().get<std::uint64_t>();
      numbers.push_back(number);
      for (const std::string& figure : figures_) columns[figure].push_back(row[column(figure)]);
      if (!ranks_.contains(number)) continue;
      places.push_back(place);
      steps[std::to_string(place)] = steps_from(number);
      if (PageJson own = layers_of(number); !own.empty()) layers[std::to_string(place)] = std::move(own);
    }
    std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      const auto rank = [&](std::size_t place) { return ranks_.at(numbers[place].get<std::uint64_t>()); };
      return rank(a) < rank(b);
    });
    PageJson mappings = PageJson::array();
    for (const auto& [text, place] : mappings_) mappings[place] = text;
    PageJson axes = PageJson::array();
    for (const core::DesignAxis& axis : space_.axes())
      axes.push_back({{"names", axis.names}, {"steps", axis.steps}});
    return {{"axes", axes},         {"objectives", told_.objectives},
            {"figures", figures_},  {"numbers", numbers},
            {"columns", columns},   {"front", places},
            {"steps", steps},       {"layers", layers},
            {"mappings", mappings}, {"boxes", shown_boxes()},
            {"counts", counts()},   {"ideal", has_ideal_points(told_)},
            {"units", units()}};
  }

 private:
  /// Units of the figures whose unit is known; metrics of the space have none.
  PageJson units() const {
    PageJson units = PageJson::object();
    for (const std::string& figure : told_.figures) {
      const core::RateRow* const rate = core::rate_row(figure);
      if (figure == "energy") units[figure] = "pJ";
      if (figure == "latency") units[figure] = "cycles";
      if (figure == "edp") units[figure] = "pJ cycle";
      if (rate != nullptr) units[figure] = rate->unit;
    }
    return units;
  }

  std::size_t column(const std::string& name) const {
    const auto found = std::find(table_.columns.begin(), table_.columns.end(), name);
    return static_cast<std::size_t>(found - table_.columns.begin());
  }
  std::string text(const std::vector<PageJson>& row, std::size_t at) const {
    return row[at].is_string() ? row[at].get<std::string>() : "";
  }
  bool is_on_front(const std::vector<PageJson>& row) const {
    return ranks_.contains(row.front().get<std::uint64_t>());
  }

  /// Those with figures, thinned evenly where there are many.
  std::vector<std::size_t> shown_rows() const {
    std::vector<std::size_t> rows, shown;
    for (std::size_t i = 0; i < table_.rows.size(); ++i)
      if (text(table_.rows[i], state_) == "done") rows.push_back(i);
    const std::size_t every = rows.size() / most_points + 1;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i % every == 0 || is_on_front(table_.rows[rows[i]])) shown.push_back(rows[i]);
    return shown;
  }

  const std::vector<PageJson>* row_of(std::uint64_t number) const {
    const auto found = std::lower_bound(table_.rows.begin(), table_.rows.end(), number,
                                        [](const auto& row, std::uint64_t wanted) {
                                          return row.front().template get<std::uint64_t>() < wanted;
                                        });
    return found != table_.rows.end() && found->front() == PageJson(number) ? &*found : nullptr;
  }

  /// Neighbours of a point, a step down and up on each axis.
  PageJson steps_from(std::uint64_t number) const {
    PageJson all = PageJson::array();
    const core::DesignSpace::Steps here = space_.steps_of(number);
    for (std::size_t axis = 0; axis < here.size(); ++axis) {
      const core::DesignAxis& own = space_.axes()[axis];
      for (const int by : {-1, 1}) {
        if ((by < 0 && here[axis] == 0) || (by > 0 && here[axis] + 1 == own.steps.size())) continue;
        core::DesignSpace::Steps there = here;
        there[axis] = static_cast<std::uint32_t>(static_cast<int>(here[axis]) + by);
        const std::uint64_t neighbour = space_.number_of(there);
        PageJson step{{"axis", fmt::format("{}", fmt::join(own.names, ", "))},
                      {"to", own.steps[there[axis]].size() == 1 ? own.steps[there[axis]].front()
                                                                : PageJson(own.steps[there[axis]])},
                      {"number", neighbour},
                      {"figures", nullptr},
                      {"why", ""}};
        if (const auto* row = row_of(neighbour)) {
          if (text(*row, state_) != "done") {
            step["why"] = text(*row, state_) + ": " + text(*row, state_ + 1);
          } else {
            step["figures"] = PageJson::array();
            for (const std::string& objective : told_.objectives)
              step["figures"].push_back((*row)[column(objective)]);
          }
        } else {
          step["why"] = why_without_row(there);
        }
        all.push_back(std::move(step));
      }
    }
    return all;
  }

  /// The box that was discarded with this design inside, if there is one.
  const StoredBox* box_of(const core::DesignSpace::Steps& steps) const {
    for (const StoredBox& box : boxes_) {
      bool inside = true;
      for (std::size_t i = 0; i < steps.size(); ++i)
        inside = inside && box.lower[i] <= steps[i] && steps[i] <= box.upper[i];
      if (inside) return &box;
    }
    return nullptr;
  }

  std::string why_without_row(const core::DesignSpace::Steps& steps) const {
    const StoredBox* const box = box_of(steps);
    if (box == nullptr) return "not looked at";
    std::string bounds;
    for (std::size_t i = 0; i < told_.objectives.size(); ++i)
      bounds +=
          fmt::format("{}{} {}", i == 0 ? "" : ", ", told_.objectives[i], figure_text(box->bounds[i]));
    return fmt::format("discarded, not below {}: {}", bounds, box->reason);
  }

  /// Designs share mappings, which are told once.
  PageJson layers_of(std::uint64_t number) {
    PageJson all = PageJson::array();
    for (const core::StoredLayer& layer : store_.layers(number)) {
      const std::size_t mapping = mappings_.emplace(layer.mapping, mappings_.size()).first->second;
      all.push_back(PageJson::array({layer.name, layer.energy, layer.latency, mapping}));
    }
    return all;
  }

  PageJson shown_boxes() const {
    std::vector<const StoredBox*> largest;
    for (const StoredBox& box : boxes_) largest.push_back(&box);
    const auto larger = [](const StoredBox* a, const StoredBox* b) {
      return designs_in(*a) > designs_in(*b);
    };
    std::stable_sort(largest.begin(), largest.end(), larger);
    if (largest.size() > most_boxes) largest.resize(most_boxes);
    PageJson all = PageJson::array();
    for (const StoredBox* box : largest) {
      PageJson bounds;
      for (std::size_t i = 0; i < told_.objectives.size(); ++i)
        bounds[told_.objectives[i]] = box->bounds[i];
      all.push_back({{"bounds", bounds}, {"designs", designs_in(*box)}, {"reason", box->reason}});
    }
    return all;
  }

  std::string counts() const {
    std::uint64_t discarded = 0, done = 0, beyond = 0, infeasible = 0;
    for (const StoredBox& box : boxes_) discarded += designs_in(box);
    for (const auto& row : table_.rows) {
      // Within a tolerance a design may be discarded of which known mappings had told a figure before.
      if (box_of(space_.steps_of(row.front().get<std::uint64_t>())) != nullptr) --discarded;
      const std::string state = text(row, state_);
      ++(state == "done" ? done : state == "beyond" ? beyond : infeasible);
    }
    const std::uint64_t decided = done + beyond + infeasible + discarded;
    std::string counts = fmt::format(
        "{} designs: {} with figures, {} of them on the front; {} break a constraint, {} are infeasible, "
        "{} were "
        "discarded by the bounds of {} boxes",
        space_.size(), done, ranks_.size(), beyond, infeasible, discarded, boxes_.size());
    if (decided < space_.size()) counts += fmt::format("; nothing is known of {}", space_.size() - decided);
    if (done > most_points) counts += fmt::format(". The pictures show every {}th", done / most_points + 1);
    return counts + ".";
  }

  const core::ResultStore& store_;
  core::StoredSpace told_;
  core::DesignSpace space_;
  core::StoredTable table_;
  std::vector<StoredBox> boxes_;
  std::vector<std::string> figures_;
  std::unordered_map<std::uint64_t, std::size_t> ranks_;  ///< of points of the front
  std::size_t state_ = 0;
  std::map<std::string, std::size_t> mappings_;  ///< those of layers that were told, and their places
};

}  // namespace

std::string design_page(const core::ResultStore& store) {
  std::string data = DesignPage(store).data().dump(-1, ' ', false, PageJson::error_handler_t::replace);
  // Nothing in a text may end the script.
  for (std::size_t at = 0; (at = data.find("</", at)) != std::string::npos; at += 3)
    data.replace(at, 2, "<\\/");
  std::string page = design_page_text;
  constexpr std::string_view place = "/*data*/null";
  page.replace(page.find(place), place.size(), data);
  return page;
}

}  // namespace zz::host
