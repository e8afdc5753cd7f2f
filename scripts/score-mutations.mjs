// Which small changes of the code the unit tests notice: the mutant score of four rooms.
//
//   npm run test:mutants                            # a sample of about 200
//   npm run test:mutants -- --sample 400 --seed 7   # another one; --all for every mutant
//   npm run test:mutants -- --min 85                # exit code 1 under this score, in percent
//   npm run test:mutants -- kinds/mcp               # those of the sample whose file:line has one of these words
//   npm run test:mutants -- --tests test/unit/rules # with the unit tests of these files alone
//
// Mutants are built into the sources as switches. One run of the unit tests notes which files reach which mutant; each mutant is
// then switched on for the files that reach it, the quickest first. One that no file reaches has survived. The planted
// changes of test/mutations/mutations.mjs, which integration tests notice too, are another list: `npm run test:mutations`.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createVitest } from 'vitest/node';
import { EQUIVALENT } from '../test/mutations/equivalent-mutants.mjs';
import { mutantsOf, ROOMS, sampleMutants } from './mutants/sample-mutants.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
    min: { type: 'string', default: '0' },
    tests: { type: 'string', multiple: true },
  },
});

// What is planted is in the sources, not in the compiled modules.
delete process.env.COMPILED;
const root = fileURLToPath(new URL('..', import.meta.url));
/** What no mutant takes that ends at all; one that takes longer is stopped, and is noticed so. */
const LIMIT_MS = 5 * 60_000;
const ATTEMPTS = 3;

const place = ({ file, line }) => `${file}:${line}`;
const isEquivalent = ({ file, text, change }) =>
  EQUIVALENT.some((one) => one.file === file && one.text === text && one.change === change);

const rooms = ROOMS.map((room) => mutantsOf(root, room));
const chosen = sampleMutants(rooms, values.all ? undefined : Number(values.sample), Number(values.seed))
  .filter((mutant) => positionals.length === 0 || positionals.some((word) => place(mutant).includes(word)))
  .map((mutant, id) => ({ id, ...mutant }));

const folder = mkdtempSync(join(tmpdir(), 'ability-mutants-'));
const listed = join(folder, 'mutants.json');
const map = join(folder, 'map');
const workers = join(folder, 'workers');
writeFileSync(listed, JSON.stringify(chosen));
process.env['MUTANTS'] = listed;

/** What the present run has seen. */
let failures = [];
const failedFiles = new Set();
const passedFiles = new Set();
const durations = new Map();
const reporter = {
  onTestCaseResult: (test) => test.result().state === 'failed' && failures.push(test.fullName),
  onTestModuleEnd: (module) => {
    durations.set(module.moduleId, module.diagnostic().duration);
    if (!module.ok()) failedFiles.add(module.moduleId);
    if (module.state() === 'passed') passedFiles.add(module.moduleId);
    if (module.errors().length > 0) failures.push(`${module.relativeModuleId}: ${module.errors()[0].message}`);
  },
};

const vitest = await createVitest('test', {
  root,
  config: join(root, 'vitest.mutants.config.ts'),
  watch: false,
  reporters: [reporter],
});

/** Runs test files with a mutant switched on, or none, and gives the titles of the tests that failed. */
async function runTests(specifications, mutant) {
  failures = [];
  failedFiles.clear();
  passedFiles.clear();
  rmSync(workers, { force: true });
  vitest.config.bail = mutant === undefined ? 0 : 1;
  for (const project of vitest.projects) {
    project.config.bail = vitest.config.bail;
    project.provide('mutant', mutant);
    project.provide('mutantMap', map);
    project.provide('mutantWorkers', workers);
  }
  const limit = mutant === undefined ? undefined : setTimeout(stopWorkers, LIMIT_MS);
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
  clearTimeout(limit);
  return [...failures, ...unhandledErrors.map((error) => String(error?.message ?? error))];
}

function stopWorkers() {
  const pids = existsSync(workers) ? readFileSync(workers, 'utf8').trim().split('\n') : [];
  for (const pid of new Set(pids)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** The test files that reach each mutant, the quickest first. */
async function mapMutants(specifications) {
  await runTests(specifications, undefined);
  for (const file of failedFiles) console.log(`left out, as it fails without any mutant: ${relative(root, file)}`);
  const reachedBy = new Map(chosen.map(({ id }) => [id, []]));
  const byFile = new Map(specifications.map((one) => [one.moduleId, one]));
  const lines = readFileSync(map, 'utf8').trim().split('\n');
  for (const { file, reached } of lines.map((line) => JSON.parse(line))) {
    if (failedFiles.has(file)) continue;
    for (const id of reached) reachedBy.get(id).push(byFile.get(file));
  }
  const quickness = new Map(durations);
  for (const files of reachedBy.values()) files.sort((a, b) => quickness.get(a.moduleId) - quickness.get(b.moduleId));
  return reachedBy;
}

async function judge(mutant, files) {
  if (files.length === 0) return { outcome: 'not reached' };
  for (let attempt = 1; ; attempt += 1) {
    const [killer] = await runTests(files, mutant.id);
    if (killer !== undefined) return { outcome: 'killed', killer };
    // A run that was cut short says nothing: now and then the end of the one before reaches into it.
    if (attempt === ATTEMPTS || files.every(({ moduleId }) => passedFiles.has(moduleId)))
      return { outcome: 'survived' };
  }
}

const results = [];
try {
  const all = await vitest.globTestSpecifications(values.tests);
  console.log(`${chosen.length} mutants of ${rooms.flat().length}, ${all.length} test files`);
  const reachedBy = await mapMutants(all);
  for (const mutant of chosen) {
    if (isEquivalent(mutant)) continue;
    const { outcome, killer } = await judge(mutant, reachedBy.get(mutant.id));
    results.push({ ...mutant, outcome });
    const by = killer === undefined ? '' : `, by: ${killer.split('\n')[0]}`;
    console.log(`${outcome.padEnd(11)}  ${place(mutant)}  ${mutant.change}  |  ${mutant.text}${by}`);
  }
} finally {
  await vitest.close();
  rmSync(folder, { recursive: true, force: true });
}

const count = (of, outcome) => of.filter((result) => result.outcome === outcome).length;
const scoreOf = (of) => (of.length === 0 ? 100 : (100 * count(of, 'killed')) / of.length);

function row(name, of) {
  const cells = [name, of.length, ...['killed', 'survived', 'not reached'].map((outcome) => count(of, outcome))];
  return `| ${cells.join(' | ')} | ${scoreOf(of).toFixed(0)} % |`;
}

console.log('\n| Room | Mutants | Killed | Survived | Not reached | Score |\n|---|---|---|---|---|---|');
for (const room of ROOMS) {
  console.log(
    row(
      room,
      results.filter((result) => result.room === room),
    ),
  );
}
console.log(row('all', results));
process.exitCode = scoreOf(results) >= Number(values.min) ? 0 : 1;
