import { afterEach, describe, expect, test, vi } from 'vitest';
import { createModify, createRecordChange } from '../../../../src/activities/preflight/check-changed-input.js';
import { verifySeal } from '../../../../src/activities/seal.js';
import type { ModifyAnswer, ModifyRequest } from '../../../../src/contracts/activities.js';
import { ACTIVITY_LIMITS } from '../../../../src/contracts/names.js';
import type { Plan } from '../../../../src/contracts/plan.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import type { Seal } from '../../../../src/contracts/seal.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { MemoryFiles } from '../../../fixtures/memory-files.js';
import { examplePlan } from '../../rules/example-plan.js';
import { admittedTask, KEYS } from '../admitted-task.js';
import {
  creationHooks,
  type Dependencies,
  PINNED,
  pinnedPlan,
  preflightedProject,
  TOOL,
} from './preflighted-project.js';

const EVE = { name: 'eve', source: 'claimed' } as const;
const OTHER = 'f'.repeat(64);
const FILE = { $file: 'a'.repeat(64), name: 'f', bytes: 1, media_type: 'text/plain' };
/** The ability takes a file. */
const WITH_FILE = {
  'registry/high-level/flow.yaml': [
    ...['id: flow', 'type: workflow', 'version: 1', 'summary: x', 'steps: [{ id: a, call: op }]'],
    'input_schema: { type: object, properties: { f: { type: object, format: file } } }',
  ].join('\n'),
};

afterEach(() => {
  vi.useRealTimers();
});

/** Changes the input of a task from `{ n: 1 }`. @param changes parts of the request; may depend on the plan. */
async function changed(
  changes: Partial<ModifyRequest> | ((plan: Plan) => Partial<ModifyRequest>) = {},
  { sealed = {}, files = {}, more = {}, placement = 'local', beats = [] }: ChangeOptions = {},
) {
  const project = preflightedProject(files, more);
  const plan = project.plan();
  const { plans, mark, environment } = admittedTask({ ...plan, placement }, { n: 1 }, sealed);
  const request = typeof changes === 'function' ? changes(plan) : changes;
  const context = environment();
  context.on('heartbeat', (details) => beats.push(details));
  const keep = vi.spyOn(plans, 'keep');
  const modify = createModify({ ...project.dependencies, plans });
  const answer: ModifyAnswer = await context.run(modify, { seal: mark, input: { n: 2 }, by: EVE, ...request });
  return { ...answer, held: project.store.held, keep };
}

interface ChangeOptions {
  sealed?: Partial<Seal>;
  files?: Record<string, string>;
  more?: Partial<Dependencies>;
  /** Where the task was placed when it was sealed. */
  placement?: Plan['placement'];
  beats?: unknown[];
}

describe('a change of the input', () => {
  test('gives the new input with defaults, under a new seal of the same task and owner', async () => {
    const answer = await changed({ input: { text: 'a' } });
    const input = { n: 1, text: 'a' };
    expect(answer).toMatchObject({ input, hooks: [], warnings: [], plan: { ability: { id: 'flow' } } });
    verifySeal(answer.seal, { task: 't-1' }, KEYS);
    expect(answer.seal).toMatchObject({ input: digestOf(input), plan: digestOf(answer.plan), user: { name: 'ada' } });
    for (const key of ['session', 'scope', 'caller', 'intent', 'run']) expect(answer.seal).not.toHaveProperty(key);
  });

  test('keeps the session, scope, intent and run of the first seal', async () => {
    const sealed = { session: 's-1', scope: 'modules/a', intent: 'to try', run: 'run-1' };
    const { seal } = await changed({}, { sealed });
    expect(seal).toMatchObject(sealed);
  });

  test.each([
    ['of the same kind', 'ci', 'ci', 'ci'],
    ['of another kind', 'ci', 'agent', undefined],
    ['of an unknown kind', 'ci', undefined, undefined],
  ] as const)('by a caller %s keeps the caller only if it is the same', async (_, before, now, after) => {
    const { seal } = await changed(now === undefined ? {} : { caller: now }, { sealed: { caller: before } });
    expect(seal.caller).toBe(after);
  });

  test('is decided by guards about the person who changes it, within the scope of the task', async () => {
    const hook =
      '{ id: g, blocking: true, match: { abilities: [flow] }, handler: { script: { path: scripts/any.mjs } } }';
    const seen: unknown[] = [];
    const answerScript: Dependencies['answerScript'] = async (hook_id, _, event, { phase, path }) => {
      seen.push([event.user_id, event.module_id]);
      return { hook_id, phase, path, status: 'ok', decision: 'need_user_confirm', warnings: ['w'] };
    };
    const { seal, hooks, warnings } = await changed(
      {},
      { files: creationHooks(hook), more: { answerScript }, sealed: { scope: 'modules/a' } },
    );
    expect(seen).toEqual([['eve', 'modules/a']]);
    expect(hooks).toMatchObject([{ hook_id: 'g' }]);
    expect(warnings[0]).toBe('w');
    expect(seal.confirmations).toHaveLength(1);
  });

  test('has each warning once', async () => {
    const scripts = { keep: async () => 'pinned' } as never;
    const { warnings } = await changed({}, { files: TOOL, more: { ...PINNED, scripts } });
    expect(warnings).toEqual(['pinned']);
  });

  test('holds the files of the new input', async () => {
    const { held } = await changed({ input: { f: FILE } }, { files: WITH_FILE });
    expect(held).toEqual([['t-1', FILE.$file]]);
  });

  test('gives the new plan to the worker', async () => {
    const { keep, plan, seal } = await changed();
    expect(keep).toHaveBeenCalledWith(plan, seal.plan);
  });

  test('sends heartbeats while it runs', async () => {
    const beats: unknown[] = [];
    const pin: Dependencies['tools']['pin'] = async (plan) => {
      vi.advanceTimersByTime(ACTIVITY_LIMITS.heartbeat);
      return { plan, warnings: [] };
    };
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await changed({}, { more: { tools: { pin } }, beats });
    expect(beats.length).toBeGreaterThan(1);
  });
});

