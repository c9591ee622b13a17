//! A stage to start from: passes on what the chain below yields, with one metric more.
use zz::abi::*;
use zz::{c, Description, Error, Literal, Metric, Param, Place, Ref, Results, Stage, Value};

struct MyStage {
    price: f64,
}

impl Stage for MyStage {
    const DESCRIPTION: Description = Description {
        id: c!("org.example.MyStage"),
        name: c!("MyStage"),
        summary: c!("Adds the cost of the energy"),
        flags: ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN,
        ..zz::DESCRIPTION
    };
    const PARAMS: &'static [Param] = &[Param {
        name: c!("price"),
        kind: ZZ_F64,
        def: c!("0.25"),
        allowed: c!("[0, inf]"),
        unit: c!("1/pJ"),
        doc: c!("of the energy"),
        ..zz::PARAM
    }];
    const METRICS: &'static [Metric] = &[Metric {
        name: c!("energy_price"),
        flags: ZZ_METRIC_COLUMN,
        doc: c!("what the energy costs"),
        ..zz::METRIC
    }];

    fn create(settings: Ref) -> Result<Self, Error> {
        Ok(MyStage { price: settings.get("price").f64()? })
    }

    fn run<'a>(&'a self, context: Value, below: Place<'a>) -> Result<Results<'a>, Error> {
        Ok(Box::new(below.open(&context)?.map(move |outcome| {
            let mut outcome = outcome?;
            let price = self.price * outcome.evaluation.get("energy_total").f64()?;
            outcome.evaluation = outcome.evaluation.with(&[("energy_price", Literal::F64(price))])?;
            Ok(outcome)
        })))
    }
}

zz::plugin!("org.example.my_plugin", "0.1", "MIT", MyStage);
