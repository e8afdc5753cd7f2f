import type { JSX } from 'preact';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { StepSummary } from '../../contracts/task.js';
import { abilityPath, goTo, taskPath } from '../address.js';
import { call } from '../call.js';
import { mayDo } from '../state.js';
import { duration, t } from '../texts/text.js';
import { type Called, CalledTasks, calledCount } from './called-tasks.js';
import { HookAnswers } from './hook-answers.js';
import { Logs } from './logs.js';
import { Facts, Problem, progressOf, State } from './parts.js';
import { useAction } from './use-data.js';

interface Props {
  step: StepSummary;
  id: string;
  answers: readonly HookAnswer[];
  called: Called;
  canRetry: boolean;
}

/** One step: what it called, what hooks said of it, why it failed, its logs. */
export function StepDetails({ step, id, answers, called, canRetry }: Props): JSX.Element {
  const [refusal, act] = useAction();
  const retry = async (): Promise<void> => {
    const made = await call('retryTask', { key: id, from: step.path });
    goTo(taskPath(String(made.task_key)));
  };
  return (
    <>
      <Facts
        facts={[
          [t('task.state'), <State state={step.status} />],
          [t('task.call'), step.call && <a href={abilityPath(step.call)}>{step.call}</a>],
          [t('task.attempts'), step.attempts],
          [t('task.duration'), step.duration_ms !== null && duration(step.duration_ms)],
          ['', progressOf(step)],
          [
            t('task.called'),
            (step.task !== undefined || calledCount(step, called) !== null) && (
              <CalledTasks step={step} called={called} />
            ),
          ],
        ]}
      />
      {canRetry && mayDo('run') && (
        <button type="button" onClick={() => void act(retry)}>
          {t('task.retry-from')}
        </button>
      )}
      {refusal && <Problem refusal={refusal} />}
      {step.error && <Problem refusal={step.error} />}
      {step.failures?.map(({ error, ...item }) => (
        <p key={JSON.stringify(item)}>
          <code>{JSON.stringify(item)}</code> {error?.code}: {error?.message}
        </p>
      ))}
      {answers.length > 0 && (
        <>
          <h3>{t('task.hooks')}</h3>
          <HookAnswers answers={answers} />
        </>
      )}
      <Logs id={id} step={step.path} isOver={step.status !== 'running'} />
    </>
  );
}
