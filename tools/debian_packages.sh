# The Debian packages that zz needs, in one place; sourced by tools/quickstart, tools/test and tools/release.

build_packages=(
  g++ cmake ninja-build pkg-config
  libboost-dev libboost-program-options-dev libyaml-cpp-dev libonnx-dev protobuf-compiler libprotobuf-dev zlib1g-dev
  libfmt-dev libspdlog-dev nlohmann-json3-dev libmd-dev libsqlite3-dev libpq-dev libjs-vega
  python3-dev pybind11-dev
)
release_packages=(dpkg-dev file)
test_packages=(
  abigail-tools doctest-dev clang clang-format clang-tidy libclang-rt-dev libc++-dev libc++abi-dev
  python3 python3-yaml python3-pandas python3-distributed python3-protobuf python3-jsonschema chromium pandoc zsh fish
  dpkg-dev file libbenchmark-dev valgrind binutils patchelf postgresql locales
  jupyter-nbconvert python3-ipykernel
)
# For tests that are skipped without them; the first one takes 431 MB.
slow_test_packages=(mlir-19-tools mkdocs mypy)

# Installs those of the named packages that are missing. Asks for nothing when all are there.
install_missing() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  echo "installing: ${missing[*]}"
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || {
      echo "error: packages are missing and need root to be installed: apt-get install ${missing[*]}" >&2
      return 1
    }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
