#include "core/schedule/check/schedule_check.hpp"

#include "core/schedule/check/schedule_check_facts.hpp"

namespace zz::core {

std::vector<ScheduleViolation> find_violations(const Schedule& schedule, std::size_t most) {
  check::Findings findings(most);
  check::check_entries(schedule, findings);
  if (findings.size() > 0) return findings.take();
  check::Facts facts(schedule);
  check::check_nodes(facts, findings);
  check::check_transfers(facts, findings);
  check::check_links(facts, findings);
  check::check_memories(facts, findings);
  check::check_totals(facts, findings);
  return findings.take();
}

}  // namespace zz::core
