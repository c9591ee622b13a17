#include "core/multicore/cuts/cut_prices.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/multicore/cuts/cut_menu.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

/// Answers that exist as whole evaluations at a time, and cuts whose pieces exist as whole layers.
constexpr std::size_t most_at_once = 256, most_cuts_at_once = 1024;

bool same_costs(const std::vector<CoreCost>& a, const std::vector<CoreCost>& b) {
  const auto figures = [](const CoreCost& cost) {
    return std::tie(cost.core, cost.runtime, cost.onchip_energy, cost.offchip_energy, cost.streamed,
                    cost.stream_read_elements, cost.stream_write_elements, cost.stream_read_bits,
                    cost.stream_write_bits);
  };
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [&](const CoreCost& one, const CoreCost& other) { return figures(one) == figures(other); });
}

void share_row(const std::shared_ptr<const CoreCosts::OfLayer>& known,
               std::shared_ptr<const CoreCosts::OfLayer>& row) {
  const auto same = [](const CoreCosts::OfShape& a, const CoreCosts::OfShape& b) {
    return same_costs(a.on, b.on);
  };
  if (same_costs(known->on, row->on) && std::equal(known->smaller.begin(), known->smaller.end(),
                                                   row->smaller.begin(), row->smaller.end(), same))
    row = known;
}

/// An answer that has what none is below.
Evaluation least_of(const FirstAnswer& answer) {
  Evaluation least;
  least.latency_total1 = answer.least_runtime;
  least.energy_total = answer.least_energy;
  return least;
}

/// Bits that a piece streams at least: each element of an operand once, in its narrowest form. Of inputs
/// that windows share, nothing is said.
void set_least_streams(CoreCost& cost, const Layer& piece) {
  cost.stream_read_bits = cost.stream_write_bits = 0;
  for (const int operand : cost.streamed) {
    const auto elements = static_cast<double>(piece.operand_elements(operand, Rules{}));
    if (operand == 0) {
      const double sum = TileBits(piece, operand, false).least();
      const bool finished = piece.final_output_precision > 0;
      cost.stream_write_bits =
          elements * (finished ? std::min(sum, TileBits(piece, operand, true).least()) : sum);
    } else if (!piece.has_relations(operand)) {
      cost.stream_read_bits += elements * TileBits(piece, operand, false).least();
    }
  }
}

std::shared_ptr<const CoreCosts::OfLayer> with_least_streams(
    CoreCosts::OfLayer row, const std::vector<std::shared_ptr<const Layer>>& pieces) {
  for (CoreCost& cost : row.on) set_least_streams(cost, *pieces.front());
  for (std::size_t shape = 0; shape < row.smaller.size(); ++shape)
    for (CoreCost& cost : row.smaller[shape].on) set_least_streams(cost, *pieces[shape + 1]);
  return std::make_shared<const CoreCosts::OfLayer>(std::move(row));
}

std::string text_of(const Cut& cut) {
  std::string text;
  for (const CutLoop& loop : cut)
    text += fmt::format("{}[{}, {}{}]", text.empty() ? "" : ", ", loop.dimension, loop.count.value_or(0),
                        loop.lockstep ? ", lockstep"
                        : loop.spread ? ", spread"
                                      : "");
  return "[" + text + "]";
}

/// Pieces that only the first of equal candidates may run. Candidates that do not exist are told of later.
std::vector<std::shared_ptr<const Layer>> for_one_of_each_kind(
    const std::vector<std::shared_ptr<const Layer>>& pieces, const std::vector<int>& kinds) {
  std::vector<std::int64_t> kept;
  std::set<std::int64_t> known;
  for (const std::int64_t core : pieces.front()->mapping.core_allocation) {
    const bool exists = core >= 0 && core < static_cast<std::int64_t>(kinds.size());
    if (known.insert(exists ? kinds[core] : core).second || !exists) kept.push_back(core);
  }
  if (kept.size() == pieces.front()->mapping.core_allocation.size()) return pieces;
  std::vector<std::shared_ptr<const Layer>> restricted;
  for (const auto& piece : pieces) {
    auto own = std::make_shared<Layer>(*piece);
    own->mapping.core_allocation = kept;
    restricted.push_back(std::move(own));
  }
  return restricted;
}

