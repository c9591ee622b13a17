"""zz_abi.rs says the same as stage_abi.h: the same structs with the same sizes and offsets, and the same value for every
enumerator. A program in Rust writes down what it has, as C that compiles only where the header agrees.

usage: layout.py RUSTC C_COMPILER SOURCE_FOLDER

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

header = re.sub(r"/\*.*?\*/", "", (source / "sdk/include/zz/stage_abi.h").read_text(), flags=re.DOTALL)
in_rust = (source / "sdk/rust/zz_abi.rs").read_text()

enumerators = set()
for body in re.findall(r"enum\s*\{(.*?)\};", header, re.DOTALL):
    enumerators.update(re.findall(r"\bZZ_\w+(?=\s*[=,}]|\s*$)", body))
constants = enumerators | {"ZZ_ABI_MAJOR", "ZZ_ABI_MINOR"}

structs = {}
for name, body in re.findall(r"^pub struct (\w+) \{(.*?)^\}", in_rust, re.DOTALL | re.MULTILINE):
    structs[name] = re.findall(r"^    pub (?:r#)?(\w+):", body, re.MULTILINE)

def members_in_c(body):
    body = re.sub(r"union \{.*\} (\w+);", r"\1;", body, flags=re.DOTALL).replace("ZZ_NOEXCEPT", "")
    body = re.sub(r"\(\*(\w+)\)", r"\1", body)  # functions without their arguments
    while "(" in body:
        body = re.sub(r"\([^()]*\)", "", body)
    return re.findall(r"(\w+)\s*(?:\[\d+\])?\s*[,;]", body)


in_c = re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", header, re.DOTALL)
assert len(enumerators) > 30 and len(in_c) > 20, "the header is written in another way"
for name, body in in_c:
    assert structs.get(name) == members_in_c(body), f"{name} has {members_in_c(body)}, in zz_abi.rs {structs.get(name)}"
del structs["zz_lit_array"]  # without a name in C

lines = [f"    say(\"{name}\", {name} as usize);" for name in sorted(constants)]
for name, members in structs.items():
    lines.append(f"    say(\"sizeof({name})\", std::mem::size_of::<{name}>());")
    lines += [f"    say(\"offsetof({name}, {member})\", offset!({name}, r#{member}));" for member in members]
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
fn say(what: &str, value: usize) {{
    println!("_Static_assert({{what}} == {{value}}, \\"{{what}} is not {{value}}\\");");
}}
fn main() {{
    println!("#include <zz/stage_abi.h>");
""" + "\n".join(lines) + "\n}\n"

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "layout.rs").write_text(program)
    subprocess.run([rustc, "--edition", "2021", "layout.rs"], cwd=folder, check=True)
    said = subprocess.run([folder / "layout"], check=True, capture_output=True, text=True).stdout
    (folder / "said.c").write_text(said)
    done = subprocess.run([c_compiler, "-std=c11", "-fsyntax-only", f"-I{source}/sdk/include", "said.c"], cwd=folder)
print(f"{said.count('_Static_assert')} assertions about {len(structs)} structs and {len(constants)} constants")
sys.exit(done.returncode)
