// Holds expressions and schemas against the public suites: npm run test:conformance -- --cel DIR --schema DIR
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** Parts of the cases meant to agree that have to agree, and the runner of each suite. */
const SUITES = {
  cel: { least: 0.98, runner: '../test/conformance/cel/run-suite.mjs' },
  schema: { least: 0.99, runner: '../test/conformance/schema/run-suite.mjs' },
};
const USAGE = 'npm run test:conformance -- [--cel DIR] [--schema DIR]; at least one of them';

process.exitCode = await main();

async function main() {
  const wanted = readArguments();
  if (typeof wanted === 'string') return refuse(wanted);
  let isBelow = false;
  for (const [name, dir] of Object.entries(wanted)) {
    const { least, runner } = SUITES[name];
    const report = await run(runner, dir);
    if (typeof report === 'string') return refuse(report);
    print(report, least);
    isBelow ||= shareOf(report) < least;
  }
  return isBelow ? 1 : 0;
}

function readArguments() {
  const options = Object.fromEntries(Object.keys(SUITES).map((name) => [name, { type: 'string' }]));
  try {
    const { values } = parseArgs({ options });
    if (Object.keys(values).length === 0) return 'No suite was named.';
    for (const [name, dir] of Object.entries(values)) {
      if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return `--${name}: there is no folder ${dir}.`;
    }
    return values;
  } catch (error) {
    return error.message;
  }
}

async function run(runner, dir) {
  try {
    const { runSuite } = await import(runner);
    return await runSuite(dir);
  } catch (error) {
    return error.message;
  }
}

function print(report, least) {
  const { suite, agreed, total, left_out, differences } = report;
  console.log(
    `${suite}: ${agreed} of ${total} counted cases agree (${percent(shareOf(report))}; at least ${percent(least)})`,
  );
  const reasons = Object.entries(left_out).sort(([, one], [, other]) => other - one);
  if (reasons.length > 0) console.log('  Not counted:');
  for (const [reason, count] of reasons) console.log(`  ${String(count).padStart(5)}  ${reason}`);
  const meant = differences.filter(({ meant: reason }) => reason !== undefined && left_out[reason] === undefined);
  if (meant.length > 0) console.log('  Counted, and meant to differ:');
  for (const { case: name, meant: reason } of meant) console.log(`    ${name}: ${reason}`);
  const unmeant = differences.filter(({ meant }) => meant === undefined);
  if (unmeant.length > 0) console.log('  Differences that are not meant:');
  for (const { case: name, expected, got } of unmeant) console.log(`    ${name}: expected ${expected}, got ${got}`);
}

/** A suite without cases agrees with nothing. */
function shareOf({ agreed, total }) {
  return total === 0 ? 0 : agreed / total;
}

function percent(share) {
  return `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}

function refuse(message) {
  console.error(`${message}\n${USAGE}`);
  return 2;
}
