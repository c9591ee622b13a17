#include "host/values/handles.hpp"

#include <atomic>
#include <new>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/base/text.hpp"
#include "core/value/edit.hpp"

namespace zz::host {
namespace {

std::atomic<FailureObserver> failure_observer{nullptr};

zz_status status_of(core::ValueError::Problem problem) {
  switch (problem) {
    case core::ValueError::Problem::missing:
      return ZZ_E_MISSING;
    case core::ValueError::Problem::wrong_type:
      return ZZ_E_TYPE;
    case core::ValueError::Problem::invalid:
      return ZZ_E_INVALID;
  }
  return ZZ_E_INTERNAL;
}

}  // namespace

void observe_failures(FailureObserver observer) {
  failure_observer.store(observer, std::memory_order_release);
}

zz_status report(zz_error* error, zz_status code, std::string message,
                 const std::vector<core::Diagnostic>& problems) noexcept {
  message = core::message_text(std::move(message));
  if (const FailureObserver observer = failure_observer.load(std::memory_order_acquire))
    observer(code, message, problems);
  if (error) {
    error->code = code;
    error->message = std::move(message);
    error->failure = core::Value();
  }
  return code;
}

zz_status report_current_exception(zz_error* error) noexcept {
  try {
    throw;
  } catch (const core::ValueError& problem) {
    return report(error, status_of(problem.problem()), problem.what());
  } catch (const core::InputError& problem) {
    return report(error, ZZ_E_INVALID, problem.what(), problem.diagnostics());
  } catch (const core::NoResult& problem) {
    return report(error, ZZ_E_NO_RESULT, problem.what());
  } catch (const core::Interrupted& problem) {
    return report(error, ZZ_E_CANCELLED, problem.what());
  } catch (const std::bad_alloc&) {
    return report(error, ZZ_E_INTERNAL, "out of memory");
  } catch (const std::exception& problem) {
    return report(error, ZZ_E_INTERNAL, problem.what());
  } catch (...) {
    return report(error, ZZ_E_INTERNAL, "unknown exception");
  }
}

}  // namespace zz::host
