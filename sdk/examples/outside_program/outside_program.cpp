// Figures from another program: it reads an evaluation as JSON and answers with JSON.
#include <zz/stage.hpp>

struct OutsideProgramStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.OutsideProgramStage",
      .name = "OutsideProgramStage",
      .summary = "Adds the wire energy that another program works out",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string interpreter = "python3";
  std::vector<std::string> files;
  double seconds = 60;
  static constexpr auto params = zz::params(
      zz::param<&OutsideProgramStage::interpreter>("interpreter", "the program that is run"),
      zz::param<&OutsideProgramStage::files>("files", "its arguments: a script and the files that it reads")
          .required()
          .input_path(),
      zz::param<&OutsideProgramStage::seconds>("seconds", "how long one call may take")
          .unit("s")
          .allowed("(0, inf]"));
  static constexpr zz::Metric metrics[] = {
      zz::metric("wire_energy", "energy of the wires between memories").unit("pJ").column()};

  zz::Results run(zz::Value ctx) {
    std::vector<std::string> command = {interpreter};
    command.insert(command.end(), files.begin(), files.end());
    for (zz::Result& result : substage(ctx)) {
      const zz::Answer answer = execute(command, result.evaluation.json(), {}, seconds);
      if (answer.status != 0)
        throw zz::Error(ZZ_E_INVALID, files.front() + " ended with " + std::to_string(answer.status) +
                                          ": " + answer.errors);
      const zz::Value figures = parse("json", answer.output, "the answer of " + files.front());
      result.evaluation = zz::with(result.evaluation, {{"wire_energy", figures["wire_energy"].num()}});
      co_yield std::move(result);
    }
  }
};

ZZ_PLUGIN("org.example.outside_program", OutsideProgramStage)
