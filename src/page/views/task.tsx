import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isEndState } from '../../contracts/states.js';
import type { OutputOf } from '../../operations/over-http/call-door.js';
import type { SeenNow } from '../../operations/watch-task.js';
import { generalPath } from '../../rules/steps/step-tree.js';
import { describeChanges, shownEdits } from '../../rules/tasks/shown-approvals.js';
import { formatBytes } from '../../text/byte-size.js';
import { abilityPath, taskPath } from '../address.js';
import { call, followTask, type Refusal } from '../call.js';
import { Approval } from '../parts/approval.js';
import type { Called } from '../parts/called-tasks.js';
import { HookAnswers } from '../parts/hook-answers.js';
import { Logs } from '../parts/logs.js';
import { Ago, Facts, Problem, Section, State, Value } from '../parts/parts.js';
import { Steer } from '../parts/steer.js';
import { Steps } from '../parts/steps.js';
import { useData } from '../parts/use-data.js';
import { me } from '../state.js';
import { duration, t } from '../texts/text.js';

type Seen = Awaited<OutputOf<'viewTask'>>;

/** A task from its request to its end; it moves while the task runs. */
export function TaskPage({ id }: { id: string }): JSX.Element {
  const [task, setTask] = useState<Seen>();
  const [called, setCalled] = useState<Called>({});
  const [stall, setStall] = useState<string>();
  const [refusal, setRefusal] = useState<Refusal>();
  useEffect(() => {
    let close = (): void => {};
    const read = async (): Promise<Seen | undefined> => {
      try {
        const seen = await call('viewTask', { key: id });
        setTask(seen);
        setRefusal(undefined);
        return seen;
      } catch (error) {
        setRefusal(error as Refusal);
        return undefined;
      }
    };
    void read().then((seen) => {
      if (seen && isEndState(seen.status)) return;
      close = followTask(id, (event) => {
        if (event.type === 'stall') setStall((event.stall as { message: string }).message);
        if (event.type === 'state') {
          setStall(undefined);
          setCalled((event.now as SeenNow | null)?.called ?? {});
          setTask((before) => ({ ...(before as Seen), ...(event.result as Seen) }));
        }
        // The whole view, with what only an end has.
        if (event.type !== 'end') return;
        setCalled({});
        void read();
      });
    });
    return () => close();
  }, [id]);
  if (!task) return refusal ? <Problem refusal={refusal} /> : <p class="quiet">{t('loading')}</p>;
  return (
    <>
      <Head task={task} id={id} />
      {refusal && <Problem refusal={refusal} />}
      {stall && <div class="bar bad">{t('task.stalled', { message: stall })}</div>}
      {task.error && <Problem refusal={task.error} />}
      <Open task={task} id={id} />
      <Steps task={task} id={id} called={called} />
      <Rest task={task} id={id} />
    </>
  );
}

function Head({ task, id }: { task: Seen; id: string }): JSX.Element {
  const { requested_by: by, started_at: from, finished_at: to, retry_of, retries = [], rolled_back, waiting } = task;
  const links = me.value?.temporal_ui && task.links.temporal;
  return (
    <>
      <h1>
        {id} <State state={task.status} />
      </h1>
      <Facts
        facts={[
          [t('tasks.ability'), <a href={abilityPath(task.ability_id)}>{task.ability_id}</a>],
          [t('ability.version'), String(task.version)],
          [t('tasks.environment'), task.environment],
          [t('tasks.by'), by.agent ? `${by.name} · ${by.agent}` : by.name],
          [t('tasks.intent'), task.intent],
          [t('tasks.started'), <Ago at={from} />],
          [t('tasks.took'), from && to && duration(Date.parse(to) - Date.parse(from))],
          [t('approval.undo'), rolled_back],
          [t('task.retry-of'), retry_of && <a href={taskPath(retry_of)}>{retry_of}</a>],
          [
            t('task.retried-as'),
            retries.length > 0 && retries.map(({ task: key }) => <a key={key} href={taskPath(key)}>{` ${key}`}</a>),
          ],
          ['', links && <a href={links}>{t('task.temporal')}</a>],
        ]}
      />
      <Steer key={`${task.status} ${waiting?.resume}`} task={task} id={id} />
    </>
  );
}