describe('a change of the input of a task for a specific plan', () => {
  test('is accepted with that plan and that input', async () => {
    const only = (plan: Plan) => ({ only: { plan: digestOf(plan), input: digestOf({ n: 2 }) } });
    await expect(changed(only)).resolves.toMatchObject({ input: { n: 2 } });
  });

  test('is refused with an input other than the planned one', async () => {
    const only = (plan: Plan) => ({ only: { plan: digestOf(plan), input: OTHER } });
    await expect(changed(only)).rejects.toMatchObject({ type: 'plan.changed' });
  });

  test('is refused with another plan before any tool is inspected', async () => {
    const pin = vi.fn();
    const refused = changed({ only: { plan: OTHER } }, { more: { tools: { pin } } });
    await expect(refused).rejects.toMatchObject({ type: 'plan.changed' });
    expect(pin).not.toHaveBeenCalled();
  });

  test('is accepted with the plan whose tools are pinned', async () => {
    const only = (plan: Plan) => ({ only: { plan: digestOf(pinnedPlan(plan)) } });
    await expect(changed(only, { files: TOOL, more: PINNED })).resolves.toHaveProperty('seal');
  });

  test('is refused if its tools are pinned differently', async () => {
    const files = { store: new MemoryFiles() } as Dependencies['files'] & { store: MemoryFiles };
    const options = { files: { ...TOOL, ...WITH_FILE }, more: { ...PINNED, files } };
    await expect(changed({ input: { f: FILE }, only: { plan: OTHER } }, options)).rejects.toMatchObject({
      type: 'plan.changed',
    });
    expect(files.store.held).toEqual([]);
  });
});

describe('a task that the definitions now place elsewhere', () => {
  const moved = (isServed: Dependencies['isServed'], placement: Plan['placement'] = 'cloud') =>
    changed({}, { more: { isServed }, placement });

  test('is changed if a worker serves the queue of that placement', async () => {
    const queues: string[] = [];
    const isServed = async (queue: string) => queues.push(queue) > 0;
    const { plan } = await moved(isServed);
    expect(plan.placement).toBe('local');
    expect(queues).toEqual([`${plan.project}-dev-local`]);
  });

  test('is not changed if no worker does', async () => {
    await expect(moved(async () => false)).rejects.toMatchObject({ type: 'placement.no_worker' });
  });

  test('needs no worker elsewhere while it stays where it is', async () => {
    const isServed = vi.fn(async () => false);
    await moved(isServed, 'local');
    expect(isServed).not.toHaveBeenCalled();
  });
});

describe('the record of a task whose input has changed', () => {
  const change = { input: { n: 2 }, created_at: '2030-01-01T00:00:00.000Z', changes: [], warnings: ['w'] };
  const recorded = async (replace: () => void) => {
    const { plans, mark, environment } = admittedTask(examplePlan(), { n: 1 });
    const records = { replace, read: () => ({ run_id: 'r-0' }) } as never;
    return environment().run(createRecordChange({ plans, records, host: 'here' }), { seal: mark, ...change });
  };

  test('is rewritten', async () => {
    const replace = vi.fn();
    expect(await recorded(replace)).toEqual({ warnings: [] });
    const { input, created_at, warnings } = change;
    expect(replace.mock.calls).toMatchObject([
      [{ task_key: 't-1', run_id: 'r-0', host: 'here', input, created_at, warnings }],
    ]);
  });

  test('is a warning if it cannot be written, but an internal error fails', async () => {
    const failing = (error: Error) => () => {
      throw error;
    };
    const full = new AbilityError({ code: 'record.write_failed', message: 'the disk is full' });
    expect(await recorded(failing(full))).toEqual({ warnings: ['record.write_failed: the disk is full'] });
    await expect(recorded(failing(new TypeError('broken')))).rejects.toMatchObject({ type: 'internal.error' });
  });
});
