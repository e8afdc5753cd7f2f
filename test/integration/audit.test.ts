import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  cancelTask,
  changeInput,
  decide,
  deleteTask,
  listGrants,
  openApprovals,
  promptSession,
  retryTask,
  revokeGrant,
  startSession,
} from '../../src/client/index.js';
import type { AuditLine } from '../../src/contracts/audit.js';
import { readAudit } from '../../src/server/audit/read-audit.js';
import { pathsOf } from '../../src/server/project-paths.js';
import { retryBy } from '../fixtures/caller.js';
import { LONG } from '../fixtures/extent.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type PaymentService, paymentProject, startPayments } from '../fixtures/servers/payment-service.js';

let flows: Flows;
let service: PaymentService;

const ENVIRONMENTS = '\n  dev: { approve: [destructive], edit: [amount], self_approval: false }';
const CANARY = 'canary-7c1f';
const HOOKS = `
hooks:
  - { id: not_thirteen, blocking: true, match: { abilities: [move] }, handler: { expression: { deny_if: 'has(input.amount) && input.amount == 13', reason: 'Not ${CANARY}.' } } }
`;
const MOVE = `
input_schema: { type: object, required: [amount], properties: { amount: { type: integer, minimum: 1 }, note: { type: string, default: none } } }
steps: [{ id: pay, call: money.move, with: { amount: "\${{ input.amount }}", note: "\${{ input.note }}" } }]`;