/** What waits for people, decided here as in the inbox. */
function Open({ task, id }: { task: Seen; id: string }): JSX.Element | null {
  const open = task.approvals.filter(({ status }) => status === 'open');
  const { data, again } = useData(`open ${id} ${open.map((one) => one.id).join()}`, async () =>
    open.length > 0 ? call('readApprovals', { key: id }) : [],
  );
  if (!data || open.length === 0) return null;
  return (
    <>
      <h2>{t('task.approvals')}</h2>
      {data.map((approval) => (
        <Approval key={approval.id} approval={approval} alike={[]} onDecided={again} onApproveAll={async () => {}} />
      ))}
    </>
  );
}

function Rest({ task, id }: { task: Seen; id: string }): JSX.Element {
  const isOver = isEndState(task.status);
  const { data: started } = useData(`input ${id} ${task.changes?.length}`, () => call('readInput', { key: id }));
  const [isStoryOpen, openStory] = useState(false);
  const steps = new Set(task.steps.map(({ path }) => path));
  const aboutTask = task.hooks.filter(({ path }) => !steps.has(generalPath(path)));
  const decided = task.approvals.filter(({ status }) => status !== 'open');
  return (
    <>
      {started && (
        <Section title={t('task.input')}>
          <Value value={started.input} label={t('task.input')} />
        </Section>
      )}
      {isOver && task.output !== null && (
        <Section title={t('task.output')}>
          <Value value={task.output} label={t('task.output')} />
        </Section>
      )}
      {listed(t('task.not-undone'), task.not_undone, ({ path, call: by, status, error }) => (
        <li key={path}>
          {path} ({by}): {status}, {error.message}
        </li>
      ))}
      {listed(t('task.warnings'), task.warnings, (warning) => (
        <li key={warning}>{warning}</li>
      ))}
      {listed(t('task.approvals'), decided, (approval) => (
        <li key={approval.id}>
          {approval.title}: <State state={approval.status} />{' '}
          {shownEdits(approval).map((edit) => (
            <code key={edit.at}>{describeChanges(edit)} </code>
          ))}
          {approval.granted && <span>{t('grant.use', { use: approval.granted.use, of: approval.granted.of })} </span>}
          {approval.decisions.map(({ decision, by, comment, at }) => (
            <span key={at}>
              {decision.replaceAll('_', ' ')} {t('by', { name: by === 'unnamed' ? by : `${by.name} (${by.source})` })}{' '}
              <Ago at={at} /> {comment && `“${comment}”`}{' '}
            </span>
          ))}
        </li>
      ))}
      {aboutTask.length > 0 && (
        <Section title={t('task.hooks')} open={false}>
          <HookAnswers answers={aboutTask} />
        </Section>
      )}
      {listed(t('task.files'), task.files, ({ step, name, file }) => (
        <li key={`${step} ${name}`}>
          {step} {name}:{' '}
          <a href={`/v1/tasks/${encodeURIComponent(id)}/files/${file.$file}`} download>
            {file.name}
          </a>{' '}
          {formatBytes(file.bytes)}
        </li>
      ))}
      <Section title={t('task.logs')}>
        <Logs id={id} isOver={isOver} />
      </Section>
      <details class="section" onToggle={({ currentTarget }) => openStory(currentTarget.open)}>
        <summary>
          <h2>{t('task.why')}</h2>
        </summary>
        {isStoryOpen && <Story id={id} />}
      </details>
    </>
  );
}

/** A section with an item for each; nothing without any. */
function listed<T>(title: string, all: readonly T[] = [], item: (one: T) => JSX.Element): JSX.Element | false {
  return (
    all.length > 0 && (
      <Section title={title}>
        <ul>{all.map(item)}</ul>
      </Section>
    )
  );
}

/** The story of `ability why`. */
function Story({ id }: { id: string }): JSX.Element {
  const { data, refusal } = useData(`why ${id}`, () => call('explainTask', { key: id }));
  if (refusal) return <Problem refusal={refusal} />;
  if (!data) return <p class="quiet">{t('loading')}</p>;
  return (
    <>
      {data.gaps.map((gap) => (
        <p key={gap} class="quiet">
          {gap}
        </p>
      ))}
      <ul>
        {data.resolution?.operations.map(({ key, implementation, runs, effects, hooks }) => (
          <li key={key}>
            {key}: {implementation}, <code>{runs}</code>, {effects}
            {hooks.length > 0 && `, ${hooks.join(', ')}`}
          </li>
        ))}
      </ul>
      <ol>
        {data.steps.flatMap(({ path, tries }) =>
          tries.map((attempt) => (
            <li key={`${path} ${JSON.stringify(attempt)}`}>
              {path} <code>{JSON.stringify(attempt)}</code>
            </li>
          )),
        )}
      </ol>
    </>
  );
}
