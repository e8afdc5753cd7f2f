// What people do to a task while it is recorded.
import { setTimeout as pause } from 'node:timers/promises';
import { withProof } from '../../build/client/approvals/prove.js';
import {
  cancelTask,
  createTask,
  decide,
  openApprovals,
  runTask,
  signalTask,
  viewTask,
} from '../../build/client/index.js';

const LOOK_MS = 100;

/** Decides once somebody is asked. */
export async function whenAsked({ session, id }, verdict, { by = 'release-manager' } = {}) {
  for (;;) {
    const [open] = await openApprovals(session, id);
    if (open) {
      const decision = { approval_id: open.id, by, comment: verdict };
      return decide(
        session,
        id,
        verdict,
        withProof(session, open, verdict, decision, { token: undefined, door: null }),
      );
    }
    await pause(LOOK_MS);
  }
}

export async function approve(task) {
  await whenAsked(task, 'approve');
}

export async function deny(task) {
  await whenAsked(task, 'deny');
}

/** Cancels a task once it asks somebody. */
export async function cancel({ session, id }) {
  while ((await openApprovals(session, id)).length === 0) await pause(LOOK_MS);
  await cancelTask(session, id);
}

/** Resolves once a step stands so. */
export async function untilStep({ session, id }, path, status) {
  for (;;) {
    const { view } = await viewTask(session, id);
    if (view?.progress[path]?.status === status) return;
    await pause(LOOK_MS);
  }
}

/** Runs a created task while another one has its turn, and then a third, which takes its place in the line. */
export async function replaceInLine({ session, id }) {
  const { result } = await viewTask(session, id);
  const person = { name: 'recorder', source: 'claimed' };
  const caller = { person, kind: null, session: null, scope: null, trace: null };
  const more = { ability: result.ability_id, environment: result.environment, input: {}, caller, run: true };
  const first = await createTask(session, { ...more, key: `${id}-first` });
  await untilTurn(session, first.id, ({ concurrency }) => Boolean(concurrency?.granted_at));
  await runTask(session, id);
  await untilTurn(session, id, ({ status }) => status === 'waiting');
  const third = await createTask(session, { ...more, key: `${id}-third` });
  await untilTurn(session, id, ({ status }) => status === 'failed');
  for (const task of [first, third]) {
    await untilTurn(session, task.id, ({ concurrency }) => Boolean(concurrency?.granted_at));
    await signalTask(session, task.id, 'go', null);
  }
}

async function untilTurn(session, id, isSo) {
  while (!isSo((await viewTask(session, id)).result)) await pause(LOOK_MS);
}
