#include "host/report/merged_rows.hpp"

#include <fmt/format.h>
#include <map>
#include <utility>

#include "host/report/iteration_names.hpp"

namespace zz::host {
namespace {

constexpr std::size_t most_rows_as_they_are = 40;

}  // namespace

std::vector<MergedRow> merged_rows(const std::vector<TableLayer>& layers) {
  const bool many = layers.size() > most_rows_as_they_are;
  std::vector<MergedRow> rows;
  std::vector<std::size_t> numbers;  // of the layers in each row
  std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> places;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string& own = layers[i].name;
    const std::string name = without_iterations(own);
    if (many || name != own) {
      const auto [found, is_new] =
          places.try_emplace(std::pair(many ? "" : name, layers[i].cells), rows.size());
      if (!is_new) {
        ++numbers[found->second];
        std::string& shown = rows[found->second].name;
        if (without_iterations(shown) == name) shown = name;
        continue;
      }
    }
    rows.push_back({i, own});
    numbers.push_back(1);
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (numbers[i] > 1) rows[i].name += fmt::format(" (x {})", numbers[i]);
  return rows;
}

}  // namespace zz::host
