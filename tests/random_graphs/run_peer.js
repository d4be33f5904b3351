// SPDX-License-Identifier: GPL-3.0-or-later
// node run_peer.js FOLDER: ONNX Runtime on the models N.onnx of a list of jobs, jobs.json in FOLDER. A job has the
// inputs of each of its runs; answers.json gets the outputs, or what ONNX Runtime says. Numbers are in base 64.
"use strict";
const fs = require("fs");
const path = require("path");
const ort = require(process.env.OPEVO_ONNXRUNTIME_NODE || "onnxruntime-node");
const arrays = {
  float32: Float32Array, float64: Float64Array, float16: Uint16Array, bool: Uint8Array,
  int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
};
function tensorOf(each) {
  const bytes = Buffer.from(each.data, "base64");
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return new ort.Tensor(each.kind, new arrays[each.kind](copy), each.shape);
}
function textOf(tensor) {
  const data = tensor.data;
  return { kind: tensor.type, shape: tensor.dims, data: Buffer.from(data.buffer, data.byteOffset,
                                                                    data.byteLength).toString("base64") };
}
async function answer(folder, job) {
  try {
    const options = { graphOptimizationLevel: "disabled", intraOpNumThreads: 1, interOpNumThreads: 1,
                     logSeverityLevel: 4 };
    const session = await ort.InferenceSession.create(path.join(folder, job.model), options);
    const runs = [];
    for (const inputs of job.runs) {
      const feeds = {};
      for (const each of inputs) feeds[each.name] = tensorOf(each);
      const made = await session.run(feeds);
      runs.push(Object.fromEntries(session.outputNames.map((name) => [name, textOf(made[name])])));
    }
    await session.release();
    return { runs };
  } catch (error) {
    return { refused: String(error.message || error) };
  }
}
(async () => {
  const folder = process.argv[2];
  const jobs = JSON.parse(fs.readFileSync(path.join(folder, "jobs.json")));
  const answers = [];
  for (const job of jobs) answers.push(await answer(folder, job));
  fs.writeFileSync(path.join(folder, "answers.json"), JSON.stringify(answers));
})();
