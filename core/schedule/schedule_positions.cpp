#include "core/schedule/schedule_positions.hpp"

#include <string>

#include "core/diagnostics/diagnostics.hpp"

namespace zz::core {
namespace {

class PositionCheck {
 public:
  explicit PositionCheck(const Schedule& schedule) : schedule_(schedule) {
    if (schedule.graph) {
      nodes_ = schedule.graph->nodes.size();
      tensors_ = schedule.graph->tensors.size();
    }
    if (schedule.accelerator) {
      cores_ = schedule.accelerator->cores.size();
      links_ = schedule.accelerator->links.size();
      memories_ = schedule.accelerator->top_memories.size();
    }
  }

  void run() {
    each("nodes", schedule_.nodes, [&](const ScheduledNode& scheduled) {
      require(scheduled.node, nodes_, "node");
      require(scheduled.core, cores_, "core");
    });
    each("transfers", schedule_.transfers, [&](const Transfer& transfer) {
      require(transfer.tensor, tensors_, "tensor");
      require(transfer.sender, cores_, "sender");
      require(transfer.receiver, cores_, "receiver");
      require(transfer.receiver_memory, memories_, "receiver_memory");
      for (const int link : transfer.links) require(link, links_, "links");
      if (transfer.own.size() != transfer.links.size()) fail_here("own", "needs an entry for each link");
    });
    each("blocks", schedule_.blocks, [&](const StreamBlock& block) {
      require(block.node, nodes_, "node");
      require(block.core, cores_, "core");
      const Layer& layer = *schedule_.graph->layers[schedule_.graph->nodes[block.node].layer].layer;
      for (const int operand : block.operands) require(operand, layer.operands.size(), "operands");
    });
    each("removals", schedule_.removals, [&](const Removal& removal) {
      require(removal.tensor, tensors_, "tensor");
      require(removal.core, cores_, "core");
      require(removal.memory, memories_, "memory");
    });
    each("memory", schedule_.memory,
         [&](const MemoryTrace& trace) { require(trace.memory, memories_, "memory"); });
    if (schedule_.allocation.size() != schedule_.genes.size())
      throw InputError("allocation: needs a core for each of the genes");
  }

 private:
  template <class Item, class Check>
  void each(const char* list, const std::vector<Item>& items, Check check) {
    list_ = list;
    for (item_ = 0; item_ < items.size(); ++item_) check(items[item_]);
  }
  [[noreturn]] void fail_here(const char* what, const std::string& why) const {
    throw InputError(std::string(list_) + "[" + std::to_string(item_) + "]." + what + ": " + why);
  }
  void require(int position, std::size_t count, const char* what) const {
    if (position < 0 || static_cast<std::size_t>(position) >= count)
      fail_here(what, "there is no number " + std::to_string(position) + " among " + std::to_string(count));
  }

  const Schedule& schedule_;
  std::size_t nodes_ = 0, tensors_ = 0, cores_ = 0, links_ = 0, memories_ = 0;
  const char* list_ = "";
  std::size_t item_ = 0;
};

}  // namespace

void check_positions(const Schedule& schedule) { PositionCheck(schedule).run(); }

}  // namespace zz::core
