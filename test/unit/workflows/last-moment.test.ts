import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ACTIVITIES, QUERIES, SIGNALS } from '../../../src/contracts/names.js';
import type { CallStep, Plan, PlanStep } from '../../../src/contracts/plan.js';
import type { TaskView } from '../../../src/contracts/task.js';
import type { World } from '../../property/fake-workflow.js';
import { runTreeInRuns } from '../../property/run-tree.js';
import { Script } from '../../property/script.js';
import { planOf } from '../../property/trees.js';

const temporal = vi.hoisted(() => ({
  /** What happens while a notice is handed over, which takes the given time. */
  noticeMs: 1,
  meanwhile: [] as { ms: number; happens: (world: World) => void }[],
}));

vi.mock('@temporalio/workflow', async () => {
  const { fakeWorkflow } = await import('../../property/fake-workflow.js');
  const proxyLocalActivities: typeof fakeWorkflow.proxyActivities = (options) => {
    const others = fakeWorkflow.proxyActivities(options);
    const prove = () => fakeWorkflow.sleep(10).then(() => ({ able: true }));
    return new Proxy(others, { get: (_, name: string) => (name === ACTIVITIES.prove ? prove : others[name]) });
  };
  /** A call that only reads ends well in spite of a cancellation. */
  const proxyActivities: typeof fakeWorkflow.proxyActivities = (options) => {
    const others = fakeWorkflow.proxyActivities(options);
    const read: (typeof others)[string] = (request) =>
      fakeWorkflow.CancellationScope.nonCancellable(() => others['op.read']?.(request) ?? Promise.reject());
    return new Proxy(others, { get: (_, name: string) => (name === 'op.read' ? read : others[name]) });
  };
  const startChild = (): Promise<void> => {
    const { world } = (globalThis as unknown as { __TEMPORAL_ACTIVATOR__: { world: World } }).__TEMPORAL_ACTIVATOR__;
    for (const { ms, happens } of temporal.meanwhile.splice(0)) world.after(ms, () => happens(world));
    return fakeWorkflow.sleep(temporal.noticeMs);
  };
  return { ...fakeWorkflow, proxyActivities, proxyLocalActivities, startChild };
});

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});
beforeEach(() => {
  Object.assign(temporal, { noticeMs: 1, meanwhile: [] });
});

/** One with which `slow` takes longer than `quick`. */
const SALT = 2;
/** Longer than all calls of a test together. */
const LONG = 1e10;

const call = (id: string, more: Partial<CallStep> = {}): CallStep => ({
  id,
  verb: 'call',
  call: 'op.add',
  with: {},
  ...more,
});
const ask: PlanStep = {
  id: 'ask',
  verb: 'approval',
  approval: { title: 'Go on?', expires: '200d', comment: 'optional' },
};
const notify = [{ on: ['approval.requested'], to: 'https://example.com' }] as unknown as Plan['notify'];

interface Given {
  plan?: Partial<Plan>;
  cancelAt?: number;
  callsOfRun?: number;
  verdicts?: Record<string, 'nothing'>;
}

async function outcomeOf(steps: PlanStep[], { plan, cancelAt, callsOfRun = 1, verdicts = {} }: Given) {
  const { task } = await import('../../../src/workflows/task.js');
  const script = new Script(SALT, {}, verdicts, cancelAt);
  const whole = { ...planOf(steps), ...plan };
  const { result, runs, world } = await runTreeInRuns(task, { plan: whole, input: {}, script }, callsOfRun);
  return { result, runs, made: world.effects.map(({ path }) => path) };
}

test('a task that is cancelled while its notices are handed over before a new run is undone and cleaned up', async () => {
  temporal.noticeMs = 2 * LONG;
  const undone = call('a', { undo: { call: 'op.add', with: {} } });
  const group: PlanStep = { id: 'g', verb: 'steps', steps: [undone, call('b')], finally: [call('tidy')] };
  const plan = { notify, finally: [call('last')] };
  const given = { plan, cancelAt: LONG };
  const { result, runs, made } = await outcomeOf([ask, group], given);
  expect({ status: result.status, runs, made }).toEqual({
    status: 'cancelled',
    runs: 1,
    made: ['g/a', 'g/tidy', 'g/a.undo', 'last'],
  });
});

test('a step that began in an earlier run cleans up if it is cancelled before the new run has entered it', async () => {
  const group: PlanStep = { id: 'g', verb: 'steps', steps: [call('a'), call('b')], finally: [call('tidy')] };
  const around: PlanStep = { id: 'around', verb: 'steps', steps: [group] };
  const cancelledWhilePaused = async () => {
    temporal.noticeMs = LONG;
    temporal.meanwhile = [{ ms: LONG / 2, happens: (world) => world.handlers.get(SIGNALS.pause)?.() }];
    return outcomeOf([ask, around], { plan: { notify }, cancelAt: 2 * LONG });
  };
  const { result, runs, made } = await cancelledWhilePaused();
  expect([result.status, runs, made]).toEqual(['cancelled', 2, ['around/g/a', 'around/g/tidy']]);
});

test('a decision with a proof that arrives while notices are handed over before a new run counts', async () => {
  const environment = { ...planOf([]).environment, proof: 'required', proofs: ['os_user'] } as Plan['environment'];
  const branches = [ask, { id: 'g', verb: 'steps', steps: [call('a'), call('b')] } as PlanStep];
  const plan = { notify, environment };
  const decided = async () => {
    temporal.noticeMs = LONG;
    const decide = (world: World): void => {
      const [approval] = (world.handlers.get(QUERIES.task) as () => TaskView)().approvals;
      const decision = { approval_id: approval?.id, by: 'ada', proof: { nonce: 'n', mac: 'm' } };
      void world.handlers.get(SIGNALS.approve)?.(decision);
    };
    temporal.meanwhile = [{ ms: LONG - 5, happens: decide }];
    const given = { plan, verdicts: { ask: 'nothing' as const } };
    const { result, runs } = await outcomeOf([{ id: 'p', verb: 'parallel', branches }], given);
    return { status: result.status, runs: runs > 1 };
  };
  expect(await decided()).toEqual({ status: 'succeeded', runs: true });
});

test('a task that is cancelled while its calls end before a new run is cancelled, and cleans up', async () => {
  const branches = [
    call('slow', { call: 'op.read' }),
    { id: 'g', verb: 'steps', steps: [call('quick'), call('next')] } as PlanStep,
  ];
  const script = new Script(SALT, {}, {}, undefined);
  const [slow, quick] = [script.attempt('p/slow', 0).ms, script.attempt('p/g/quick', 0).ms];
  expect(slow).toBeGreaterThan(quick + 1);
  const steps: PlanStep[] = [{ id: 'p', verb: 'parallel', branches }];
  const given = { plan: { finally: [call('last')] }, cancelAt: quick + 1, callsOfRun: 2 };
  const { result, made } = await outcomeOf(steps, given);
  expect({ status: result.status, made }).toEqual({ status: 'cancelled', made: ['p/slow', 'p/g/quick', 'last'] });
});
