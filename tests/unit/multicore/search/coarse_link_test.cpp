#include <doctest/doctest.h>
#include <limits>

#include "core/multicore/search/detail/allocation_estimate.hpp"

using zz::core::CoarseLink;

TEST_CASE("coarse link: what goes at one time, one after the other, and into a gap") {
  CoarseLink link;
  link.reset(10, 8);
  CHECK_EQ(link.send(25, 40, 8), 30);    // the rest of the slice from 20 to 30
  CHECK_EQ(link.send(20, 80, 8), 35);    // 40 bits beside it, the rest in the next slice
  CHECK_EQ(link.send(20, 40, 8), 35);    // no room before 30; there, where in the slice is not known
  CHECK_EQ(link.send(20, 8, 8), 41);     // everything up to 40 is full
  CHECK_EQ(link.send(0, 160, 8), 20);    // before all of that
  CHECK_EQ(link.send(0, 8, 8), 42 - 1);  // nothing left there; in the slice from 40 on, one cycle long
}

TEST_CASE("coarse link: slow senders leave room, fast ones need no time") {
  CoarseLink link;
  link.reset(10, 8);
  CHECK_EQ(link.send(0, 20, 2), 10);
  CHECK_EQ(link.send(0, 60, 8), 7.5);
  CHECK_EQ(link.send(0, 1, 8), 10.125);
  CHECK_EQ(link.send(3, 0, 8), 3);
  link.reset(10, std::numeric_limits<double>::infinity());
  CHECK_EQ(link.send(3, 1e9, 8), 3);
}
