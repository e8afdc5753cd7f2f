import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeInput, listTasks } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import type { PlanPreview } from '../../src/contracts/preview.js';
import { AbilityError } from '../../src/contracts/problem.js';
import type { WantedPlan } from '../../src/contracts/task.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { previewPlan } from '../../src/planning/preview/preview-plan.js';
import type { PlanChange } from '../../src/rules/plans/plan-digest.js';
import { operation, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { config, mcpAbility } from '../fixtures/servers/definitions.js';
import { MCP_PROGRAMS } from '../fixtures/servers/mcp-http-server.js';

let project: RunningProject;

const STEPS =
  'input_schema: { type: object, properties: { n: { default: 1 } } }\nsteps: [{ id: a, call: p.echo, with: { n: "${{ input.n }}" } }]\noutput: { n: "${{ steps.a.output.n }}" }';

beforeAll(async () => {
  project = await runProject({
    ...operation('p.echo', 'return input;'),
    ...mcpAbility('p.do', { server: 'changing', tool: 'do' }),
    ...workflow('planned', STEPS),
    ...workflow('tooled', 'steps: [{ id: a, call: p.do, with: {} }]'),
  });
  const { changing } = MCP_PROGRAMS;
  const args = [changing, join(project.root, 'tools.json'), join(project.root, 'calls.txt')];
  project.write(config('servers', { mcp_servers: { changing: { command: process.execPath, args } } }));
  describeTool('Does it.');
});
afterAll(() => project.stop());

function describeTool(description: string): void {
  const tool = { name: 'do', description, inputSchema: { type: 'object' } };
  writeFileSync(join(project.root, 'tools.json'), JSON.stringify([tool]));
}

function preview(ability: string, input: JsonObject = {}): PlanPreview {
  const user = { name: 'tester', source: 'claimed' } as const;
  return previewPlan(loadRegistry(project.root), { ability, environment: 'dev', input, user });
}

async function refusal(promise: Promise<unknown>): Promise<AbilityError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AbilityError) return error;
  throw error ?? new Error('it was not refused');
}

/** The code with which the worker refuses to seal, whatever the caller checks; undefined if it seals. */
async function sealingOf(ability: string, plan: WantedPlan): Promise<string | undefined> {
  const { connection } = project;
  const started = connection.temporal.workflow.execute(ability, {
    workflowId: `sealing-${ability}`,
    taskQueue: taskQueueOf(connection.project, 'dev', 'local'),
    args: [{}, { plan }],
  });
  return started.then(
    () => undefined,
    (error: { cause?: { type?: string } }) => error.cause?.type,
  );
}

function hasRecord(key: string): boolean {
  return existsSync(join(project.root, '.system/implement', key));
}

describe('a task requested under the digest of a plan', () => {
  test('runs if the worker makes the same plan, and its result has that digest', async () => {
    const { digest, input_digest, input } = preview('planned');
    expect(input).toEqual({ n: 1 });
    const result = await project.run('planned', {}, { plan: { plan: digest, input: input_digest } });
    expect(result).toMatchObject({ status: 'succeeded', digest, output: { n: 1 } });
  });

  test('is refused by the worker before anything of it runs, with the current digests; its key is free again', async () => {
    const { digest, input_digest } = preview('planned');
    const wanted = { plan: '0'.repeat(64) };
    const refused = await refusal(project.create('planned', {}, { key: 'never-made', plan: wanted }));
    expect(refused).toMatchObject({
      code: 'plan.changed',
      details: { ability: 'planned', wanted, found: { plan: digest, input: input_digest } },
    });
    expect(hasRecord('never-made')).toBe(false);
    const { workflow: workflows } = project.connection.temporal;
    const { status, searchAttributes } = await workflows.getHandle('never-made').describe();
    expect(status.name).toBe('FAILED');
    expect(searchAttributes.AbilityStatus).toEqual(['unavailable']);
    expect(await listTasks(project.connection, { ability: 'planned', limit: 99 })).not.toContainEqual(
      expect.objectContaining({ task_key: 'never-made' }),
    );
    expect(await project.run('planned', {}, { key: 'never-made', plan: { plan: digest } })).toMatchObject({
      status: 'succeeded',
      task_key: 'never-made',
    });
  });

  test('is refused with another input if the input was planned as well', async () => {
    const { digest, input_digest } = preview('planned', { n: 2 });
    const plan = { plan: digest, input: input_digest };
    expect(await refusal(project.create('planned', { n: 3 }, { plan }))).toMatchObject({ code: 'plan.changed' });
    expect((await project.run('planned', { n: 2 }, { plan })).output).toEqual({ n: 2 });
    expect((await project.run('planned', { n: 3 }, { plan: { plan: digest } })).output).toEqual({ n: 3 });
  });

  test('is refused if a script of the worker differs in one byte', async () => {
    const { digest } = preview('planned');
    const script = join(project.root, 'scripts/p.echo.mjs');
    const before = readFileSync(script, 'utf8');
    writeFileSync(script, `${before}\n`);
    try {
      const { details } = await refusal(project.create('planned', {}, { plan: { plan: digest } }));
      const { parts } = details as PlanChange;
      expect(parts?.['operations.p.echo']).toMatch(/^[0-9a-f]{8}$/);
    } finally {
      writeFileSync(script, before);
    }
    expect((await project.run('planned', {}, { plan: { plan: digest } })).status).toBe('succeeded');
  });
});