beforeAll(async () => {
  service = await startPayments();
  flows = await startFlows({
    ...paymentProject(service.origin),
    'ability.yaml': projectFile(ENVIRONMENTS, 'audit: true\n'),
    'registry/hooks/PreAbilityCreate.yaml': HOOKS,
    'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: not_fourteen, blocking: true, match: { abilities: [money.move] }, handler: { expression: { deny_if: 'input.amount == 14' } } }
`,
    'registry/hooks/SessionStart.yaml': `
hooks:
  - { id: working_hours, blocking: true, handler: { expression: { deny_if: "input.scope == 'closed'" } } }
`,
    'registry/hooks/PromptSubmit.yaml': `
hooks:
  - { id: freeze, blocking: true, handler: { expression: { deny_if: "input.prompt.contains('deploy')", reason: 'No ${CANARY}.' } } }
`,
    ...operation('money.move', 'appendFileSync("moved", input.amount + "\\n"); return input;', {
      effects: 'destructive',
      yaml: 'input_schema: { type: object, properties: { amount: { type: integer }, note: { type: string } } }',
    }),
    ...workflow('move', MOVE),
    ...workflow('calls', 'steps: [{ id: inner, call: move, with: { amount: 21 } }]'),
  });
});
afterAll(async () => {
  await flows.project.stop();
  await service.stop();
});

async function lines(task?: string): Promise<AuditLine[]> {
  const { store, project } = flows.project.connection;
  const found: AuditLine[] = [];
  for await (const { lines: read, finding } of readAudit(store, project)) {
    expect(finding).toBeUndefined();
    found.push(...read);
  }
  return found.filter((line) => task === undefined || `${line.task}/`.startsWith(`${task}/`));
}
const told = async (task: string) =>
  (await lines(task)).map(({ kind, path, result = '', code }) =>
    [kind, path, result, code].filter((text) => text).join(' '),
  );
const asked = async (key: string) => {
  await expect
    .poll(async () => (await openApprovals(flows.project.connection, key)).length, { timeout: 20_000 })
    .toBe(1);
  return (await openApprovals(flows.project.connection, key))[0]?.id as string;
};
const answer = async (key: string, verdict: 'approve' | 'deny', by: string, more = {}) =>
  decide(flows.project.connection, key, verdict, { by, approval_id: await asked(key), comment: CANARY, ...more });
const create = async (amount: number) => (await flows.project.create('move', { amount, note: CANARY })).id;
const DIGEST = expect.stringMatching(/^[0-9a-f]{64}$/);

describe('the audit log has', () => {
  test('who created a task, what its guards answered, who approved what, its effect and its end', async () => {
    const key = await create(12);
    await expect(answer(key, 'approve', 'tester')).rejects.toMatchObject({ code: 'approval.ignored' });
    await answer(key, 'approve', 'alice');
    await flows.project.wait(key);
    const all = await lines(key);
    expect(await told(key)).toEqual([
      'created',
      'guard allow',
      'guard pay allow',
      'decision pay ignored approve',
      'decision pay approve',
      'effect pay succeeded',
      'ended succeeded',
    ]);
    expect(all[0]).toMatchObject({
      by: 'tester',
      proof: 'claimed',
      ability: 'move',
      environment: 'dev',
      input: DIGEST,
    });
    expect(all[4]).toMatchObject({
      by: 'alice',
      proof: 'claimed',
      about: expect.stringMatching(/^pay-/),
      input: DIGEST,
    });
    expect(all[5]).toMatchObject({ ability: 'money.move', effects: 'destructive', input: DIGEST });
  });

  test('the approval before its effect, even if the task never ends', async () => {
    const slow = flows.define('steps: [{ id: a, call: money.move, with: { amount: 1 } }, { id: w, wait: 1h }]');
    const { id } = await flows.project.create(slow);
    await answer(id, 'approve', 'alice');
    await expect.poll(() => told(id)).toContain('effect a succeeded');
    await cancelTask(flows.project.connection, id);
    await flows.project.wait(id);
    expect((await told(id)).at(-1)).toBe('ended cancelled');
  });

  test('refusals: by a guard, by a schema, and of a call by its guard', async () => {
    const before = (await lines()).length;
    await expect(create(13)).rejects.toMatchObject({ code: 'guard.denied' });
    await expect(create(0)).rejects.toMatchObject({ code: 'input.invalid' });
    const refused = (await lines()).slice(before);
    expect(refused.map(({ kind, code, by, ability }) => [kind, code, by, ability])).toEqual([
      ['refused', 'guard.denied', 'tester', 'move'],
      ['refused', 'input.invalid', 'tester', 'move'],
    ]);
    const key = await create(14);
    await flows.project.wait(key);
    expect(await told(key)).toEqual(['created', 'guard allow', 'guard pay deny', 'ended denied guard.denied']);
  });

  test('a denial, an edit, a grant with its use and its end', async () => {
    const denied = await create(15);
    await answer(denied, 'deny', 'alice');
    await flows.project.wait(denied);
    expect((await told(denied)).slice(-2)).toEqual(['decision pay deny', 'ended denied approval.denied']);
    const edited = await create(16);
    await answer(edited, 'approve', 'alice', { fields: { amount: 17 } });
    await flows.project.wait(edited);
    const shown = await lines(edited);
    expect(shown.map(({ kind }) => kind)).toContain('edited');
    const at = shown.findIndex(({ kind }) => kind === 'edited');
    expect(shown[at]).toMatchObject({ path: 'pay', result: 'amount', by: 'alice' });
    expect(shown[at]?.input).toBe(shown.find(({ kind }) => kind === 'effect')?.input);
    const many = flows.define(
      'input_schema: { type: object }\nsteps: [{ id: m, foreach: "input.amounts", as: a, steps: [{ id: pay, call: money.move, with: { amount: "${{ a }}" } }] }]',
    );
    const { id } = await flows.project.create(many, { amounts: [1, 2] });
    await answer(id, 'approve', 'alice', { grant: { for: 'task', up_to: 5 } });
    await flows.project.wait(id);
    expect(await told(id)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^granted m\/0\/pay [0-9a-f]{16}: 5 calls of the task$/),
        expect.stringMatching(/^decision m\/1\/pay granted by [0-9a-f]{16}, 2 of 5$/),
      ]),
    );
    const waits = flows.define('steps: [{ id: p, call: money.move, with: { amount: 3 } }, { id: w, wait: 1h }]');
    const open = await flows.project.create(waits);
    await answer(open.id, 'approve', 'alice', { grant: { for: 'task', up_to: 5 } });
    await expect.poll(async () => (await listGrants(flows.project.connection, false)).length).toBeGreaterThan(0);
    const [grant] = await listGrants(flows.project.connection, false);
    await revokeGrant(flows.project.connection, grant?.id as string, 'bob');
    const revoked = (await lines()).filter(({ kind }) => kind === 'revoked');
    expect(revoked).toMatchObject([{ about: grant?.id, by: 'bob', ability: 'money.move' }]);
    await cancelTask(flows.project.connection, open.id);
  });

  test('called tasks, changed inputs, and deletions', async () => {
    const { id } = await flows.project.create('calls');
    await answer(id, 'approve', 'alice');
    await flows.project.wait(id);
    expect((await lines(`${id}/inner`)).map(({ kind, caller }) => [kind, caller])[0]).toEqual(['created', 'child']);
    const later = await flows.project.create('move', { amount: 5, note: CANARY }, { run: false });
    const by = { name: 'carol', source: 'claimed' } as const;
    await changeInput(flows.project.connection, later.id, { set: { amount: 6 }, unset: [], by });
    await expect
      .poll(async () => (await lines(later.id)).map(({ kind, by: who, result }) => [kind, who, result]))
      .toContainEqual(['changed', 'carol', 'amount']);
    await deleteTask(flows.project.connection, later.id, { by, purge: false });
    expect(await told(later.id)).toEqual(
      expect.arrayContaining(['created', 'changed amount', 'ended cancelled', 'deleted']),
    );
  });

  test('what the guards of a session answered, at its start and at each prompt', async () => {
    const { connection } = flows.project;
    const user = { name: 'ada', source: 'claimed' } as const;
    await startSession(connection, { id: 'watched', environment: 'dev', scope: 'open', user });
    for (const prompt of ['deploy', 'read']) await promptSession(connection, 'watched', prompt, user);
    const shown = (await lines()).filter(({ task }) => task.endsWith(':watched'));
    expect(shown.map(({ path, about, result }) => `${path} ${about} ${result}`)).toEqual([
      'SessionStart working_hours allow',
      'PromptSubmit freeze deny',
      'PromptSubmit freeze allow',
    ]);
    expect(JSON.stringify(shown)).not.toContain(CANARY);
  });

  test('the tombstone of a purge, and by whom', LONG, async () => {
    const { id } = await flows.project.create('move', { amount: 7, note: CANARY }, { run: false });
    await deleteTask(flows.project.connection, id, { by: { name: 'carol', source: 'claimed' }, purge: true });
    expect(await told(id)).toEqual(['created', 'guard allow', 'ended cancelled', 'deleted', 'purged']);
    expect((await lines(id)).at(-1)).toMatchObject({ by: 'carol', ability: 'move', input: DIGEST });
  });

  test('the purge of a request that was refused', LONG, async () => {
    const key = 'refused-1';
    await expect(flows.project.create('move', { amount: 'none', note: CANARY }, { key })).rejects.toThrow();
    await deleteTask(flows.project.connection, key, { by: { name: 'carol', source: 'claimed' }, purge: true });
    expect(await told(key)).toEqual(['refused unavailable input.invalid', 'purged']);
    expect((await lines(key)).at(-1)).toMatchObject({ by: 'carol' });
  });

  test('a lost outcome, who stated what became of it, and its reconciliation', async () => {
    const pays = flows.define(
      'steps: [{ id: pay, call: pay.make, with: { order: odd, manner: lies } }]\noutput: "${{ steps.pay.output }}"',
    );
    const { id } = await flows.project.create(pays);
    await answer(id, 'approve', 'alice');
    await flows.project.wait(id);
    expect(await told(id)).toEqual(
      expect.arrayContaining([
        'effect pay unknown outcome.unknown',
        'effect pay.unknown succeeded',
        'ended unknown outcome.unknown',
      ]),
    );
    service.becomeHonest();
    const again = await retryTask(flows.project.connection, id, { ...retryBy(), run: true, reconcile: true });
    await flows.project.wait(again.id);
    expect((await lines(again.id))[0]).toMatchObject({ kind: 'created', about: `reconciles ${id}` });
    expect(await told(again.id)).toEqual(expect.arrayContaining(['effect pay.unknown succeeded', 'ended succeeded']));
  });

  test('no value, comment or reason, and no line that its worker wrote twice', async () => {
    const all = await lines();
    expect(JSON.stringify(all)).not.toContain(CANARY);
    expect(new Set(all.map(({ event }) => event)).size).toBe(all.length);
  });
});

test('nothing follows from what cannot be logged: the task waits, and goes on', async () => {
  const key = await create(31);
  const id = await asked(key);
  const place = join(pathsOf(flows.project.root).store, 'audit');
  renameSync(place, `${place}-away`);
  writeFileSync(place, 'no folder');
  try {
    void decide(flows.project.connection, key, 'approve', { by: 'alice', approval_id: id }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(flows.lines('moved')).not.toContain('31');
  } finally {
    rmSync(place);
    renameSync(`${place}-away`, place);
  }
  await flows.project.wait(key);
  expect(flows.lines('moved').filter((line) => line === '31')).toHaveLength(1);
  const shown = await told(key);
  expect(shown.indexOf('decision pay approve')).toBeLessThan(shown.indexOf('effect pay succeeded'));
  expect(shown).toContain('decision pay approve');
});
