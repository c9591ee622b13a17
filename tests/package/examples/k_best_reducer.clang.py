"""Any compiler will do."""
from k_best_reducer import check  # noqa: F401

OPTIONS = ["-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++"]
