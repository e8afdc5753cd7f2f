import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../call.js';
import { Approval } from '../parts/approval.js';
import { mayDecide, type Waiting } from '../parts/may-decide.js';
import { Problem } from '../parts/parts.js';
import { useData } from '../parts/use-data.js';
import { announce } from '../state.js';
import { t } from '../texts/text.js';

/** How many approvals are shown at first, and more at each request; how many waiting tasks a look reads. */
const PART = 15;
const LOOK_MS = 2000;
const COUNT_MS = 10_000;
/** How often all are read to find those that the person may decide, where more wait than a look reads. */
const ALL_MS = 60_000;

/** The approvals that wait, those that the person may decide first. */
export function Inbox(): JSX.Element {
  const newest = useData('newest', () => call('listApprovals', { limit: PART }), LOOK_MS);
  const isSeen = newest.data !== undefined;
  // The first look comes alone: it is what the person waits for.
  const count = useData(
    `count ${isSeen}`,
    async () => (isSeen ? call('listTasks', { status: ['waiting_approval'], limit: 999 }) : undefined),
    COUNT_MS,
  );
  const waiting = count.data?.tasks.length ?? 0;
  const rest = useData(`all ${waiting > PART}`, async () => (waiting > PART ? call('listApprovals', {}) : []), ALL_MS);
  const [limit, setLimit] = useState(PART);
  // What this page has decided goes at once; what others have decided, with the next look.
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const shown = new Map<string, Waiting>();
  for (const approval of [...(newest.data ?? []), ...(rest.data ?? [])]) {
    const name = nameOf(approval);
    if (!shown.has(name) && !decided.has(name)) shown.set(name, approval);
  }
  const all = [...shown.values()];
  const yours = all.filter((approval) => mayDecide(approval) === undefined);
  const others = all.filter((approval) => mayDecide(approval) !== undefined);
  const leave = (names: string[]): void => setDecided((before) => new Set([...before, ...names]));
  const approveAll = async (alike: Waiting[]): Promise<void> => {
    let done = 0;
    for (const { id, task_key } of alike) {
      try {
        await call('decide', { key: task_key, approval: id, decision: 'approve' });
        done += 1;
        leave([nameOf({ id, task_key })]);
      } catch (error) {
        announce((error as Error).message, true);
        return;
      }
    }
    announce(t('approval.like.done', { count: done }));
  };
  const list = (title: string, approvals: Waiting[]): JSX.Element | false =>
    approvals.length > 0 && (
      <section aria-label={title}>
        <h2>
          {title} <span class="count">{approvals.length}</span>
        </h2>
        {approvals.slice(0, limit).map((approval) => (
          <Approval
            key={nameOf(approval)}
            approval={approval}
            alike={alikeTo(approval, yours)}
            onDecided={() => leave([nameOf(approval)])}
            onApproveAll={approveAll}
          />
        ))}
        {approvals.length > limit && (
          <button type="button" onClick={() => setLimit(limit + PART)}>
            {t('more')}
          </button>
        )}
      </section>
    );
  const left = waiting - new Set(all.map(({ task_key }) => task_key)).size;
  return (
    <>
      <h1>{t('view.inbox')}</h1>
      {newest.refusal && <Problem refusal={newest.refusal} />}
      {!newest.data && !newest.refusal && <p class="quiet">{t('loading')}</p>}
      {newest.data && all.length === 0 && <p class="quiet">{t('inbox.empty')}</p>}
      {list(t('inbox.yours'), yours)}
      {list(t('inbox.others'), others)}
      {left > 0 && !rest.data?.length && <p class="quiet">{t('inbox.more', { count: left })}</p>}
    </>
  );
}

function nameOf({ task_key, id }: Pick<Waiting, 'task_key' | 'id'>): string {
  return `${task_key} ${id}`;
}

/** Those that the person may decide as well and that ask the same, as `ability approve --like` takes them. */
function alikeTo(approval: Waiting, yours: readonly Waiting[]): Waiting[] {
  if (Object.keys(approval.fields ?? {}).length > 0) return [];
  return yours.filter(({ what_digest }) => what_digest === approval.what_digest);
}
