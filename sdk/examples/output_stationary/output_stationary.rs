//! Lets only output-stationary loop orders through. README.md argues the definition.
use zz::abi::*;
use zz::{c, Description, Error, Param, Place, Port, Ref, Results, Stage, Value};

struct OutputStationary {
    level: usize,
}

impl Stage for OutputStationary {
    const DESCRIPTION: Description = Description {
        id: c!("org.example.OutputStationaryStage"),
        name: c!("OutputStationaryStage"),
        summary: c!("Lets only loop orders through in which partial sums stay where they are"),
        doc: c!(
            "Stands between a stage that makes loop orders and the cost model. An order passes when no \
                 partial sum leaves memory `level` of the output; for all others there is no result."
        ),
        // It does not forward (ZZ_STAGE_FORWARDS): a mapper that scored past it would choose what it refuses.
        flags: ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN,
        ..zz::DESCRIPTION
    };
    const PARAMS: &'static [Param] = &[Param {
        name: c!("level"),
        kind: ZZ_I64,
        def: c!("0"),
        allowed: c!("[0, inf]"),
        doc: c!(
            "which of the output's memories sums stay in until they are finished, 0 being the innermost"
        ),
        ..zz::PARAM
    }];
    const CONSUMES: &'static [Port] = &[
        Port {
            key: c!("layer"),
            kind: ZZ_OBJECT,
            flags: ZZ_ANONYMOUS,
            r#type: c!("layer"),
            doc: c!("its output tells which loops are reductions"),
            ..zz::PORT
        },
        Port {
            key: c!("temporal_mapping"),
            kind: ZZ_OBJECT,
            r#type: c!("temporal_mapping"),
            doc: c!("the loop order in question"),
            ..zz::PORT
        },
    ];

    fn create(settings: Ref) -> Result<Self, Error> {
        Ok(OutputStationary { level: settings.get("level").i64()? as usize })
    }

    fn run<'a>(&'a self, context: Value, below: Place<'a>) -> Result<Results<'a>, Error> {
        let output = context.get("layer.operands[0]");
        // How many of the innermost loops each memory holds the outputs of.
        let held = context.get("temporal_mapping.operands[0].stationary");
        if self.level >= held.len() {
            let text = format!("there is no level {}: {} memories hold the output", self.level, held.len());
            return Err(Error::new(ZZ_E_INVALID, text));
        }
        let inside = held.at(self.level).i64()? as usize;
        for outer in context.get("temporal_mapping.loops").iter().skip(inside) {
            let dimension = outer.get("dimension").str()?;
            if !output.get("dimensions").iter().any(|relevant| relevant.str().ok() == Some(dimension)) {
                let text = format!(
                    "partial sums leave level {}: a loop over {} is outside",
                    self.level, dimension
                );
                return Err(Error::new(ZZ_E_NO_RESULT, text));
            }
        }
        Ok(Box::new(below.open(&context)?))
    }
}

zz::plugin!("org.example.output_stationary", "1.0", "MIT", OutputStationary);
