#!/usr/bin/env bash
# Builds the host, all plugins and the plugins of the boundary's tests under a sanitizer, and runs those tests.
#   tests/abi/sanitized.sh asan                 addresses, leaks and undefined behaviour
#   tests/abi/sanitized.sh tsan                 threads
#   tests/abi/sanitized.sh asan CTEST_OPTIONS   for example -R faults_thorough, instead of the everyday ones
# A report of a sanitizer fails the test in which it comes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
preset=${1:?which preset: asan or tsan}
shift
(($#)) || set -- -LE slow

[[ -f build/$preset/build.ninja ]] || cmake --preset "$preset" -DZZ_TESTS=ON -DZZ_TOOLS=OFF >/dev/null
cmake --build "build/$preset" --target zz-boundary
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:detect_stack_use_after_return=1}
# gcc 12 takes the block of a plugin's thread_local variables for one of an older glibc where it lies 16 bytes behind a page's
# beginning, and the leak checker then reads from nowhere ("Tracer caught signal 11"; verbosity=2 shows "glibc >=2.19 suspected"). So it
# is told to leave thread-local memory alone: whoever owns something there gives it back before the process ends.
export LSAN_OPTIONS=${LSAN_OPTIONS:-use_tls=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1}
ctest --test-dir "build/$preset" --output-on-failure --parallel "$(nproc)" -L abi -E "headers|append_only|examples" "$@"
