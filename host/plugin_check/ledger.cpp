#include "host/plugin_check/ledger.hpp"

#include <fmt/format.h>

#include "core/value/read.hpp"
#include "host/values/context.hpp"
#include "host/values/handle.hpp"

namespace zz::host {
namespace {

std::string described(const zz_value* value) {
  return is_context(value->value) ? "a context" : core::describe(value->value.ref());
}

}  // namespace

void Ledger::drop_the_dead() {
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

Ledger::Account& Ledger::account_of(zz_value* value) {
  const auto [found, fresh] = accounts_.try_emplace(value);
  if (fresh) retain(value);
  return found->second;
}

void Ledger::give(zz_value* value, const std::string& from) {
  if (value == nullptr) return;
  const std::lock_guard lock(mutex_);
  Account& account = account_of(value);
  ++account.held;
  account.from = from;
  ++given_;
}

bool Ledger::take(zz_value* value, const std::string& to) {
  if (value == nullptr) return true;
  const std::lock_guard lock(mutex_);
  const auto found = accounts_.find(value);
  if (found != accounts_.end() && found->second.held > 0) {
    --found->second.held;
    return true;
  }
  if (found == accounts_.end())
    notes_.failed("O1", fmt::format("{}: {} something that is no value of this run", notes_.current(), to));
  else
    notes_.failed("O2", fmt::format("{}: {} {}, of which it holds no reference", notes_.current(), to,
                                    described(value)));
  return false;
}

void Ledger::lend(zz_value* value) {
  const std::lock_guard lock(mutex_);
  ++account_of(value).lent;
}

void Ledger::end_loan(zz_value* value) {
  const std::lock_guard lock(mutex_);
  --account_of(value).lent;
}

bool Ledger::usable(const zz_value* value, const std::string& by) {
  if (value == nullptr) return true;
  const std::lock_guard lock(mutex_);
  const auto found = accounts_.find(const_cast<zz_value*>(value));
  if (found != accounts_.end() && found->second.held + found->second.lent > 0) return true;
  if (found == accounts_.end())
    notes_.failed("O1",
                  fmt::format("{}: {} with something that is no value of this run", notes_.current(), by));
  else
    notes_.failed("O1", fmt::format("{}: {} with {} after the last reference to it went back, or after "
                                    "the call that lent it",
                                    notes_.current(), by, described(value)));
  return false;
}

void Ledger::settle(const std::string& when) {
  drop_the_dead();
  const std::lock_guard lock(mutex_);
  for (auto& [value, account] : accounts_) {
    if (account.held == 0) continue;
    notes_.failed("O2",
                  fmt::format("{}: still holds {} reference{} to {}, last given by {}", when, account.held,
                              account.held == 1 ? "" : "s", described(value), account.from));
    account.held = 0;
  }
}

}  // namespace zz::host
