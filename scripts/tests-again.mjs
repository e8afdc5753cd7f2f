// Reads the JSON reports of two runs of the tests: the whole one, and one of the files in which tests had failed, alone.
//
//   node scripts/tests-again.mjs files REPORT         the files to run alone, one a line; none where too many failed
//   node scripts/tests-again.mjs count REPORT [AGAIN]  "<passed> <failed>", and on standard error each test that failed only beside others
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** More files than these are no accident of a busy machine. */
const MOST_FILES = 4;

const [mode, reportFile, againFile] = process.argv.slice(2);
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
/** The tests of each file, by their full names; a file that could not be loaded has one, which has failed. */
const testsOf = ({ testResults }) =>
  new Map(
    testResults.map(({ name, status, assertionResults }) => {
      const tests = assertionResults.map(({ fullName, status: of }) => [fullName, of]);
      const unnamed = status === 'failed' && !tests.some(([, of]) => of === 'failed');
      return [relative(process.cwd(), name), unnamed ? [...tests, ['(the file itself)', 'failed']] : tests];
    }),
  );
const failedIn = (tests) => tests.filter(([, status]) => status === 'failed').map(([name]) => name);

const first = testsOf(read(reportFile));
const broken = [...first].filter(([, tests]) => failedIn(tests).length > 0);

if (mode === 'files') {
  if (broken.length <= MOST_FILES) for (const [file] of broken) console.log(file);
} else if (mode === 'count') {
  const again = againFile ? testsOf(read(againFile)) : new Map();
  let passed = 0;
  let failed = 0;
  for (const [file, tests] of first) {
    passed += tests.filter(([, status]) => status === 'passed').length;
    // What did not run again, or failed again, has failed.
    const alone = again.get(file);
    const good = alone && failedIn(alone).length === 0 && alone.some(([, status]) => status === 'passed');
    for (const name of failedIn(tests)) {
      if (good) {
        passed++;
        console.error(`unstable: ${file} > ${name}: failed beside others, passed alone`);
      } else failed++;
    }
  }
  console.log(`${passed} ${failed}`);
} else {
  console.error('usage: node scripts/tests-again.mjs files|count REPORT [AGAIN]');
  process.exitCode = 2;
}
