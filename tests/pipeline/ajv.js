// Reads lines of {"schema": ...} and {"kind": ..., "document": ...}, in JSON, and answers each document with a line: what Ajv, the
// validator of most editors, says against it.
const Ajv = require("ajv/dist/2020").default ?? require("ajv/dist/2020");
const ajv = new Ajv({ strict: false, allErrors: false, logger: false });
const validators = {};
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { kind, schema, document } = JSON.parse(line);
  if (schema !== undefined) {
    if (!ajv.validateSchema(schema)) throw new Error(`${kind}: ${ajv.errorsText()}`);
    validators[kind] = ajv.compile(schema);
  } else {
    const valid = validators[kind](document);
    console.log(JSON.stringify(valid ? [] : validators[kind].errors.map((one) => `${one.instancePath}: ${one.message}`)));
  }
});
