#!/usr/bin/env bash
# Builds the host, its plugins and the Python package under the address and undefined-behaviour sanitizers, and runs the tests of the
# package.
#   tests/python/sanitized.sh                  the everyday ones
#   tests/python/sanitized.sh CTEST_OPTIONS    for example -R run_test
# A report of a sanitizer fails the test in which it comes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
(($#)) || set -- -LE slow

[[ -f build/asan/build.ninja ]] || cmake --preset asan -DZZ_TESTS=ON -DZZ_TOOLS=OFF >/dev/null
cmake --build build/asan --target zz-boundary zz-python-native zz-python-modules
# Python itself knows nothing of the sanitizer, so it must be there first. What Python keeps to its end is no leak of ours.
preloaded="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
LD_PRELOAD=$preloaded ctest --test-dir build/asan --output-on-failure -L python "$@"