OperandBits needs_at_most(const Layer& layer, int samples, OperandBits needs) {
  for (std::size_t operand = 1; operand < needs.size(); ++operand)
    if (!layer.operands[operand].constant)
      needs[operand] =
          std::max(needs[operand], samples * layer.operand_bits(static_cast<int>(operand), Rules{}));
  return needs;
}

[[noreturn]] void refuse(PartitionGraphs& graphs, const CutPrices& costs, int layer) {
  const std::vector<Cut>& cuts = graphs.cuts()[layer];
  const Layer& whole = *graphs.layers()[layer];
  int smallest = 0;
  for (std::size_t cut = 0; cut < cuts.size(); ++cut)
    if (pieces(cuts[cut], whole) > pieces(cuts[smallest], whole)) smallest = static_cast<int>(cut);
  throw NoResult(fmt::format(
      "layer {} '{}' runs on no core with any of its {} cuts; its smallest piece, {}: {}", whole.id,
      whole.name, cuts.size(), text_of(cuts[smallest]), costs.reason(layer, smallest)));
}

}  // namespace

std::vector<int> core_kinds(const MultiCoreAccelerator& accelerator) {
  std::vector<int> kinds;
  for (int core = 0; core < accelerator.core_count(); ++core) {
    int first = 0;
    while (kinds.size() > static_cast<std::size_t>(first) &&
           (kinds[first] != first || !(*accelerator.cores[first] == *accelerator.cores[core])))
      ++first;
    kinds.push_back(first);
  }
  return kinds;
}

