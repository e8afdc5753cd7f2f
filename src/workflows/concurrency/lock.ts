import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  setCurrentDetails,
  setHandler,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import type { EndedHoldersRequest } from '../../contracts/activities.js';
import type { LockState, SlotAnswer, SlotAsk, SlotEntry, SlotWord, Turn } from '../../contracts/concurrency.js';
import { ACTIVITIES, LOCK_SIGNALS, QUERIES, SLOT_SIGNAL } from '../../contracts/names.js';
import type { TaskStart } from '../../contracts/task.js';
import { readLockState, readSlotReference, readSlotRequest, Slots } from '../../rules/concurrency/slots.js';
import { localActivity } from '../calls/local-activities.js';
import { OF_ANY_BUILD } from '../of-any-build.js';

/** While a task waits: delay of the first check of the holders after a change; later ones are rarer. */
const FIRST_LOOK_MS = 5000;
const SLOWEST_LOOK_MS = 300_000;
/** While no task waits: only lets an abandoned lock end. */
const IDLE_LOOK_MS = 600_000;

/**
 * The lock of one concurrency key: tasks get their turn in order of arrival. Tasks enter and leave by signal. A
 * terminated or deleted holder sends none, so holders are checked at intervals and when a task has to wait. Ends
 * when empty; a signal at that moment is not lost: Temporal then refuses the end.
 */
export async function lock(argument: unknown): Promise<void> {
  const { key, ...state } = readLockState(argument);
  const slots = new Slots(state);
  setHandler(defineSignal<[unknown]>(LOCK_SIGNALS.enter), (said) => {
    const request = readSlotRequest(said);
    if (request) slots.enter(request);
  });
  setHandler(defineSignal<[unknown]>(LOCK_SIGNALS.leave), (said) => {
    const reference = readSlotReference(said);
    if (reference) slots.leave(reference);
  });
  setHandler(defineQuery<LockState<ShownEntry>>(QUERIES.lock), () => withoutTokens(stateOf(key, slots)));
  // Cancellation would leave holders without a lock; it ends by itself.
  await CancellationScope.nonCancellable(() => keep(key, slots));
}
setWorkflowOptions(OF_ANY_BUILD, lock);

async function keep(key: string, slots: Slots): Promise<void> {
  let quiet = 0;
  for (;;) {
    await serve(slots);
    if (slots.isEmpty) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof lock>(stateOf(key, slots));
    showDetails(key, slots);
    const { version } = slots;
    const changed = await condition(() => slots.version !== version, pauseOf(slots, quiet));
    quiet = changed ? 0 : quiet + 1;
    if (!changed) await leaveEnded(slots);
  }
}

function pauseOf({ line }: Slots, quiet: number): number {
  return line.length === 0 ? IDLE_LOOK_MS : Math.min(FIRST_LOOK_MS * 2 ** Math.min(quiet, 10), SLOWEST_LOOK_MS);
}

/** Looks again after each step, since tasks come and go; leaves endless arrivals to the next run. */
async function serve(slots: Slots): Promise<void> {
  while (!isLong()) {
    slots.admit();
    const unanswered = slots.holders.find(({ told }) => !told);
    const unsettled = slots.line.filter(({ settled }) => !settled);
    if (unanswered) {
      unanswered.told = true;
      await send(slots, unanswered, { answer: 'granted' });
    } else if (unsettled.length > 0) {
      await leaveEnded(slots);
      slots.admit();
      await replaceOlder(slots);
      for (const entry of unsettled) {
        if (isLong()) return;
        if (slots.line.includes(entry)) await settle(slots, entry);
      }
    } else return;
  }
}

/** Whether the history has grown long meanwhile. */
function isLong(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/** Ends waiting tasks that a newer one may replace. */
async function replaceOlder(slots: Slots): Promise<void> {
  for (let found = slots.findReplaced(); found && !isLong(); found = slots.findReplaced()) {
    const { entry, by } = found;
    slots.replace(found);
    await send(slots, entry, { answer: 'busy', held_by: slots.heldBy(by), replaced_by: by.task });
  }
}

async function settle(slots: Slots, entry: SlotEntry): Promise<void> {
  entry.settled = true;
  const held_by = slots.heldBy(entry);
  if (entry.on_busy === 'refuse') {
    slots.leave(entry);
    await send(slots, entry, { answer: 'busy', held_by });
    return;
  }
  if (entry.on_busy === 'cancel_older') {
    const { holders, waiting } = slots.supersede(entry);
    for (const older of [...holders, ...waiting]) await cancel(slots, older, entry.task);
  }
  await send(slots, entry, { answer: 'waiting', held_by });
}

/** @returns false if the task cannot be signalled; it then leaves the lock. */
async function send(slots: Slots, entry: SlotEntry, word: SlotWord): Promise<boolean> {
  const { task, token } = entry;
  const answer: SlotAnswer = { ...word, token };
  try {
    await getExternalWorkflowHandle(task).signal<[SlotAnswer]>(SLOT_SIGNAL, answer);
    return true;
  } catch {
    slots.leave(entry);
    return false;
  }
}

async function cancel(slots: Slots, entry: SlotEntry, by: string): Promise<void> {
  if (!(await send(slots, entry, { answer: 'superseded', by }))) return;
  try {
    await getExternalWorkflowHandle(entry.task).cancel();
  } catch {
    slots.leave(entry);
  }
}

/** Drops the holders that have ended without a signal. Those that cannot be checked now are checked again later. */
async function leaveEnded(slots: Slots): Promise<void> {
  const findEnded = localActivity<EndedHoldersRequest, EndedHoldersRequest['holders']>(ACTIVITIES.findEnded, {
    scheduleToCloseTimeout: '20s',
    retry: { maximumAttempts: 3, initialInterval: '200ms' },
  });
  const holders = slots.holders.map(({ task, run }) => ({ task, run }));
  if (holders.length === 0) return;
  try {
    for (const holder of await findEnded({ holders })) slots.leave(holder);
  } catch {
    // Better one slot too few for a while than one task too many.
  }
}

function stateOf(key: string, { holders, line }: Slots): LockState {
  return { key, holders: [...holders], line: [...line] };
}

type ShownEntry = Omit<SlotEntry, 'token'>;

/** The state for people; only a task and its lock may know a token. */
function withoutTokens({ key, holders, line }: LockState): LockState<ShownEntry> {
  const bare = ({ token: _, ...entry }: SlotEntry): ShownEntry => entry;
  return { key, holders: holders.map(bare), line: line.map(bare) };
}

function showDetails(key: string, { holders, line }: Slots): void {
  const rows = (entries: readonly SlotEntry[]): string[] =>
    entries.length === 0 ? ['- nobody'] : entries.slice(0, 50).map(({ task }) => `- ${code(task)}`);
  const lines = [`Key ${code(key)}`, '', `In (${holders.length}):`, ...rows(holders)];
  setCurrentDetails([...lines, '', `Waiting (${line.length}):`, ...rows(line)].join('\n'));
}

function code(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll(/\s+/g, ' ')}\``;
}

/** A task's place in the queue of its lock. */
export class LockTurn {
  /** Set once the task has requested its turn. */
  turn: Turn | undefined;
  /** Token of the request, and whether lists show a silent lock; undefined before the first request. */
  slot: SlotAsk | undefined;
  /** Answers that came without the token that the task knew then. */
  readonly early: SlotAnswer[] = [];

  constructor(carried: TaskStart['carried']) {
    this.turn = carried?.turn && { ...carried.turn };
    this.slot = carried?.slot && { ...carried.slot };
  }
}