describe('under a key', () => {
  test('the same plan is the same task, even if the definitions have changed since; another plan is a conflict', async () => {
    const plan = { plan: preview('planned').digest };
    const key = 'planned-once';
    const first = await project.create('planned', {}, { key, plan });
    expect(await project.create('planned', {}, { key, plan })).toMatchObject({ id: first.id, attached: true });
    const other = { plan: '1'.repeat(64) };
    expect(await refusal(project.create('planned', {}, { key, plan: other }))).toMatchObject({
      code: 'task.key_conflict',
    });
    project.write(workflow('planned', STEPS.replace('default: 1', 'default: 1, title: N')));
    try {
      expect(await project.create('planned', {}, { key, plan })).toMatchObject({ attached: true });
      expect(await project.create('planned', {}, { key })).toMatchObject({ attached: true });
    } finally {
      project.write(workflow('planned', STEPS));
    }
    await project.wait(key);
  });

  test('callers with different plans at once: those with the right plan get one task, the others are refused', async () => {
    const plan = { plan: preview('planned').digest };
    const wrong = { plan: '2'.repeat(64) };
    const ends = await Promise.allSettled(
      [plan, wrong, plan, wrong].map((wanted) => project.create('planned', {}, { key: 'raced', plan: wanted })),
    );
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect((await project.wait('raced')).kind).toBe('ended');
  });
});

describe('a plan with tools', () => {
  test('is compared before its tools are pinned, and is also known by the digest that was sealed with them', async () => {
    const { digest } = preview('tooled');
    const first = await project.run('tooled', {}, { plan: { plan: digest }, key: 'tooled-1' });
    expect(first.status).toBe('succeeded');
    expect(first.digest).not.toBe(digest);
    // A repeated request under the key may name either digest.
    for (const plan of [digest, first.digest]) {
      expect(await project.create('tooled', {}, { key: 'tooled-1', plan: { plan } })).toMatchObject({ attached: true });
    }
    expect((await project.run('tooled', {}, { plan: { plan: first.digest } })).digest).toBe(first.digest);
  });

  test('that was sealed with tools is refused once a tool has changed', async () => {
    const { digest } = preview('tooled');
    const sealed = (await project.run('tooled')).digest;
    describeTool('Does it otherwise.');
    await project.restartWorkers();
    try {
      expect(await refusal(project.create('tooled', {}, { plan: { plan: sealed } }))).toMatchObject({
        code: 'plan.changed',
      });
      expect(await sealingOf('tooled', { plan: sealed })).toBe('plan.changed');
      expect((await project.run('tooled', {}, { plan: { plan: digest } })).status).toBe('succeeded');
    } finally {
      describeTool('Does it.');
      await project.restartWorkers();
    }
  });

  test('whose input was changed is known by its current digests', async () => {
    const { digest } = preview('tooled');
    const { id } = await project.create('tooled', {}, { run: false, key: 'tooled-set' });
    await changeInput(project.connection, id, {
      set: { more: 1 },
      unset: [],
      by: { name: 'tester', source: 'claimed' },
    });
    const again = { key: id, plan: { plan: digest } };
    expect(await project.create('tooled', { more: 1 }, again)).toMatchObject({ attached: true });
    expect((await project.wait(id)).kind).toBe('ended');
  });
});

describe('a task created under a plan and run later', () => {
  const by = { name: 'tester', source: 'claimed' } as const;

  test('C-37: accepts no other input if the input was planned, and no other definitions', async () => {
    const { digest, input_digest } = preview('planned', { n: 4 });
    const exact = { key: 'set-exact', plan: { plan: digest, input: input_digest }, run: false };
    const { id } = await project.create('planned', { n: 4 }, exact);
    const edit = { set: { n: 5 }, unset: [], by };
    expect(await refusal(changeInput(project.connection, id, edit))).toMatchObject({ code: 'plan.changed' });

    const { id: loose } = await project.create('planned', {}, { key: 'set-loose', plan: { plan: digest }, run: false });
    expect(await changeInput(project.connection, loose, edit)).toMatchObject({ changed: true });
    project.write(workflow('planned', STEPS.replace('default: 1', 'default: 1, title: N')));
    try {
      const later = changeInput(project.connection, loose, { ...edit, set: { n: 6 } });
      expect(await refusal(later)).toMatchObject({ code: 'plan.changed' });
    } finally {
      project.write(workflow('planned', STEPS));
    }
    expect(await project.create('planned', { n: 5 }, { key: loose })).toMatchObject({ attached: true });
    const end = await project.wait(loose);
    expect(end).toMatchObject({ kind: 'ended', result: { output: { n: 5 }, digest } });
  });
});
