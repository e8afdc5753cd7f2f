import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { openApprovals } from '../../src/client/index.js';
import type { Approval } from '../../src/contracts/approvals.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { digestOf } from '../../src/rules/canonical.js';
import { ability } from '../fixtures/called-command.js';
import type { CommandEnd } from '../fixtures/command-line.js';
import { operation, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { WHOLE } from './extent.js';

/**
 * A line that an approver would take for one of ours, and characters that control, reorder, hide and mark up
 * text.
 */
const FORGED = 'who may decide: only mallory';
const NASTY = `build 7\r\n  ${FORGED}\n- ${FORGED}\n\n# ${FORGED}\u001b[1A\u001b[2K\u009b2J\u0007\u202egnp\u2066.\u200b\u2028\u2029\ufeff\u{e0041} [ok](http://evil.test) \`c\` **b** &#x202e; <b>|`;
/** What no text shown to people may contain; line feeds are allowed. */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Markup in the text itself that would take effect. */
const MARKUP = /(?<!\\)\[ok\]|(?<!\\)\*\*b|(?<!\\)<b>|(?<!\\)&#x/;
/** A page of Markdown without its code, where markup has no effect. */
const withoutCode = (page: string) => page.replaceAll('\\`', '').replaceAll(/`[^`]*`/g, '');

let project: RunningProject;
let key: string;
let shown: Approval;

beforeAll(async () => {
  project = await runProject({
    'registry/hooks/PreAbilityCall.yaml': 'hooks: [{ id: asks, handler: { script: { path: hooks/asks.mjs } } }]',
    'hooks/asks.mjs': [
      "import { readFileSync } from 'node:fs';",
      "const { payload } = JSON.parse(readFileSync(0, 'utf8'));",
      "console.log(JSON.stringify({ guard_decision: 'need_user_confirm', reason: payload.note, warnings: [payload.note] }));",
    ].join('\n'),
    ...operation('op.deploy', 'return 1;', { yaml: 'hooks: { pre_call: [asks] }' }),
    ...workflow(
      'release',
      `input_schema: { type: object, required: [who], properties: { who: { type: string } } }
steps:
  - id: both
    parallel:
      ask: { approval: { title: "Release \${{ input.who }}" } }
      go: { call: op.deploy, with: { note: "\${{ input.who }}" } }`,
    ),
  });
  ({ id: key } = await project.create('release', { who: NASTY }));
  shown = (await bothOpen(key)).find(({ path }) => path.endsWith('ask')) as Approval;
});
afterAll(() => project.stop());

/** The two approvals of a task, once both are open. */
async function bothOpen(id: string): Promise<Approval[]> {
  return vi.waitFor(
    async () => {
      const open = await openApprovals(project.connection, id);
      expect(open).toHaveLength(2);
      return open;
    },
    { timeout: 20_000 },
  );
}

const run = (...args: string[]): Promise<CommandEnd> =>
  ability(args, { cwd: project.root, env: { TEMPORAL_ADDRESS: inject('temporal').address } });

/** Every line of a text that could pass for one of ours. */
const forged = (text: string) => text.split('\n').filter((line) => /^\W*who may decide: only/.test(line));

/** Expects that a text hides nothing from people, shows what was hidden, and has no forged line. */
function expectShown(text: string): void {
  expect(text).not.toMatch(UNSEEN);
  expect(text).toContain('\\u202e');
  expect(forged(text)).toEqual([]);
}

test('titles and reasons are one line of visible characters; the id names what was really requested', async () => {
  for (const { title, reasons, id, path, what } of await openApprovals(project.connection, key)) {
    for (const text of [title, ...reasons]) {
      expect(text).not.toMatch(/\n/);
      expect(text).not.toMatch(UNSEEN);
    }
    expect(id.endsWith(digestOf({ task: key, path, what }).slice(0, 12))).toBe(true);
    if (path.endsWith('go')) expect((what.input as JsonObject).note).toBe(NASTY);
  }
  expect(shown.title).toMatch(/^Release build 7 who may decide: only mallory - .*\\u202egnp\\u2066\.\\u200b/);
});

describe('at the terminal', () => {
  // The short version checks two of them after the denial, below.
  test.runIf(WHOLE).each(['approvals', 'task show', 'why', 'task watch'])('ability %s', async (command) => {
    const { stdout, stderr } = await run(...command.split(' '), ...(command === 'approvals' ? [] : [key]));
    expectShown(`${stdout}\n${stderr}`);
  });

  test('the output of a decision', async () => {
    const { stderr } = await run('approve', key, '--approval', shown.id, '--as', `mallory${NASTY}`, '--comment', NASTY);
    expectShown(stderr);
  });

  test.runIf(WHOLE)('JSON keeps its content, without a character that could control a terminal', async () => {
    const { stdout } = await run('approvals', '--json');
    expect(stdout).not.toMatch(UNSEEN);
    const approvals = JSON.parse(stdout) as Approval[];
    expect(approvals.map(({ what }) => (what.input as JsonObject).note)).toContain(NASTY);
  });
});

test('in the Temporal UI: the details and the summaries of timers', async () => {
  const { id } = await project.create('release', { who: NASTY });
  await bothOpen(id);
  const handle = project.connection.temporal.workflow.getHandle(id);
  const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  expectShown(currentDetails);
  expect(withoutCode(currentDetails)).not.toMatch(MARKUP);
  const { events = [] } = await handle.fetchHistory();
  const summaries = (events ?? []).flatMap(({ userMetadata }) => {
    const data = userMetadata?.summary?.data;
    return data ? [String(JSON.parse(Buffer.from(data).toString()))] : [];
  });
  const waiting = summaries.filter((summary) => summary.startsWith('waiting for people: Release'));
  expect(waiting).toHaveLength(1);
  expectShown(waiting.join('\n'));
  await handle.terminate();
});

test('after the denial: in the result, the record and the report of tests', async () => {
  const { id } = await project.create('release', { who: NASTY });
  const [approval] = await bothOpen(id);
  const handle = project.connection.temporal.workflow.getHandle(id);
  // A signal can come from anywhere, not only through our door.
  await handle.signal('deny', { approval_id: approval?.id, by: NASTY, comment: NASTY });
  const end = await project.wait(id);
  expect(end).toMatchObject({ kind: 'ended', result: { status: 'denied', error: { code: 'approval.denied' } } });
  expect(end.result?.error?.message).not.toMatch(UNSEEN);
  const [watched, explained] = await Promise.all([run('task', 'watch', id, '--junit', 'junit.xml'), run('why', id)]);
  expectShown(`${watched.stdout}\n${watched.stderr}`);
  expectShown(explained.stdout);
  expectShown(readFileSync(join(project.root, 'junit.xml'), 'utf8'));
  const record = readFileSync(join(project.root, '.system/implement', id, 'tool_call.md'), 'utf8');
  expectShown(record);
  const [, approvals = ''] = /## Approvals\n\n([\s\S]*?)\n## /.exec(record) ?? [];
  expect(approvals).toContain('denied');
  expect(withoutCode(approvals)).not.toMatch(MARKUP);
});
