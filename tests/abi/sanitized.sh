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
# The leak checker of gcc 12 crashes in its own tracer at the end of pipelines for several cores ("Tracer caught signal 11"); the host
# counts the references that stages forget, which these tests look at.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0:detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1}
ctest --test-dir "build/$preset" --output-on-failure --parallel "$(nproc)" -L abi -E "headers|append_only|examples" "$@"
