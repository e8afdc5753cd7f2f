import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isEndState } from '../../contracts/states.js';
import type { OutputOf } from '../../operations/over-http/call-door.js';
import { goTo, taskPath } from '../address.js';
import { call } from '../call.js';
import { announce, mayDo } from '../state.js';
import { t } from '../texts/text.js';
import { readTyped } from './form.js';
import { Dialog, Problem } from './parts.js';
import { useAction, useData } from './use-data.js';

type Seen = Awaited<OutputOf<'viewTask'>>;

/** What may be done now with a task. What is refused after all says why, as the command line does. */
export function Steer({ task, id }: { task: Seen; id: string }): JSX.Element | null {
  const [refusal, carryOut] = useAction();
  const [asks, setAsks] = useState<'cancel' | 'signal'>();
  const isOver = isEndState(task.status);
  const canRetry = isOver && task.status !== 'succeeded' && task.status !== 'unavailable';
  const { data: story } = useData(`retry ${id} ${canRetry}`, async () =>
    canRetry && mayDo('run') ? call('explainTask', { key: id }) : null,
  );
  if (!mayDo('run')) return null;
  const act = (action: () => Promise<unknown>): Promise<void> => {
    setAsks(undefined);
    return carryOut(action);
  };
  const retry = (): Promise<void> =>
    act(async () => {
      const made = await call('retryTask', { key: id });
      if ('begins' in made && made.begins) announce(String(made.begins));
      goTo(taskPath(String(made.task_key)));
    });
  const button = (text: string, action: () => void, kind = ''): JSX.Element => (
    <button type="button" class={kind} onClick={action}>
      {text}
    </button>
  );
  return (
    <>
      <div class="buttons">
        {task.status === 'created' &&
          button(t('task.run'), () => void act(() => call('runTask', { key: id })), 'primary')}
        {!isOver && !task.paused && button(t('task.pause'), () => void act(() => call('pauseTask', { key: id })))}
        {!isOver && task.paused && button(t('task.resume'), () => void act(() => call('resumeTask', { key: id })))}
        {!isOver && button(t('task.signal'), () => setAsks('signal'))}
        {!isOver && button(t('task.cancel'), () => setAsks('cancel'), 'danger')}
        {story?.retry && button(t('task.retry'), () => void retry(), 'primary')}
      </div>
      {refusal && <Problem refusal={refusal} />}
      {asks === 'cancel' && (
        <Dialog title={t('task.cancel')} onClose={() => setAsks(undefined)}>
          <p>{t('task.sure.cancel')}</p>
          {button(t('task.cancel'), () => void act(() => call('cancelTask', { key: id })), 'danger')}
        </Dialog>
      )}
      {asks === 'signal' && (
        <Dialog title={t('task.signal')} onClose={() => setAsks(undefined)}>
          <SignalForm
            names={(task.waits ?? []).flatMap(({ for: kind, what }) => (kind === 'signal' && what ? [what] : []))}
            onSend={(name, payload) => void act(() => call('signalTask', { key: id, name, payload }))}
          />
        </Dialog>
      )}
    </>
  );
}

function SignalForm({ names, onSend }: { names: string[]; onSend(name: string, payload: unknown): void }): JSX.Element {
  const [problem, setProblem] = useState<string>();
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const read = readTyped(String(form.get('payload')));
    if ('wrong' in read) setProblem(read.wrong);
    else onSend(String(form.get('name')), read.value);
  };
  return (
    <form onSubmit={send}>
      <label>
        {t('task.signal.name')}
        <input name="name" required value={names[0] ?? ''} list="signals" />
        <datalist id="signals">
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label>
        {t('task.signal.payload')}
        <textarea name="payload" rows={3} />
      </label>
      {problem && <p role="alert">{problem}</p>}
      <button type="submit" class="primary">
        {t('task.send')}
      </button>
    </form>
  );
}
