#include "plugins/explore/point_runner.hpp"

#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/text.hpp"
#include "core/store/result_store.hpp"
#include "plugins/explore/point_settings.hpp"

namespace zz::plugins {
namespace {

/// True for a search that has looked at everything.
bool is_proven(Value failure) {
  for (; failure && !failure.is_null(); failure = failure.hold(failure["cause"_n])) {
    const Ref found = failure["not_found"_n];
    if (!found.is_null() && found.boolean()) return false;
    if (failure["cause"_n].is_null()) break;
  }
  return true;
}

}  // namespace

PointRunner::PointRunner(const Stage& stage, const DesignPoints& points, Value above,
                         std::optional<std::string> folder)
    : stage_(stage), points_(points), above_(std::move(above)), folder_(std::move(folder)) {
  for (uint32_t i = 0; i < above_.size(); ++i)
    if (above_.at(i).kind() == ZZ_OBJECT)
      objects_.emplace(above_.key(i), core::digest_of(above_.at(i).json()));
}

Value PointRunner::context(const DesignPoint& point) const {
  return in_folder_of_point(points_.context(above_, point), folder_, point.number);
}

std::optional<PointFailure> PointRunner::run(std::uint64_t number, DesignPoint& point,
                                             const std::function<void(const Value& below)>& work) const {
  const auto of_point = [&](const char* reason, std::optional<bool> proven) {
    if (stage_.cancelled()) throw Error(ZZ_E_CANCELLED, "interrupted");
    return PointFailure{core::on_one_line(reason), proven};
  };
  try {
    points_.make(number, point);
    work(context(point));
    return std::nullopt;
  } catch (const Error& failure) {
    if (!concerns_point(failure)) throw;
    return of_point(failure.what(), failure.code == ZZ_E_NO_RESULT
                                        ? std::optional(is_proven(failure.failure))
                                        : std::nullopt);
  } catch (const core::StoreError&) {
    throw;  // it is the store that failed, not the point
  } catch (const core::InputError& failure) {
    return of_point(failure.what(), std::nullopt);
  } catch (const core::NoResult& failure) {
    return of_point(failure.what(), std::nullopt);
  }
}

core::ContentKey PointRunner::key(const core::ChainContent& chain, const DesignPoint& point,
                                  const std::string& manner) const {
  std::map<std::string, std::string> objects = objects_;
  if (point.accelerator) objects["accelerator"] = core::digest_of(point.accelerator.json());
  return core::point_key(chain, objects, manner);
}

}  // namespace zz::plugins
