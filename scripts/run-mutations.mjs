// Plants each one-line change of test/mutations/mutations.mjs in a copy of the checkout and runs the tests that must notice it.
//
//   npm run test:mutations                 # all of them
//   npm run test:mutations -- seal lock    # those whose name has one of these words
//
// A change that no test notices survives, and the run fails. A change that does not compile, or whose line is not found
// exactly once, is an error of the list.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MUTATIONS } from '../test/mutations/mutations.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const LEFT_OUT = new Set(['.git', '.system', 'coverage', 'node_modules']);
const LIMIT_MS = 10 * 60_000;

const words = process.argv.slice(2);
const chosen = MUTATIONS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) throw new Error(`no mutation has a name with ${words.join(' or ')}`);

function copyCheckout() {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'ability-mutations-')));
  cpSync(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(root, path).split('/')[0]) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function run(copy, command, ...args) {
  const options = { cwd: copy, encoding: 'utf8', timeout: LIMIT_MS, env: { ...process.env, NO_COLOR: '1' } };
  return spawnSync(command, args, { ...options, maxBuffer: 64 * 1024 * 1024 });
}

/** Each test file names its project by its folder: test/<project>/... */
function runTests(copy, tests) {
  const files = [...new Set(tests.map((test) => (typeof test === 'string' ? test : test.file)))];
  const names = tests.flatMap((test) => (typeof test === 'string' ? [] : [test.name]));
  const only = names.length > 0 && names.length === tests.length ? ['-t', names.join('|')] : [];
  const report = join(copy, 'mutation-report.json');
  rmSync(report, { force: true });
  run(copy, 'npx', 'vitest', 'run', '--bail=1', '--reporter=json', `--outputFile.json=${report}`, ...only, ...files);
  const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  );
  // A file that could not be loaded noticed nothing.
  const broken = testResults.some(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return { passed: numPassedTests, failed, broken };
}

function plant(copy, { name, file, find, replace }) {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`${name}: its line is found ${parts.length - 1} times in ${file}`);
  writeFileSync(path, parts.join(replace));
  return () => writeFileSync(path, text);
}

function build(copy, name) {
  const { status, stdout, stderr } = run(copy, 'npm', 'run', '--silent', 'build');
  if (status !== 0) throw new Error(`${name} does not compile:\n${stdout}${stderr}`);
}

const copy = copyCheckout();
const survived = [];
const errors = [];
try {
  build(copy, 'the checkout');
  for (const mutation of chosen) {
    const { name, tests } = mutation;
    const started = Date.now();
    let restore = () => {};
    try {
      restore = plant(copy, mutation);
      build(copy, name);
      const { failed, broken, passed } = runTests(copy, tests);
      const seconds = Math.round((Date.now() - started) / 1000);
      if (failed.length > 0) console.log(`killed    ${name} (${seconds} s), by: ${failed[0]}`);
      else if (broken || passed === 0) errors.push(`${name}: its tests did not run`);
      else survived.push(name);
      if (survived.at(-1) === name) console.log(`SURVIVED  ${name} (${seconds} s)`);
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error));
    } finally {
      restore();
    }
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
for (const error of errors) console.log(`ERROR     ${error}`);
console.log(
  `${chosen.length - survived.length - errors.length} killed, ${survived.length} survived, ${errors.length} errors`,
);
process.exitCode = survived.length + errors.length > 0 ? 1 : 0;
