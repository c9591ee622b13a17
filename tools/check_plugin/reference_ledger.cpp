#include "tools/check_plugin/reference_ledger.hpp"

#include <fmt/format.h>

#include "core/value/read.hpp"
#include "host/values/context.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

std::string described(const zz_value* value) {
  return is_context(value->value) ? "a context" : core::describe(value->value.ref());
}

}  // namespace

void ReferenceLedger::drop_the_dead() {
  while (true) {
    zz_value* dead = nullptr;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [value, account] : accounts_) {
        if (account.held == 0 && account.lent == 0) dead = value;
      }
      if (dead == nullptr) return;
      accounts_.erase(dead);
    }
    release(dead);  // which may give back references that it held itself
  }
}

ReferenceLedger::Account& ReferenceLedger::account_of(zz_value* value) {
  const auto [found, fresh] = accounts_.try_emplace(value);
  if (fresh) retain(value);
  return found->second;
}

void ReferenceLedger::give(zz_value* value, const std::string& from) {
  if (value == nullptr) return;
  const std::lock_guard lock(mutex_);
  Account& account = account_of(value);
  ++account.held;
  account.from = from;
  ++given_;
}

bool ReferenceLedger::take(zz_value* value, const std::string& to) {
  if (value == nullptr) return true;
  const std::lock_guard lock(mutex_);
  const auto found = accounts_.find(value);
  if (found != accounts_.end() && found->second.held > 0) {
    --found->second.held;
    return true;
  }
  if (found == accounts_.end())
    findings_.failed("O1",
                     fmt::format("{}: {} something that is no value of this run", findings_.current(), to));
  else
    findings_.failed("O2", fmt::format("{}: {} {}, of which it holds no reference", findings_.current(), to,
                                       described(value)));
  return false;
}

void ReferenceLedger::lend(zz_value* value) {
  const std::lock_guard lock(mutex_);
  ++account_of(value).lent;
}

void ReferenceLedger::end_loan(zz_value* value) {
  const std::lock_guard lock(mutex_);
  --account_of(value).lent;
}

bool ReferenceLedger::usable(const zz_value* value, const std::string& by) {
  if (value == nullptr) return true;
  const std::lock_guard lock(mutex_);
  const auto found = accounts_.find(const_cast<zz_value*>(value));
  if (found != accounts_.end() && found->second.held + found->second.lent > 0) return true;
  if (found == accounts_.end())
    findings_.failed(
        "O1", fmt::format("{}: {} with something that is no value of this run", findings_.current(), by));
  else
    findings_.failed("O1", fmt::format("{}: {} with {} after the last reference to it went back, or after "
                                       "the call that lent it",
                                       findings_.current(), by, described(value)));
  return false;
}

void ReferenceLedger::settle(const std::string& when) {
  drop_the_dead();
  const std::lock_guard lock(mutex_);
  for (auto& [value, account] : accounts_) {
    if (account.held == 0) continue;
    findings_.failed(
        "O2", fmt::format("{}: still holds {} reference{} to {}, last given by {}", when, account.held,
                          account.held == 1 ? "" : "s", described(value), account.from));
    account.held = 0;
  }
}

}  // namespace zz::host
