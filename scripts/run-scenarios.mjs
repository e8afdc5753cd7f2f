// Runs the acceptance scenarios for real, in a copy of the example project: docs/contributing/scenarios.md.
//   node scripts/run-scenarios.mjs [--in DIR] [--only NAME,NAME]
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { claimEnvFiles } from '../examples/signup/env-files.mjs';
import { startSystem } from '../examples/signup/start-system.mjs';
import { SCENARIOS } from './scenarios/all.mjs';
import { copyProject } from './scenarios/project-copy.mjs';
import { findGaps, Record } from './scenarios/record.mjs';
import { scaffoldUsage } from './scenarios/scaffold-abilities.mjs';

const { values: given } = parseArgs({ options: { in: { type: 'string' }, only: { type: 'string' } } });

process.exitCode = await main().catch((error) => {
  console.error(`error ${error.stack}`);
  return 1;
});

/** @returns {Promise<number>} the exit code: 0 when all passed and left their files. */
async function main() {
  const chosen = choose(given.only);
  const root = given.in ? resolve(given.in) : realpathSync(mkdtempSync(join(tmpdir(), 'ability-scenarios-')));
  copyProject(root);
  const files = claimEnvFiles(root, ['dev', 'staging']);
  const system = await startSystem({ folder: join(root, '.system/example') });
  files.write(system.env);
  const results = [];
  try {
    for (const scenario of chosen) results.push(await carryOut(root, scenario));
  } finally {
    const last = new Record(root, { name: 'end', scope: '.system' }, 'down');
    await last.start(['down']);
    await system.stop();
    files.remove();
  }
  showTable(root, results);
  const passed = results.every(({ problems }) => problems.length === 0);
  if (given.in || !passed) console.log(`The records are in ${root}`);
  else rmSync(root, { recursive: true, force: true });
  return passed ? 0 : 1;
}

function choose(names) {
  if (names === undefined) return SCENARIOS;
  return names.split(',').map((name) => {
    const scenario = SCENARIOS.find((one) => one.name === name);
    if (!scenario) throw new Error(`${name} is no scenario; there are ${SCENARIOS.map((one) => one.name).join(', ')}`);
    return scenario;
  });
}

/** Runs one, and checks what it left. A scenario that fails leaves its record, too. */
async function carryOut(root, scenario) {
  const started = performance.now();
  const record = new Record(root, scenario, new Date().toISOString().slice(0, 10));
  try {
    await scaffoldUsage(record);
    await scenario.run(record);
  } catch (error) {
    record.failures.push(error.message);
  }
  await record.close();
  const problems = [...record.failures, ...findGaps(record.folder)];
  return { scenario, problems, seconds: (performance.now() - started) / 1000, folder: record.folder };
}

function showTable(root, results) {
  for (const { scenario, problems, seconds, folder } of results) {
    const result = problems.length === 0 ? 'passed' : 'FAILED';
    console.log(
      `${result}  ${scenario.name.padEnd(20)}  ${seconds.toFixed(1).padStart(6)} s  ${scenario.ids.join(', ')}  ${relative(root, folder)}`,
    );
    for (const problem of problems) console.log(`        ${problem}`);
  }
}
