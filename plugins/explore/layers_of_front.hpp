#pragma once
#include "plugins/explore/exploration.hpp"
#include "plugins/explore/point_figures.hpp"

namespace zz::plugins {

/// Hands the layers of the points of the front to the store, as far as they have been answered: nothing is
/// searched for it.
void keep_layers_of_front(Exploration& exploration, const FiguresOfLayers& figures);

}  // namespace zz::plugins