std::vector<int> equal_cores(const MultiCoreAccelerator& accelerator) {
  const std::vector<int> kinds = core_kinds(accelerator);
  std::map<int, std::vector<int>> by_kind;
  for (int core = 0; core < accelerator.core_count(); ++core)
    if (core != accelerator.offchip_core) by_kind[kinds[core]].push_back(core);
  const auto most = std::max_element(by_kind.begin(), by_kind.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  return most == by_kind.end() ? std::vector<int>{} : most->second;
}

bool runs_on(const Layer& layer, const std::vector<int>& cores) {
  const auto& candidates = layer.mapping.core_allocation;
  return candidates.size() == cores.size() && std::all_of(cores.begin(), cores.end(), [&](int core) {
           return std::find(candidates.begin(), candidates.end(), core) != candidates.end();
         });
}

std::vector<std::pair<int, int>> cores_with_costs(const Layer& layer, const std::vector<int>& kinds,
                                                  const CoreCosts::OfLayer& row) {
  std::vector<int> entry_of_core(kinds.size(), -1), entry_of_kind(kinds.size(), -1);
  for (std::size_t i = 0; i < row.on.size(); ++i) {
    entry_of_core[row.on[i].core] = static_cast<int>(i);
    int& of_kind = entry_of_kind[kinds[row.on[i].core]];
    if (of_kind < 0) of_kind = static_cast<int>(i);
  }
  std::vector<std::pair<int, int>> cores;
  std::vector<char> known(kinds.size(), 0);
  for (const std::int64_t candidate : layer.mapping.core_allocation) {
    if (candidate < 0 || candidate >= static_cast<std::int64_t>(kinds.size()) || known[candidate]) continue;
    known[candidate] = 1;
    const int own = entry_of_core[candidate];
    const int entry = own >= 0 ? own : entry_of_kind[kinds[candidate]];
    if (entry >= 0) cores.emplace_back(static_cast<int>(candidate), entry);
  }
  return cores;
}

CoreCosts::OfLayer with_all_cores(const CoreCosts::OfLayer& row,
                                  const std::vector<std::pair<int, int>>& cores) {
  CoreCosts::OfLayer all;
  const auto expand = [&](const std::vector<CoreCost>& on, std::vector<CoreCost>& to) {
    to.reserve(cores.size());
    for (const auto& [core, entry] : cores) {
      to.push_back(on[entry]);
      to.back().core = core;
    }
  };
  expand(row.on, all.on);
  all.smaller.resize(row.smaller.size());
  for (std::size_t shape = 0; shape < row.smaller.size(); ++shape)
    expand(row.smaller[shape].on, all.smaller[shape].on);
  return all;
}

std::vector<NodesOfShape> nodes_by_shape(const CutLayer& cut_layer) {
  std::vector<NodesOfShape> shapes{{cut_layer.node_count, cut_layer.piece->mac_count()}};
  for (const SmallerPiece& smaller : cut_layer.smaller_pieces) {
    shapes.front().nodes -= smaller.node_count;
    shapes.push_back({smaller.node_count, smaller.piece->mac_count()});
  }
  return shapes;
}

CutPrices::CutPrices(std::shared_ptr<const MultiCoreAccelerator> accelerator, AnswerQuestions answer,
                     FirstAnswers first)
    : kinds_(core_kinds(*accelerator)),
      plan_(std::move(accelerator), Rules{}),
      answer_(std::move(answer)),
      first_(std::move(first)) {}

const CutPrice* CutPrices::find(const CutKey& cut) const {
  const auto found = known_.find(cut);
  return found == known_.end() ? nullptr : &found->second;
}

void CutPrices::find_out(const std::vector<CutKey>& cuts, const Pieces& pieces, bool settled) {
  try {
    find_out_unknown(cuts, pieces, settled || !first_);
  } catch (...) {
    std::erase_if(known_, [](const auto& entry) { return entry.second.costs == nullptr; });
    throw;
  }
}

void CutPrices::find_out_unknown(const std::vector<CutKey>& cuts, const Pieces& pieces, bool settled) {
  struct Asked {
    Prices::iterator price;
    const std::vector<std::shared_ptr<const Layer>>* pieces;
    int number;  ///< in the plan
    Questions questions;
  };
  std::vector<Asked> asked;
  std::set<std::size_t> open;
  std::map<const Layer*, Pieces::value_type> on_kinds;  // by the largest piece, which needs of a cut share
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    end_if_interrupted();
    const auto [entry, is_new] = known_.try_emplace(cuts[i]);
    if (!is_new && (!settled || entry->second.settled())) continue;
    Pieces::value_type& on_each_kind = on_kinds[pieces[i].front().get()];
    if (on_each_kind.empty()) on_each_kind = for_one_of_each_kind(pieces[i], kinds_);
    try {
      asked.push_back({entry, &pieces[i], plan_.add(on_each_kind, cuts[i].needs), {}});
    } catch (const InputError& problem) {
      entry->second.costs = entry->second.least = std::make_shared<const CoreCosts::OfLayer>();
      reason_of_cut_.try_emplace({cuts[i].layer, cuts[i].cut}, problem.what());
      continue;
    }
    make_room();
    for (std::size_t shape = 0; shape < pieces[i].size(); ++shape) {
      for (const std::int64_t core : on_each_kind[shape]->mapping.core_allocation) {
        const int question =
            plan_.question_of(asked.back().number, static_cast<int>(shape), static_cast<int>(core));
        if (question < 0) continue;
        asked.back().questions.push_back(static_cast<std::size_t>(question));
        const Known enough = settled ? Known::settled : Known::first;
        if (state_[static_cast<std::size_t>(question)] < enough)
          open.insert(static_cast<std::size_t>(question));
      }
    }
  }
  const Questions in_order(open.begin(), open.end());
  if (settled)
    answer(in_order);
  else
    answer_first(in_order);
  for (const Asked& one : asked) {
    const bool is_new = one.price->second.costs == nullptr;
    one.price->second = price(one.number, one.price->first, *one.pieces, one.questions);
    if (!share_rows(one.price) || !is_new) ++changes_;
  }
  plan_.forget_layers();  // thousands of pieces
}

/// Needs mostly make no difference: the same questions about a cut have the same answers. Rows that are
/// equal to those of other needs take no room of their own. True if none of both is new.
bool CutPrices::share_rows(Prices::iterator price) {
  const auto same_as = [&](Prices::const_iterator other) {
    const CutPrice& known = other->second;
    if (std::tie(other->first.layer, other->first.cut) != std::tie(price->first.layer, price->first.cut) ||
        known.costs == nullptr || known.settled() != price->second.settled())
      return false;
    share_row(known.costs, price->second.costs);
    share_row(known.least, price->second.least);
    return known.costs == price->second.costs && known.least == price->second.least;
  };
  return (price != known_.begin() && same_as(std::prev(price))) ||
         (std::next(price) != known_.end() && same_as(std::next(price)));
}

