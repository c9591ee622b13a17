//! A leaf that makes evaluations, and a stage that adds a metric and panics where it is told to.
use zz::abi::*;
use zz::{c, Description, Error, Literal, Outcome, Param, Place, Ref, Results, Stage, Value};

struct RustLeaf {
    energy: f64,
}

impl Stage for RustLeaf {
    const DESCRIPTION: Description = Description {
        id: c!("org.test.RustLeafStage"),
        name: c!("RustLeafStage"),
        summary: c!("the same energy for every multiplication"),
        flags: ZZ_STAGE_LEAF | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN,
        ..zz::DESCRIPTION
    };
    const PARAMS: &'static [Param] =
        &[Param { name: c!("energy"), kind: ZZ_F64, flags: ZZ_REQUIRED, unit: c!("pJ"), ..zz::PARAM }];

    fn create(settings: Ref) -> Result<Self, Error> {
        Ok(RustLeaf { energy: settings.get("energy").f64()? })
    }

    fn run<'a>(&'a self, context: Value, _: Place) -> Result<Results<'a>, Error> {
        let multiplications = context.get("layer.mac_count").f64()?;
        let evaluation = Value::make(
            c!("evaluation"),
            &[
                ("layer", Literal::Ref(context.get("layer"))),
                ("energy_total", Literal::F64(self.energy * multiplications)),
                ("latency_total2", Literal::F64(multiplications)),
            ],
        )?;
        let extra = Value::make(std::ptr::null(), &[("made", Literal::Str("in Rust"))])?;
        Ok(Box::new(std::iter::once(Ok(Outcome { evaluation, extra }))))
    }
}

struct RustMetric {
    field: String,
    panics_in: String,
}

struct Dropped(bool);

impl Drop for Dropped {
    fn drop(&mut self) {
        assert!(!self.0, "on purpose in drop");
    }
}

impl Stage for RustMetric {
    const DESCRIPTION: Description = Description {
        id: c!("org.test.RustMetricStage"),
        name: c!("RustMetricStage"),
        summary: c!("doubles a figure"),
        flags: ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN,
        ..zz::DESCRIPTION
    };
    const PARAMS: &'static [Param] = &[
        Param { name: c!("field"), kind: ZZ_STR, def: c!("energy_total"), ..zz::PARAM },
        Param {
            name: c!("panics_in"),
            kind: ZZ_STR,
            def: c!("''"),
            allowed: c!("|create|run|next|drop"),
            ..zz::PARAM
        },
    ];
    const WRITES: &'static [*const std::os::raw::c_char] = &[c!("doubled")];

    fn create(settings: Ref) -> Result<Self, Error> {
        let panics_in = settings.get("panics_in").str()?.to_string();
        assert!(panics_in != "create", "on purpose in create");
        Ok(RustMetric { field: settings.get("field").str()?.to_string(), panics_in })
    }

    fn run<'a>(&'a self, context: Value, below: Place) -> Result<Results<'a>, Error> {
        assert!(self.panics_in != "run", "on purpose in run");
        let dropped = Dropped(self.panics_in == "drop");
        Ok(Box::new(below.open(&context)?.map(move |result| {
            let _kept = &dropped;
            assert!(self.panics_in != "next", "on purpose in {}", self.panics_in);
            let Outcome { evaluation, extra } = result?;
            let doubled = 2.0 * evaluation.get(self.field.as_str()).f64()?;
            Ok(Outcome { evaluation: evaluation.with(&[("doubled", Literal::F64(doubled))])?, extra })
        })))
    }
}

zz::plugin!("org.test.rust", "1.0", "MIT", RustLeaf, RustMetric);
