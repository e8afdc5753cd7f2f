import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { HookRun } from '../../../../src/activities/hooks/hook-context.js';
import type { HookAnswer } from '../../../../src/contracts/hooks.js';
import { ATTRIBUTES } from '../../../../src/contracts/traces.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { projectFile } from '../../../fixtures/project-folder.js';
import { lowLevel, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';
import { keepingTracer } from '../traced.js';
import { creationHooks, type Dependencies, FILES, PINNED, preflightedProject, TOOL } from './preflighted-project.js';

const NOW = Date.UTC(2030, 0, 1);
const FLOW = FILES['registry/high-level/flow.yaml'] as string;
/** A guard around the workflow `flow`. */
const guard = (expression: string) =>
  creationHooks(`{ id: g, blocking: true, match: { abilities: [flow] }, handler: { expression: { ${expression} } } }`);
/** A guard around everything, whose handler is a script. */
const SCRIPT_GUARD = creationHooks('{ id: g, blocking: true, handler: { script: { path: scripts/any.mjs } } }');

/** Answers in place of scripts. @returns what they were consulted about. */
function answering(answer: Partial<HookAnswer> = {}) {
  const runs: HookRun[] = [];
  const answerScript: Dependencies['answerScript'] = async (hook_id, _, __, run) => {
    runs.push(run);
    return { hook_id, phase: run.phase, path: run.path, status: 'ok', decision: 'allow', ...answer };
  };
  return { runs, answerScript };
}

describe('an input is refused before tools are pinned', () => {
  test.each<[string, string, Record<string, string>, object]>([
    ['whose key reaches into a prototype', 'input.invalid', {}, JSON.parse('{ "__proto__": 1 }')],
    [
      'with a file above the limit of the project',
      'file.too_large',
      {
        'ability.yaml': projectFile(undefined, 'policy: { max_file: 1kB }\n'),
        ...lowLevel('op', 'input_schema: { type: object, properties: { f: { type: object, format: file } } }', SCRIPT),
      },
      { f: { $file: 'a'.repeat(64), name: 'f', bytes: 2000, media_type: 'text/plain' } },
    ],
    [
      'from which the command line of its script cannot be built',
      'input.invalid',
      {
        ...lowLevel(
          'op',
          'input_schema: { type: object, properties: { host: { type: string } } }',
          'implementation: { kind: script, script: { path: scripts/any.mjs, args: ["${{ input.host }}"] } }',
        ),
      },
      { host: '-rf' },
    ],
  ])('%s', async (_, type, files, input) => {
    const pin = vi.fn();
    const { preflight } = preflightedProject(files, { tools: { pin } });
    await expect(preflight({ ability: 'op', input: input as never })).rejects.toMatchObject({ type });
    expect(pin).not.toHaveBeenCalled();
  });
});

test('a task whose credential is missing is refused', async () => {
  const { preflight } = preflightedProject({
    ...lowLevel('op', 'implementation: { kind: script, script: { path: scripts/any.mjs, env_profile: p } }'),
    'registry/config/env.yaml': 'env_profiles: { p: { secrets: { TOKEN: "env:TOKEN" } } }\n',
  });
  await expect(preflight()).rejects.toMatchObject({ type: 'config.missing_credential' });
});

describe('the plan that is sealed', () => {
  const NOTIFY = {
    'ability.yaml': projectFile(
      undefined,
      'notify: [{ on: [task.failed], webhook: "env:HOOK", secret: "env:SECRET" }]\n',
    ),
  };
  const clock = (set: { now: number; shift_ms: number } | undefined): Partial<Dependencies> => ({
    clockOf: async () => set,
  });

  test('has its tools pinned, and what could not be pinned is a warning', async () => {
    const { plan, seal, warnings } = await preflightedProject(TOOL, PINNED).preflight();
    expect(plan.operations.op?.implementation).toMatchObject({ mcp: { pinned: 'd'.repeat(64) } });
    expect(seal?.plan).toBe(digestOf(plan));
    expect(warnings).toEqual(['pinned']);
  });

  test('has notices', async () => {
    expect((await preflightedProject(NOTIFY).preflight()).plan).toHaveProperty('notify');
  });

  test('has no notices in a case of `ability test`, with or without a clock', async () => {
    for (const set of [undefined, { now: NOW, shift_ms: 5 }]) {
      const { plan, seal } = await preflightedProject(NOTIFY, clock(set)).preflight();
      expect(plan).not.toHaveProperty('notify');
      expect(seal?.plan).toBe(digestOf(plan));
    }
  });

  test('has the clock shift that a case sets, and its guards see that clock', async () => {
    const files = guard('deny_if: "now() == timestamp(\'2030-01-01T00:00:00Z\')", reason: "Closed."');
    const { plan } = await preflightedProject({}, clock({ now: NOW, shift_ms: 5 })).preflight();
    expect(plan).toMatchObject({ clock_shift_ms: 5 });
    const { preflight } = preflightedProject(files, clock({ now: NOW, shift_ms: 5 }));
    await expect(preflight()).rejects.toMatchObject({ type: 'guard.denied' });
    expect((await preflightedProject(files).preflight()).plan).not.toHaveProperty('clock_shift_ms');
  });
});

describe('guards before creation', () => {
  test('run once for the task and once for each operation, each with its own hooks', async () => {
    const { runs, answerScript } = answering();
    const { preflight } = preflightedProject(SCRIPT_GUARD, { answerScript });
    const { hooks } = await preflight({ input: { n: 2 } });
    expect(hooks?.map(({ path }) => path)).toEqual(['', 'op']);
    expect(runs).toMatchObject([
      { path: '', input: { n: 2 }, operation: undefined },
      { path: 'op', input: {}, operation: { key: 'op' } },
    ]);
  });

  test('of a single operation are those of the operation', async () => {
    const files = creationHooks(
      '{ id: g, blocking: true, match: { abilities: [op] }, handler: { expression: { deny_if: "true", reason: "No." } } }',
    );
    const { preflight } = preflightedProject(files);
    await expect(preflight({ ability: 'op' })).rejects.toMatchObject({ type: 'guard.denied', message: /No\./ });
    await expect(preflight()).rejects.toMatchObject({ details: [{ details: { path: 'op' } }, {}] });
  });

  test('see the scope, the session and the caller of the request', async () => {
    const { runs, answerScript } = answering();
    const { preflight } = preflightedProject(SCRIPT_GUARD, { answerScript });
    await preflight({ session: 's-1', scope: 'modules/users' });
    await preflight({ task: 't-2', caller: 'ci' });
    expect(runs[0]).toMatchObject({ session: 's-1', scope: 'modules/users', caller: 'session', task: 't-1' });
    expect(runs[2]).toMatchObject({ session: null, caller: 'ci', task: 't-2' });
    expect(runs[2]).toHaveProperty('scope', undefined);
  });

  test('all fire if the caller is unknown', async () => {
    const { runs, answerScript } = answering();
    await preflightedProject(SCRIPT_GUARD, { answerScript }).preflight();
    expect(runs[0]).toHaveProperty('caller', undefined);
  });

  test('stop at the first that denies, and nothing is created', async () => {
    const { runs, answerScript } = answering({ decision: 'deny', reason: 'No.' });
    const { preflight, records } = preflightedProject(SCRIPT_GUARD, { answerScript });
    await expect(preflight()).rejects.toMatchObject({ type: 'guard.denied' });
    expect(runs).toHaveLength(1);
    expect(records.read('t-1')).toBeUndefined();
  });

  test.each<[string | undefined, RegExp, string]>([
    ['Are you sure?', /Are you sure\? \(hook g\)/, 'Are you sure?'],
    [undefined, /no reason given \(hook g\)/, 'A hook asks for confirmation.'],
  ])('may require a confirmation, %s, which becomes a warning and is sealed', async (reason, warned, sealed) => {
    const { answerScript } = answering({
      decision: 'need_user_confirm',
      ...(reason !== undefined && { reason }),
      warnings: ['w'],
    });
    const { seal, warnings } = await preflightedProject(SCRIPT_GUARD, { answerScript }).preflight();
    expect(warnings).toEqual(['w', expect.stringMatching(warned)]);
    expect(seal?.confirmations).toEqual([
      { hook_id: 'g', reason: sealed },
      { hook_id: 'g', reason: sealed },
    ]);
  });

  test('that allow are no confirmations, and their warnings are retained', async () => {
    const { answerScript } = answering({ warnings: ['w'] });
    const { seal, warnings } = await preflightedProject(SCRIPT_GUARD, { answerScript }).preflight();
    expect([seal?.confirmations, warnings]).toEqual([[], ['w']]);
  });

  test('may give unknown signals, which are written to the documents of the scope', async () => {
    const { answerScript } = answering({ hook_signals: { mood: 'calm' } });
    const { preflight, root } = preflightedProject(SCRIPT_GUARD, { answerScript });
    await preflight({ scope: 'modules/users' });
    const file = join(root, 'modules/users/workdocs/hook-signals.md');
    expect(existsSync(file) && readFileSync(file, 'utf8')).toMatch(/t-1 g .*calm/);
  });
});

test('scripts that could not be stored are a warning', async () => {
  const scripts = { keep: async () => 'not kept' } as never;
  expect((await preflightedProject({}, { scripts }).preflight()).warnings).toEqual(['not kept']);
});

describe('in a trace', () => {
  const traced = async (files: Record<string, string>, session: string | null = null) => {
    const tracer = keepingTracer();
    await preflightedProject(files, { tracer }).preflight(session === null ? {} : { session });
    return tracer.spans;
  };
  const bound = { 'registry/high-level/flow.yaml': `${FLOW}hooks: { pre_create: [g] }\n` };
  const boundToOperation = { ...lowLevel('op', SCRIPT, 'hooks: { pre_create: [g] }'), ...SCRIPT_FILE };
  const hook = creationHooks('{ id: g, handler: { expression: { warn_if: "false", reason: "x" } } }');

  test.each<[string, Record<string, string>]>([
    ['the workflow', { ...hook, ...bound }],
    ['an operation', { ...hook, ...boundToOperation }],
  ])('a preflight with guards of %s is a span with its task', async (_, files) => {
    const spans = await traced(files);
    const [preflight] = spans.filter(({ name }) => name === 'preflight flow');
    expect(preflight?.attributes).toMatchObject({ [ATTRIBUTES.taskId]: 't-1', [ATTRIBUTES.environment]: 'dev' });
    expect(preflight?.attributes[ATTRIBUTES.conversation]).toBeUndefined();
  });

  test('a preflight names its session', async () => {
    const spans = await traced({ ...hook, ...bound }, 's-1');
    expect(spans.at(-1)?.attributes).toMatchObject({ [ATTRIBUTES.conversation]: 's-1' });
  });

  test('a preflight without guards has no span', async () => {
    expect(await traced({})).toEqual([]);
  });
});