/// The next of some questions, at most so many as answers may exist at a time.
std::vector<CoreCostQuestion> CutPrices::next_of(const Questions& questions, std::size_t begin) const {
  std::vector<CoreCostQuestion> next;
  for (std::size_t i = begin; i < std::min(begin + most_at_once, questions.size()); ++i)
    next.push_back(plan_.questions()[questions[i]]);
  return next;
}

void CutPrices::answer_first(const Questions& questions) {
  Questions rest;
  for (std::size_t begin = 0; begin < questions.size(); begin += most_at_once) {
    const std::vector<std::optional<FirstAnswer>> found = first_(next_of(questions, begin));
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) {
        rest.push_back(questions[begin + i]);
        continue;
      }
      const std::size_t question = questions[begin + i];
      answers_[question] = cost_of(question, *found[i]->found);
      least_[question] = cost_of(question, least_of(*found[i]));
      state_[question] = Known::first;
      ++answered_;
    }
  }
  answer(rest);
}

void CutPrices::answer(const Questions& questions) {
  for (std::size_t begin = 0; begin < questions.size(); begin += most_at_once) {
    const std::vector<CoreCostQuestion> next = next_of(questions, begin);
    std::vector<std::string> reasons(next.size());
    const std::vector<std::shared_ptr<const Evaluation>> found = answer_(next, reasons);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t question = questions[begin + i];
      if (state_[question] == Known::nothing) ++answered_;
      answers_[question] = least_[question] = found[i] ? cost_of(question, *found[i]) : nullptr;
      reasons_[question] = reasons[i];
      state_[question] = Known::settled;
    }
  }
}

void CutPrices::make_room() {
  const std::size_t count = plan_.questions().size();
  answers_.resize(count);
  least_.resize(count);
  reasons_.resize(count);
  state_.resize(count, Known::nothing);
}

/// Whole evaluations of thousands of cuts would fill memory.
std::shared_ptr<const CoreCost> CutPrices::cost_of(std::size_t question, const Evaluation& answer) const {
  return std::make_shared<const CoreCost>(plan_.cost_of(question, answer));
}

CutPrice CutPrices::price(int number, const CutKey& cut,
                          const std::vector<std::shared_ptr<const Layer>>& pieces,
                          const Questions& questions) {
  CutPrice price;
  try {
    price.costs = std::make_shared<const CoreCosts::OfLayer>(plan_.costs(number, answers_, reasons_));
    const bool settled = std::all_of(questions.begin(), questions.end(), [&](std::size_t question) {
      return state_[question] == Known::settled;
    });
    price.least = settled ? price.costs : with_least_streams(plan_.costs(number, least_, reasons_), pieces);
  } catch (const NoResult& problem) {
    price.costs = price.least = std::make_shared<const CoreCosts::OfLayer>();
    reason_of_cut_.try_emplace({cut.layer, cut.cut}, problem.what());
  }
  return price;
}

void CutPrices::copy(const CutKey& cut, const CutKey& from) {
  const auto [price, is_new] = known_.try_emplace(cut, known_.at(from));
  if (is_new && !share_rows(price)) ++changes_;
}

const std::string& CutPrices::reason(int layer, int cut) const {
  static const std::string none;
  const auto found = reason_of_cut_.find({layer, cut});
  return found == reason_of_cut_.end() ? none : found->second;
}

