"""What the compiler must refuse in stages in Rust: looks at values, and places, that outlive what they belong to.

usage: refused.py RUSTC SOURCE_FOLDER
"""
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

rustc, source = sys.argv[1], pathlib.Path(sys.argv[2])

FRAME = """use zz::abi::*;
use zz::{c, Description, Error, Outcome, Param, Place, Ref, Results, Stage, Substage, Value};
struct S<'s> { name: &'s str, place: Option<Place<'s>>, below: std::sync::Mutex<Option<Substage<'s>>> }
impl Stage for S<'static> {
    const DESCRIPTION: Description = Description { id: c!("org.test.S"), name: c!("S"), ..zz::DESCRIPTION };
    fn create(settings: Ref) -> Result<Self, Error> { CREATE }
    fn prepare(&mut self, at: Place) -> Result<(), Error> { PREPARE }
    fn run<'a>(&'a self, context: Value, below: Place<'a>) -> Result<Results<'a>, Error> { RUN }
}
"""
FINE = {"CREATE": 'Ok(S { name: "", place: None, below: Default::default() })', "PREPARE": "Ok(())",
        "RUN": "Ok(Box::new(below.open(&context)?))"}
REFUSED = {
    "a text of the settings is kept": {"CREATE": 'Ok(S { name: settings.get("name").str()?, place: None, below: Default::default() })'},
    "a place is kept": {"PREPARE": "self.place = Some(at); Ok(())"},
    "a chain below is kept": {"PREPARE": "self.below = Some(at.open(&Value::NULL)?).into(); Ok(())"},
    "a look at the context outlives it": {"RUN": """let layer = context.get("layer");
        Ok(Box::new(below.open(&context)?.map(move |result| { layer.str()?; result })))"""},
}


def compiles(parts, folder):
    text = FRAME
    for part, body in {**FINE, **parts}.items():
        text = text.replace(f"{{ {part} }}", f"{{ {body} }}")
    file = folder / f"{abs(hash(text))}.rs"
    file.write_text(text)
    return subprocess.run([rustc, "--edition", "2021", "-A", "warnings", "--emit=metadata", "--crate-type", "rlib", "--extern",
                           "zz=libzz.rmeta", file], cwd=folder, capture_output=True, text=True)


with tempfile.TemporaryDirectory() as name:
    where = pathlib.Path(name)
    subprocess.run([rustc, "--edition", "2021", "--emit=metadata", "--crate-type", "rlib", "--crate-name", "zz", source / "sdk/rust/zz.rs"],
                   cwd=where, check=True)
    done = compiles({}, where)
    assert done.returncode == 0, f"the frame itself does not compile:\n{done.stderr}"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for what, done in zip(REFUSED, pool.map(lambda parts: compiles(parts, where), REFUSED.values())):
            assert done.returncode != 0, f"it compiles, though {what}"
            lifetimes = ("lifetime", "borrowed", "does not live long enough")
            assert any(word in done.stderr for word in lifetimes), f"{what}: refused for another reason:\n{done.stderr}"
print(f"{len(REFUSED)} mistakes refused")
