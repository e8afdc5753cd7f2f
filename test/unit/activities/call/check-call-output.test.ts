import { describe, expect, test } from 'vitest';
import type { PlanOperation } from '../../../../src/contracts/plan.js';
import { attempt, withImplementation } from './one-attempt.js';

const outcome = async (output: unknown, operation: Partial<PlanOperation> = {}, limit = 1000) => {
  const limits = { max_ms: null, task_ms: 1000, cleanup_ms: 1000, expires_ms: 1000, output_bytes: limit };
  const { answer, failure } = await attempt(() => output, { operation, plan: { limits } });
  return failure?.type ?? answer?.output;
};

describe('the output of a call', () => {
  test.each<[unknown, number, unknown]>([
    ['ab', 4, 'ab'],
    ['ab', 3, 'output.too_large'],
    ['é', 3, 'output.too_large'],
    [undefined, 4, undefined],
  ])('%j within a limit of %i bytes gives %j', async (output, limit, expected) => {
    expect(await outcome(output, {}, limit)).toEqual(expected);
  });

  test('gets the defaults of its schema', async () => {
    const output_schema = { type: 'object', properties: { n: { type: 'integer', default: 1 } } };
    expect(await outcome({}, { output_schema })).toEqual({ n: 1 });
  });

  test.each(['script', 'mcp', 'api'])('that violates its schema fails with the code of its kind: %s', async (kind) => {
    const operation = { output_schema: { type: 'string' }, ...withImplementation({ kind, mcp: SERVER, api: {} }) };
    expect(await outcome(1, operation)).toBe(`${kind}.output_invalid`);
  });

  test('is rejected with the stderr of its script', async () => {
    const { failure } = await attempt(({ log }) => log.write('stderr', 'no id\n'), {
      operation: { output_schema: { type: 'string' } },
    });
    expect(failure?.message).toMatch(/\nno id$/);
  });

  test('is rejected without a trailing line break if the script wrote nothing to stderr', async () => {
    const { failure } = await attempt(() => 1, { operation: { output_schema: { type: 'string' } } });
    expect(failure?.message).not.toMatch(/\n$/);
  });
});

describe('`fail_if` of an implementation', () => {
  const failing = (fail_if: string) => withImplementation({ fail_if });

  test.each<[string, unknown]>([
    ['output.ok == false', 'fail_if.matched'],
    ['output.ok', { ok: false }],
    ['input == {}', 'fail_if.matched'],
    ['environment.name == "staging"', 'fail_if.matched'],
  ])('%s gives %j', async (condition, expected) => {
    expect(await outcome({ ok: false }, failing(condition))).toEqual(expected);
  });

  test('shows the answer with its secrets masked', async () => {
    const { failure } = await attempt(
      ({ log }) => {
        log.hide('s3cret');
        return { text: 's3cret' };
      },
      { operation: failing('true') },
    );
    expect(failure?.message).toContain('"text"');
    expect(failure?.message).not.toContain('s3cret');
  });
});

const SERVER = { server: { name: 's', transport: 'stdio' }, tool: 't' };