void price_menus(PartitionGraphs& graphs, CutPrices& costs, const ParallelFor& parallel) {
  std::vector<std::pair<int, int>> cuts;
  std::vector<std::size_t> begin;  // by layer: in `cuts`
  for (int layer = 0; layer < static_cast<int>(graphs.cuts().size()); ++layer) {
    begin.push_back(cuts.size());
    for (int cut = 0; cut < static_cast<int>(graphs.cuts()[layer].size()); ++cut)
      if (graphs.cut_of_nodes(layer, cut) == cut) cuts.emplace_back(layer, cut);
  }
  std::vector<std::array<OperandBits, 2>> needs(cuts.size());
  for (std::size_t first = 0; first < cuts.size(); first += most_cuts_at_once) {
    const std::size_t end = std::min(first + most_cuts_at_once, cuts.size());
    std::vector<std::size_t> own;  // of layers that no earlier one is like
    for (std::size_t i = first; i < end; ++i)
      if (graphs.first_alike(cuts[i].first) == cuts[i].first) own.push_back(i);
    std::vector<CutKey> asked(2 * own.size());
    CutPrices::Pieces pieces(2 * own.size());
    parallel(own.size(), [&](std::size_t i) {
      end_if_interrupted();
      const auto [layer, cut] = cuts[own[i]];
      const auto part = graphs.node_samples(layer, cut);
      const OperandBits least = capacity_needs(*part, Rules{}).front();
      needs[own[i]] = {least, needs_at_most(*graphs.layers()[layer], part->samples, least)};
      const CutPrices::Pieces::value_type of_nodes = node_pieces(part->layers.front());
      for (std::size_t k = 0; k < 2; ++k) {
        asked[k * own.size() + i] = {layer, cut, needs[own[i]][k]};
        pieces[k * own.size() + i] = of_nodes;
      }
    });
    costs.ask(asked, pieces);
    for (std::size_t i = first; i < end; ++i) {
      const auto [layer, cut] = cuts[i];
      if (const int alike = graphs.first_alike(layer); alike != layer)
        for (const OperandBits& of_cut : needs[begin[alike] + (i - begin[layer])])
          costs.copy({layer, cut, of_cut}, {alike, cut, of_cut});
    }
  }
  std::vector<char> runs(graphs.cuts().size(), 0);
  for (const auto& [cut, row] : costs.known())
    if (!row.costs->on.empty()) runs[cut.layer] = 1;
  for (std::size_t layer = 0; layer < runs.size(); ++layer)
    if (!runs[layer]) refuse(graphs, costs, static_cast<int>(layer));
}

PricedMenus priced_menus(PartitionGraphs& graphs, const CutPrices& costs,
                         const std::vector<int>& first_cuts) {
  PricedMenus menu(graphs.cuts().size());
  using Loops = std::vector<std::pair<std::string, std::int64_t>>;
  std::vector<std::map<std::pair<Loops, OperandBits>, std::size_t>> listed(menu.size());  // in the menu
  std::map<std::pair<int, int>, std::vector<NodesOfShape>> shapes;  // of layers that no earlier one is like
  const CutKey* before = nullptr;
  const CoreCosts::OfLayer* row_before = nullptr;
  std::size_t place = 0;  // in the menu
  for (const auto& [cut, row] : costs.known()) {
    end_if_interrupted();
    if (row.costs->on.empty()) continue;
    if (!first_cuts.empty() && cut.cut >= first_cuts[cut.layer]) continue;
    const Cut& loops = graphs.cuts()[cut.layer][cut.cut];
    Loops unordered;
    for (const CutLoop& loop : loops) unordered.emplace_back(loop.dimension, loop.count.value_or(0));
    std::sort(unordered.begin(), unordered.end());
    unordered.erase(std::unique(unordered.begin(), unordered.end()), unordered.end());
    std::vector<PricedCut>& of_layer = menu[cut.layer];
    // Other needs that change no cost make no other entry.
    const bool is_same = before != nullptr && before->layer == cut.layer && before->cut == cut.cut &&
                         row_before == row.least.get();
    place = listed[cut.layer]
                .try_emplace({std::move(unordered), cut.needs}, is_same ? place : of_layer.size())
                .first->second;
    before = &cut;
    row_before = row.least.get();
    if (place < of_layer.size()) {
      std::vector<Cut>& others = of_layer[place].grouped_otherwise;
      if (of_layer[place].loops != loops && (others.empty() || others.back() != loops))
        others.push_back(loops);
      continue;
    }
    const auto [of_cut, unknown] = shapes.try_emplace({graphs.first_alike(cut.layer), cut.cut});
    if (unknown) of_cut->second = nodes_by_shape(graphs.cut_layer_of(cut.layer, cut.cut));
    of_layer.push_back({loops, of_cut->second, row.least, graphs.samples_together(cut.layer, cut.cut), {}});
  }
  return menu;
}

}  // namespace zz::core
