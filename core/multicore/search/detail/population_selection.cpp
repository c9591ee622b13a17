#include "core/multicore/search/detail/population_selection.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace zz::core {

namespace {

using Indices = std::vector<std::size_t>;

/// Distance of each point of a front to its neighbours, summed over both figures in units of the front's
/// extent; infinite at the ends.
std::vector<double> crowding(const std::vector<ScheduleFigures>& population, const Indices& front) {
  std::vector<double> distance(front.size(), 0);
  for (const double ScheduleFigures::*figure : {&ScheduleFigures::energy, &ScheduleFigures::latency}) {
    Indices order(front.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto value = [&](std::size_t i) { return population[front[order[i]]].*figure; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return population[front[a]].*figure < population[front[b]].*figure;
    });
    distance[order.front()] = distance[order.back()] = std::numeric_limits<double>::infinity();
    const double extent = value(order.size() - 1) - value(0);
    if (extent <= 0) continue;
    for (std::size_t i = 1; i + 1 < order.size(); ++i) {
      distance[order[i]] += (value(i + 1) - value(i - 1)) / extent;
    }
  }
  return distance;
}

/// Takes the points that no other one beats out of `order`, which is by latency, then energy.
Indices next_front(const std::vector<ScheduleFigures>& population, Indices& order) {
  Indices front, rest;
  double least = std::numeric_limits<double>::infinity();
  double latency = 0;
  for (const std::size_t index : order) {
    const ScheduleFigures& figures = population[index];
    const bool equal = !front.empty() && figures.energy == least && figures.latency == latency;
    if (figures.energy < least || equal) {
      front.push_back(index);
      least = figures.energy;
      latency = figures.latency;
    } else {
      rest.push_back(index);
    }
  }
  order = std::move(rest);
  std::sort(front.begin(), front.end());
  return front;
}

}  // namespace

std::vector<std::size_t> select_best(const std::vector<ScheduleFigures>& population, std::size_t count) {
  Indices order, repeated, infeasible;
  for (std::size_t i = 0; i < population.size(); ++i)
    (population[i].feasible ? order : infeasible).push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(population[a].latency, population[a].energy) <
           std::pair(population[b].latency, population[b].energy);
  });
  const auto same = [&](std::size_t a, std::size_t b) {
    return population[a].latency == population[b].latency && population[a].energy == population[b].energy;
  };
  Indices distinct;
  for (const std::size_t index : order) {
    (!distinct.empty() && same(distinct.back(), index) ? repeated : distinct).push_back(index);
  }
  Indices chosen;
  while (!distinct.empty() && chosen.size() < count) {
    Indices front = next_front(population, distinct);
    if (chosen.size() + front.size() > count) {
      const std::vector<double> distance = crowding(population, front);
      Indices by_distance(front.size());
      std::iota(by_distance.begin(), by_distance.end(), std::size_t{0});
      std::stable_sort(by_distance.begin(), by_distance.end(),
                       [&](std::size_t a, std::size_t b) { return distance[a] > distance[b]; });
      Indices spread;
      for (const std::size_t i : by_distance) spread.push_back(front[i]);
      front = std::move(spread);
    }
    for (const std::size_t index : front) {
      if (chosen.size() < count) chosen.push_back(index);
    }
  }
  for (const Indices* rest : {&repeated, &infeasible}) {
    for (const std::size_t index : *rest) {
      if (chosen.size() < count) chosen.push_back(index);
    }
  }
  return chosen;
}

}  // namespace zz::core
