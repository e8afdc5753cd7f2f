import { userInfo } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atTerminal, CTRL_C, type Exchange } from '../fixtures/at-terminal.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';

const OWNER = userInfo().username;
const ENVIRONMENTS =
  '{ dev: { approve: [destructive] }, prod: { approve: [destructive], proof: required, self_approval: true, approvers: [owners] } }';

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({
    'ability.yaml': projectFile(ENVIRONMENTS, `default_environment: dev\npeople: { owners: ["${OWNER}"] }\n`),
    ...operation('db.drop', 'return { dropped: input.table };', { effects: 'destructive' }),
    ...workflow('asks', 'steps: [{ id: ask, approval: { title: Go on?, timeout: 1h } }]'),
    ...workflow(
      'two',
      'steps: [{ id: a, approval: { title: First? } }, { id: b, approval: { title: Second?, approvers: [alice] } }]',
    ),
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const run = (...args: string[]) => ability(args, { cwd: project.root });
const json = (...args: string[]) => abilityJson(args, { cwd: project.root });
const seen = async (key: string) => (await json('task', 'show', key)).json.approvals;
/** The final content of the terminal, without control characters. */
async function typing(args: string[], ...exchanges: Exchange[]) {
  const { exitCode, screen } = await atTerminal(args, project.root, exchanges);
  return { exitCode, screen: stripVTControlCharacters(screen).replaceAll('\r', '') };
}
const drop = async (key: string, table: string) =>
  expect((await json('run', 'db.drop', '--set', `table=${table}`, '--key', key)).exitCode).toBe(5);

describe('at a terminal', () => {
  test(
    'approve shows what would run and what was approved before, and asks; n, Return alone and Ctrl-C decide nothing',
    LONG,
    async () => {
      await drop('before', 'small');
      expect((await run('approve', 'before', '--comment', 'fine')).exitCode).toBe(0);
      await json('task', 'watch', 'before');
      await drop('current', 'large');
      for (const answer of ['n', '\r', CTRL_C]) {
        const { exitCode, screen } = await typing(['approve', 'current'], ['Approve this?', answer]);
        expect(exitCode).toBe(130);
        expect(screen).toMatch(/what: db\.drop \(db\.drop\) in dev, destructive/);
        expect(screen).toContain('input: {"table":"large"}');
        expect(screen).toMatch(/because: dev asks for approval of destructive calls/);
        expect(screen).toMatch(/asked for by \S+ \(claimed\), until .* \(in \d/);
        expect(screen).toContain('in: db.drop current, the task itself');
        expect(screen).toMatch(/approved before: before .* different now:\s+what\.input\.table: "small" -> "large"/);
        expect(screen).toMatch(/what_digest: [0-9a-f]{64}/);
        expect(screen).toContain('Nothing was decided.');
      }
      expect(await seen('current')).toMatchObject([{ status: 'open', decisions: [], ignored: [] }]);
      const yes = await typing(['approve', 'current'], ['Approve this?', 'y']);
      expect(yes.exitCode).toBe(0);
      expect(yes.screen).toMatch(/run-[0-9a-f]{12} approved/);
      expect((await json('task', 'watch', 'current')).json).toMatchObject({ output: { dropped: 'large' } });
    },
  );

  test('deny asks as well, and --yes skips the question', async () => {
    await drop('denied', 't');
    expect(await typing(['deny', 'denied'], ['Deny this?', 'n'])).toMatchObject({ exitCode: 130 });
    const changes = ['deny', 'denied', '--request-changes', '--comment', 'smaller'];
    expect(await typing(changes, ['Ask for changes to this?', CTRL_C])).toMatchObject({ exitCode: 130 });
    expect(await seen('denied')).toMatchObject([{ status: 'open', decisions: [] }]);
    const { exitCode, screen } = await typing(['deny', 'denied', '--yes']);
    expect(exitCode).toBe(0);
    expect(screen).not.toContain('Deny this?');
    expect(await seen('denied')).toMatchObject([{ status: 'denied' }]);
  });

  test(
    '--like lists all and asks once; an approval decided meanwhile is reported, and the others count',
    LONG,
    async () => {
      for (const key of ['l1', 'l2', 'l3']) await drop(key, 'alike');
      const ids = await Promise.all(['l1', 'l2', 'l3'].map(async (key) => (await seen(key))[0].id as string));
      const [first = ''] = ids;
      const like = ['approve', '--like', first];
      await expect.poll(async () => (await json('approvals')).json.length, { timeout: 20_000 }).toBe(3);
      const left = await typing(like, ['Approve these 3?', 'n']);
      expect(left.exitCode).toBe(130);
      for (const id of ids) expect(left.screen).toContain(`approval ${id}:`);
      for (const key of ['l1', 'l2', 'l3']) expect(await seen(key)).toMatchObject([{ status: 'open', decisions: [] }]);
      const { exitCode, screen } = await typing(like, [
        'Approve these 3?',
        'y',
        ['deny', 'l2', '--comment', 'not this'],
      ]);
      expect(screen).toMatch(new RegExp(`l2 ${ids[1]} not decided: .*\\((task\\.closed|approval\\.ignored)\\)`));
      expect(screen).toContain(`l1 ${ids[0]} approved`);
      expect(screen).toContain(`l3 ${ids[2]} approved`);
      // A second question would get no answer.
      expect(exitCode).toBe(4);
      expect(await seen('l2')).toMatchObject([{ status: 'denied' }]);
      for (const key of ['l1', 'l3']) expect((await json('task', 'watch', key)).json.status).toBe('succeeded');
    },
  );

  test('an approval raised while the question is open is not decided by the answer', LONG, async () => {
    expect((await json('run', 'two', '--key', 'raised')).exitCode).toBe(5);
    const [{ id }] = await seen('raised');
    const { exitCode, screen } = await typing(
      ['approve', 'raised', '--as', 'alice'],
      ['Approve this?', 'y', ['approve', 'raised', '--as', 'bob']],
    );
    expect(exitCode).toBe(4);
    expect(screen).toMatch(/approval\.ignored/);
    const approvals = await seen('raised');
    expect(approvals.map(({ status }: { status: string }) => status)).toEqual(['approved', 'open']);
    expect(approvals[0]).toMatchObject({ id, decisions: [{ by: { name: 'bob' } }] });
    expect(approvals[1].decisions).toEqual([]);
  });
});

describe('--request-changes', () => {
  test('the requester gets the comment as the result, as text, as JSON and as an exit code', async () => {
    const requester = json('run', 'asks', '--key', 'changes', '--wait-approval', '50s');
    const open = async () => (await json('approvals', 'changes')).json.length;
    await expect.poll(open, { timeout: 30_000 }).toBe(1);
    const silent = await json('deny', 'changes', '--request-changes');
    expect(silent).toMatchObject({ exitCode: 2, json: { error: { code: 'usage.invalid' } } });
    const end = await json('deny', 'changes', '--request-changes', '--comment', 'use the small table', '--as', 'bob');
    expect(end).toMatchObject({ exitCode: 0, json: { task_key: 'changes', status: 'changes_requested', missing: 0 } });
    const { exitCode, json: result } = await requester;
    expect(exitCode).toBe(4);
    expect(result).toMatchObject({
      status: 'denied',
      error: {
        code: 'approval.changes_requested',
        message: expect.stringContaining('use the small table'),
        details: { by: 'bob', comment: 'use the small table' },
      },
    });
    const text = await run('task', 'result', 'changes');
    expect(text.exitCode).toBe(4);
    expect(text.stdout + text.stderr).toMatch(/approval\.changes_requested bob asks for changes before .*small table/);
    expect((await run('why', 'changes')).stdout).toContain('use the small table');
  });
});

describe('when proof is required', () => {
  const ask = async (key: string) =>
    expect((await json('run', 'db.drop', '--env', 'prod', '--set', 'table=t', '--key', key)).exitCode).toBe(5);

  async function decidesAsOwner(key: string): Promise<void> {
    await ask(key);
    const shown = await run('approvals', key);
    expect(shown.stdout).toMatch(/proof: the owner of this runtime decides/);
    const other = await json('approve', key, '--as', 'mallory');
    expect(other).toMatchObject({ exitCode: 4, json: { error: { code: 'approval.unproved' } } });
    expect(await seen(key)).toMatchObject([{ status: 'open', decisions: [] }]);
    const claim = await abilityJson(['approve', key], { cwd: project.root, env: { ABILITY_USER: 'mallory' } });
    // ABILITY_USER is only a claim, and claims do not count here.
    expect(claim).toMatchObject({ exitCode: 0, json: { status: 'approved' }, stderr: expect.stringMatching(/proved/) });
    const { json: result } = await json('task', 'watch', key);
    expect(result).toMatchObject({
      status: 'succeeded',
      approvals: [{ decisions: [{ by: { name: OWNER, source: 'os_user' } }] }],
    });
  }

  test('the runtime that a command starts makes the key, and the command line signs', LONG, async () => {
    await run('down');
    await decidesAsOwner('on-demand');
  });

  test('a runtime started by `ability up` does as well, with the existing key', LONG, async () => {
    await run('down');
    expect((await run('up', '--detach')).exitCode).toBe(0);
    await decidesAsOwner('after-up');
    await ask('denied-proved');
    const no = await json('deny', 'denied-proved', '--request-changes', '--comment', 'later');
    expect(no).toMatchObject({ exitCode: 0, json: { status: 'changes_requested' } });
    expect(await json('task', 'watch', 'denied-proved')).toMatchObject({
      exitCode: 4,
      json: { error: { code: 'approval.changes_requested', details: { by: OWNER } } },
    });
  });
});
