// Plants each one-line change of test/mutations/mutations.mjs in a copy of the checkout and runs the tests that must notice it.
//
//   npm run test:mutations                 # all of them
//   npm run test:mutations -- seal lock    # those whose name has one of these words
//
// A change that no test notices survives, and the run fails. A change whose line is not found exactly once, or with which
// its tests cannot be run, is an error of the list. Each test must pass without any change.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MUTATIONS } from '../test/mutations/mutations.mjs';

// What is planted is in the sources, not in the compiled modules.
delete process.env.COMPILED;
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
  const options = {
    cwd: copy,
    encoding: 'utf8',
    timeout: LIMIT_MS,
    env: { ...process.env, NO_COLOR: '1', LONG: 'whole' },
  };
  return spawnSync(command, args, { ...options, maxBuffer: 64 * 1024 * 1024 });
}

/** The projects that the tests of a file may be in: those of `test/unit` are in `unit` or `unit-apart`. */
const projectOf = (file) => `${file.split('/')[1]}*`;

/**
 * Runs tests of files of one project, all of them or those whose title has the words of `name`.
 *
 * One that fails is run once more: on a busy machine the first failure may be that of the machine.
 *
 * @returns the titles of those that failed, and how many passed.
 */
function runTests(copy, files, name) {
  const report = join(copy, 'mutation-report.json');
  rmSync(report, { force: true });
  const only = name === undefined ? [] : ['-t', name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')];
  const how = [
    '--project',
    projectOf(files[0]),
    '--retry=1',
    '--bail=1',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const { stdout, stderr, error } = run(copy, 'npx', 'vitest', 'run', ...how, ...only, ...files);
  if (!existsSync(report)) throw new Error(`${files.join(', ')} gave no report: ${error ?? ''}\n${stdout}${stderr}`);
  const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  );
  // A file that could not be loaded, or set up, noticed nothing.
  const broken = testResults.find(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  if (broken) throw new Error(`${broken.name} did not run: ${broken.message}`);
  return { failed, passed: numPassedTests };
}

const testsOf = ({ tests }) => tests.map((test) => (typeof test === 'string' ? { file: test } : test));

/** Unit tests read src/ as it is; all others take the bundle of the workflows and the commands from dist/. */
const needsBuild = (mutation) => testsOf(mutation).some(({ file }) => !file.startsWith('test/unit/'));

/** The title of a test that notices a change; undefined where none does. */
function findKiller(copy, mutation) {
  for (const { file, name } of testsOf(mutation)) {
    const [failed] = runTests(copy, [file], name).failed;
    if (failed !== undefined) return failed;
  }
  return undefined;
}

/** What fails without a change as well would say of every change that it was noticed. */
function refuseFailing(copy, mutations) {
  const tests = mutations.flatMap(testsOf);
  const whole = [...new Set(tests.filter(({ name }) => name === undefined).map(({ file }) => file))];
  const runs = tests.filter(({ name }) => name !== undefined).map(({ file, name }) => ({ files: [file], name }));
  for (const project of new Set(whole.map(projectOf))) {
    runs.push({ files: whole.filter((file) => projectOf(file) === project) });
  }
  for (const { files, name } of runs) {
    const { failed, passed } = runTests(copy, files, name);
    if (failed.length > 0) throw new Error(`It fails without any change: ${failed[0]}`);
    if (passed === 0) throw new Error(`${files.join(', ')} has no test ${name ?? ''}`);
  }
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
let killed = 0;
try {
  if (chosen.some(needsBuild)) build(copy, 'the checkout');
  refuseFailing(copy, chosen);
  for (const mutation of chosen) {
    const { name } = mutation;
    const started = Date.now();
    let restore = () => {};
    try {
      restore = plant(copy, mutation);
      if (needsBuild(mutation)) build(copy, name);
      const killer = findKiller(copy, mutation);
      const seconds = Math.round((Date.now() - started) / 1000);
      if (killer === undefined) survived.push(name);
      else killed += 1;
      console.log(
        killer === undefined ? `SURVIVED  ${name} (${seconds} s)` : `killed    ${name} (${seconds} s), by: ${killer}`,
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      errors.push(name);
      console.log(`ERROR     ${name}: ${reason}`);
    } finally {
      restore();
    }
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${killed} killed, ${survived.length} survived, ${errors.length} errors`);
process.exitCode = killed === chosen.length ? 0 : 1;
