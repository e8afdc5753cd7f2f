// Holds the evaluator of expressions against the conformance suite of the CEL specification. Needs `npm run build`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { compilePart } from '../../../build/rules/expressions/language/compile.js';
import { Cost } from '../../../build/rules/expressions/language/cost.js';
import { parseCel } from '../../../build/rules/expressions/syntax/parse.js';
import { meantReason } from './meant.mjs';
import { readTextproto } from './read-textproto.mjs';
import { areSame, Missing, readValue, show } from './values.mjs';
import { reasonToLeaveOut } from './what-it-needs.mjs';

const TESTDATA = join('tests', 'simple', 'testdata');

/**
 * Runs every case of the suite.
 *
 * @param dir a copy of google/cel-spec, or the folder of its `.textproto` files.
 * @returns the figures, and each case that gave something else; `meant` is why, where it is meant to.
 */
export async function runSuite(dir) {
  const folder = existsSync(join(dir, TESTDATA)) ? join(dir, TESTDATA) : dir;
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.textproto'))
    .sort();
  if (files.length === 0) throw new Error(`There are no .textproto files in ${folder}`);
  const result = { suite: 'cel', agreed: 0, total: 0, left_out: {}, differences: [] };
  for (const file of files) runFile(basename(file, '.textproto'), readFileSync(join(folder, file), 'utf8'), result);
  return result;
}

function runFile(suite, text, result) {
  for (const section of readTextproto(text).section ?? []) {
    for (const test of section.test ?? []) {
      const expression = test.expr[0].bytes.toString('utf8');
      const name = [suite, wordsOf(section.name), wordsOf(test.name)].join('/');
      const reason = reasonToLeaveOut(suite, test, expression) ?? missingIn(test);
      if (reason !== undefined) {
        result.left_out[reason] = (result.left_out[reason] ?? 0) + 1;
        continue;
      }
      result.total += 1;
      const difference = runCase(test, expression);
      if (difference === undefined) result.agreed += 1;
      else result.differences.push({ case: name, expression, ...difference, ...meantReason(name) });
    }
  }
}

function wordsOf(field) {
  return field?.[0].bytes.toString('utf8') ?? '';
}

function missingIn(test) {
  try {
    bindingsOf(test);
    if (test.value) readValue(test.value[0]);
    return undefined;
  } catch (error) {
    if (error instanceof Missing) return error.needs;
    throw error;
  }
}

function bindingsOf(test) {
  const values = Object.create(null);
  for (const { key, value } of test.bindings ?? []) values[wordsOf(key)] = readValue(value[0].value[0]);
  return values;
}

/** @returns nothing where the case agrees. */
function runCase(test, expression) {
  const isError = test.eval_error !== undefined || test.any_eval_errors !== undefined;
  // A case without a value is one of true.
  const wanted = isError ? undefined : test.value ? readValue(test.value[0]) : true;
  const expected = isError ? 'an error' : show(wanted);
  try {
    const got = evaluate(expression, bindingsOf(test));
    return !isError && areSame(wanted, got) ? undefined : { expected, got: show(got) };
  } catch (error) {
    return isError ? undefined : { expected, got: `error: ${error.summary ?? error.message}` };
  }
}

/**
 * As the runtime evaluates, without its first and its last step: what is certain to fail is refused by the runtime before
 * anything runs, and JSON does not tell 1 from 1.0.
 */
function evaluate(expression, values) {
  const place = { compile: compilePart, bound: [], failures: [], nullIsEmpty: true };
  const part = compilePart(parseCel(expression), place);
  const none = () => {
    throw new Error('The suite has neither clock nor chance');
  };
  return part.run({ values, bound: [], cost: new Cost(), now: none, uuid: none });
}
