// Memory energies from somewhere else: wraps a cost model and replaces what accesses cost, nothing more.
#include <algorithm>
#include <zz/stage.hpp>

// A row of the file.
struct AccessCost {
  std::string memory;
  double read = 0, write = 0;
  static constexpr auto params = zz::params(
      zz::param<&AccessCost::memory>("memory", "name of the memory").required(),
      zz::param<&AccessCost::read>("read", "one access").unit("pJ").allowed("[0, inf]").required(),
      zz::param<&AccessCost::write>("write", "one access").unit("pJ").allowed("[0, inf]").required());
};

struct MemoryEnergyStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.MemoryEnergyStage",
      .name = "MemoryEnergyStage",
      .summary = "Replaces the energies of memory accesses by those of a file",
      .doc =
          "Accesses are those that the cost model below counted, in words of the full width of the memory. "
          "Memories that are not in the file keep their energies.",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string memory_energies;
  static constexpr auto params = zz::params(zz::param<&MemoryEnergyStage::memory_energies>(
                                                "memory_energies", "path of the file with the energies")
                                                .required()
                                                .input_path());
  static constexpr zz::Port consumes[] = {zz::object("accelerator", "accelerator", "has the memories")};
  // A search below must not take the cost model's energies for the ones that count.
  static constexpr const char* writes[] = {"operands", "mem_energy", "energy_total"};

  std::vector<AccessCost> costs;
  void prepare() { costs = read_rows<AccessCost>(memory_energies); }

  const AccessCost* cost_of(std::string_view memory) const {
    const auto found = std::find_if(costs.begin(), costs.end(),
                                    [&](const AccessCost& cost) { return cost.memory == memory; });
    return found == costs.end() ? nullptr : &*found;
  }

  zz::Value with_own_energies(const zz::Value& before) const {
    zz::Value after = before;
    double mem_energy = 0;
    for (zz::Ref operand : before["operands"]) {
      for (zz::Ref level : operand["levels"]) {
        double energy = level["energy"].num();
        if (const AccessCost* cost = cost_of(level["memory"].str())) {
          const std::string level_path =
              "operands[" + std::string(operand["operand"].str()) + "].levels[" + cost->memory + "].";
          energy = 0;
          for (const char* direction :
               {"rd_out_to_low", "wr_in_by_low", "rd_out_to_high", "wr_in_by_high"}) {
            const double each = direction[0] == 'r' ? cost->read : cost->write;
            const double part = level["accesses"][direction].num() * each;
            after = zz::with(after, {{level_path + "energy_by_direction." + direction, part}});
            energy += part;
          }
          after = zz::with(after, {{level_path + "energy", energy}});
        }
        mem_energy += energy;
      }
    }
    const double energy_total = before["mac_energy"].num() + mem_energy;
    return zz::with(after, {{"mem_energy", mem_energy}, {"energy_total", energy_total}});
  }

  zz::Results run(zz::Value ctx) {
    const zz::Ref accelerator = ctx["accelerator"];
    for (const AccessCost& cost : costs)
      if (!accelerator["memories"][cost.memory].exists())
        throw zz::Error(ZZ_E_INVALID, memory_energies + ": there is no memory '" + cost.memory +
                                          "' in accelerator '" + std::string(accelerator["name"].str()) +
                                          "'");
    for (zz::Result& result : substage(ctx)) {
      result.evaluation = with_own_energies(result.evaluation);
      co_yield std::move(result);
    }
  }
};

ZZ_PLUGIN("org.example.memory_energies", MemoryEnergyStage)
