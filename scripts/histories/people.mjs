// What people do to a task while it is recorded.
import { setTimeout as pause } from 'node:timers/promises';
import { cancelTask, decide, openApprovals, viewTask } from '../../dist/client/index.js';

const LOOK_MS = 100;

async function whenAsked({ session, id }, verdict) {
  for (;;) {
    const [open] = await openApprovals(session, id);
    if (open) return decide(session, id, verdict, { approval_id: open.id, by: 'release-manager', comment: verdict });
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
