"""zz_abi.rs says the same as stage_abi.h: sizes and offsets those of layout_test.c, which the C compiler checks
against the header, and the same value for every enumerator of the header.

usage: rust_layout.py RUSTC C_COMPILER SOURCE_FOLDER

Exit code 77 (skipped) when there is no rustc.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

rustc, c_compiler, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
if not os.access(rustc, os.X_OK):
    print(f"skipped: this machine has no rustc ({rustc or 'not found'})")
    sys.exit(77)

layout = (source / "tests/abi/layout_test.c").read_text()
header = (source / "sdk/include/zz/stage_abi.h").read_text()
enumerators = set()
for body in re.findall(r"enum\s*\{(.*?)\};", re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL), re.DOTALL):
    enumerators.update(re.findall(r"\bZZ_\w+(?=\s*[=,}]|\s*$)", body))
sizes = re.findall(r"^SIZE\((\w+), (\d+)\)", layout, re.MULTILINE)
places = re.findall(r"^AT\((\w+), (\w+), (\d+)\)", layout, re.MULTILINE)
assert len(enumerators) > 30 and len(sizes) > 20 and len(places) > 100, "the headers are written in another way"

lines = [f"    assert_eq!(std::mem::size_of::<{name}>(), {size}, \"size of {name}\");" for name, size in sizes]
lines += [f"    assert_eq!(offset!({name}, r#{member}), {place}, \"place of {name}.{member}\");"
          for name, member, place in places]
lines += [f"    println!(\"_Static_assert({name} == {{}}, \\\"{name}\\\");\", {name});" for name in sorted(enumerators)]
program = f"""#[allow(dead_code)]
#[path = "{source}/sdk/rust/zz_abi.rs"]
mod zz_abi;
use zz_abi::*;
macro_rules! offset {{
    ($type:ty, $member:ident) => {{{{
        let object = std::mem::MaybeUninit::<$type>::uninit();
        let start = object.as_ptr();
        unsafe {{ std::ptr::addr_of!((*start).$member) as usize - start as usize }}
    }}}};
}}
fn main() {{
    println!("#include <zz/stage_abi.h>");
""" + "\n".join(lines) + "\n}\n"

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "layout.rs").write_text(program)
    subprocess.run([rustc, "--edition", "2021", "layout.rs"], cwd=folder, check=True)
    values = subprocess.run([folder / "layout"], check=True, capture_output=True, text=True).stdout
    (folder / "values.c").write_text(values)
    subprocess.run([c_compiler, "-std=c11", "-fsyntax-only", f"-I{source}/sdk/include", "values.c"], cwd=folder,
                   check=True)
print(f"{len(sizes)} sizes, {len(places)} places, {len(enumerators)} enumerators")
