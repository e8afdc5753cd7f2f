import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unpackPlan } from '../../src/server/payloads/pack-plan.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, operation, type ProjectFolder, workflow } from '../fixtures/project-folder.js';

const HISTORIES = fileURLToPath(new URL('../histories/engine-1', import.meta.url));

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-replay-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: a history is changed here in any way
type Recorded = any;

/** Writes a changed copy of a recorded history. @returns its name. */
function changed(name: string, of: string, change: (recorded: Recorded) => Recorded | undefined): string {
  const recorded = JSON.parse(readFileSync(join(HISTORIES, `${of}.json`), 'utf8'));
  writeFileSync(join(folder, name), JSON.stringify(change(recorded) ?? recorded));
  return name;
}
const scheduled = ({ history }: Recorded, at: number): Recorded =>
  history.events.filter((event: Recorded) => event.activityTaskScheduledEventAttributes)[at];
/** What its caller hands to a called task. */
const handedOver = ({ history }: Recorded): Recorded =>
  history.events[0].workflowExecutionStartedEventAttributes.input.payloads[2];

const run = (...args: string[]) => ability(['replay', ...args], { cwd: folder });
const json = (...args: string[]) => abilityJson(['replay', ...args], { cwd: folder });

describe('ability replay FILE', () => {
  test('reports that a history replays, and needs neither project nor server', async () => {
    changed('good.json', 'call', () => undefined);
    expect(await run('good.json')).toMatchObject({
      exitCode: 0,
      stdout: '✓ good.json  18 events\n1 replayed',
      stderr: '',
    });
  });

  test('reads what `temporal workflow show --output json` prints', async () => {
    changed('plain.json', 'child', ({ history }) => history);
    expect((await json('plain.json')).json).toMatchObject({
      status: 'ok',
      histories: [{ name: 'plain.json', workflow_id: 'child', events: 15, status: 'ok' }],
    });
  });

  test('takes large values from those recorded with the history', async () => {
    expect(await run(join(HISTORIES, 'payload-in-store.json'))).toMatchObject({ exitCode: 0 });
  });

  test('names the event that differs, its step, and what this build would do', async () => {
    changed('timer.json', 'call', (recorded) => {
      const event = scheduled(recorded, 1);
      event.eventType = 'EVENT_TYPE_TIMER_STARTED';
      delete event.activityTaskScheduledEventAttributes;
      event.timerStartedEventAttributes = { timerId: '1', startToFireTimeout: '1s' };
    });
    const { exitCode, json: report } = await json('timer.json');
    expect(exitCode).toBe(1);
    expect(report.histories[0].difference).toMatchObject({
      event_id: 12,
      event_type: 'TimerStarted',
      wanted: 'start an activity',
    });
  });

  test('finds the event even if the SDK names none', async () => {
    changed('type.json', 'parallel', (recorded) => {
      scheduled(recorded, 1).activityTaskScheduledEventAttributes.activityType.name = 'other.name';
    });
    expect(await run('type.json')).toMatchObject({
      exitCode: 1,
      stdout:
        '✗ type.json  differs at event 7, ActivityTaskScheduled "other.name" of step p/right: ' +
        'this build would have activity type util.echo instead of other.name\n1 differs, 0 replayed',
    });
  });

  test('reports another engine, and a value in a store that is not available', async () => {
    changed('engine.json', 'child-2', (recorded) => {
      const payload = handedOver(recorded);
      const metadata = { encoding: Buffer.from(payload.metadata.encoding, 'base64') };
      const unpacked = unpackPlan({ metadata, data: Buffer.from(payload.data, 'base64') });
      const text = Buffer.from(unpacked.data ?? []).toString();
      payload.data = Buffer.from(text.replace('"engine":1', '"engine":99')).toString('base64');
      payload.metadata.encoding = Buffer.from('json/plain').toString('base64');
    });
    const { exitCode, json: report } = await json('engine.json');
    expect(exitCode).toBe(7);
    expect(report.histories[0].problem).toMatchObject({
      code: 'engine.unsupported',
      message: expect.stringMatching(/engine 99/),
    });
    changed('store.json', 'payload-in-store', (recorded) => {
      delete recorded.stored;
    });
    expect(await run('store.json')).toMatchObject({ exitCode: 7, stdout: expect.stringContaining('store.not_shared') });
  });

  test.each([
    ['binary.json', Buffer.from([0, 255, 1])],
    ['broken.json', '{"events": ['],
    ['other.json', '{"a": 1}'],
    ['empty.json', '{"events": []}'],
    ['nonsense.json', '{"events": [{"eventId": "1", "eventType": "EVENT_TYPE_NONSENSE"}]}'],
  ])('refuses %s, which is not a history', async (name, content) => {
    writeFileSync(join(folder, name), content);
    const { exitCode, json: report } = await json(name);
    expect(exitCode).toBe(2);
    expect(report).toMatchObject({ status: 'not_replayed', histories: [{ problem: { code: 'history.invalid' } }] });
  });

  test('refuses a history with a gap, and a missing file', async () => {
    changed('gap.json', 'call', ({ history }) => void history.events.splice(7, 1));
    expect(await run('gap.json')).toMatchObject({ exitCode: 2, stdout: expect.stringMatching(/out of order/) });
    expect(await run('nowhere.json')).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/history\.invalid/) });
  });
});

describe('ability replay DIR', () => {
  test('replays every history in the folder and below it; one difference decides the exit code', async () => {
    const dir = join(folder, 'all');
    mkdirSync(join(dir, 'engine-1'), { recursive: true });
    expect(await run('all')).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/has no \.json files/) });
    for (const name of ['end', 'race']) cpSync(join(HISTORIES, `${name}.json`), join(dir, 'engine-1', `${name}.json`));
    expect(await run('all')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\n2 replayed$/) });
    writeFileSync(join(dir, 'bad.json'), '{}');
    expect(await run('all')).toMatchObject({
      exitCode: 2,
      stdout: expect.stringMatching(/\n1 not replayed, 2 replayed$/),
    });
    changed('all/changed.json', 'fail', (recorded) => {
      scheduled(recorded, 0).activityTaskScheduledEventAttributes.activityId = '9';
    });
    expect(await run('all')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/\n1 differs, 1 not replayed, 2 replayed$/),
    });
  });
});

describe('ability replay KEY', () => {
  let project: ProjectFolder;

  beforeAll(async () => {
    project = makeProject({
      ...operation('util.large', 'return { text: "x".repeat(200000) };'),
      ...workflow('inner', 'steps: [{ id: a, call: util.large, with: {} }]'),
      ...workflow('outer', 'steps: [{ id: part, call: inner, with: {} }, { id: ask, approval: { title: Go on? } }]'),
    });
    await ability(['run', 'outer', '--key', 'waits'], { cwd: project.root });
  });
  afterAll(async () => {
    await ability(['down'], { cwd: project.root });
    project.remove();
  });

  test('replays an open task up to its current state, with its called tasks and its values in the store', async () => {
    const { exitCode, stdout } = await ability(['replay', 'waits'], { cwd: project.root });
    expect(stdout).toMatch(/^✓ waits {2}\d+ events\n✓ waits\/part {2}\d+ events\n2 replayed$/);
    expect(exitCode).toBe(0);
  });

  test('refuses an unknown key', async () => {
    const end = await abilityJson(['replay', 'unknown-key'], { cwd: project.root });
    expect(end).toMatchObject({ exitCode: 2, json: { error: { code: 'task.not_found' } } });
  });
});
