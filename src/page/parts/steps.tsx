import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { HookAnswer } from '../../contracts/hooks.js';
import { isEndState } from '../../contracts/states.js';
import type { StepSummary } from '../../contracts/task.js';
import type { OutputOf } from '../../operations/over-http/call-door.js';
import { generalPath } from '../../rules/steps/step-tree.js';
import { filter, setFilters } from '../address.js';
import { duration, t } from '../texts/text.js';
import { type Called, CalledTasks } from './called-tasks.js';
import { StepGraph } from './graph.js';
import { Verdicts } from './hook-answers.js';
import { Dialog, progressOf, State, Table } from './parts.js';
import { StepDetails } from './step-details.js';

type Seen = Awaited<OutputOf<'viewTask'>>;

interface Props {
  task: Seen;
  id: string;
  /** The called tasks that run. */
  called: Called;
}

/** The steps of a task as a graph or as a table; each opens its details. */
export function Steps({ task, id, called }: Props): JSX.Element {
  const isTable = filter('steps') === 'table';
  const [chosen, setChosen] = useState<string>();
  const step = task.steps.find(({ path }) => path === chosen);
  const answers = answersByStep(task.hooks);
  const table = <StepTable steps={task.steps} answers={answers} called={called} onChoose={setChosen} />;
  return (
    <section class="section" aria-label={t('task.steps')}>
      <h2>
        {t('task.steps')}
        <span class="buttons">
          {(['graph', 'table'] as const).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={isTable === (name === 'table')}
              onClick={() => setFilters({ steps: name === 'table' ? 'table' : '' })}
            >
              {t(`task.${name}`)}
            </button>
          ))}
        </span>
      </h2>
      {isTable ? table : <StepGraph task={task} id={id} called={called} onChoose={setChosen} table={table} />}
      {step && (
        <Dialog title={step.path} onClose={() => setChosen(undefined)}>
          <StepDetails
            step={step}
            id={id}
            answers={answers.get(step.path) ?? []}
            called={called}
            canRetry={isEndState(task.status) && step.status !== 'pending'}
          />
        </Dialog>
      )}
    </section>
  );
}

/** The answers of hooks by the step at which they were given; those of all turns of a loop together. */
function answersByStep(hooks: readonly HookAnswer[]): Map<string, HookAnswer[]> {
  const answers = new Map<string, HookAnswer[]>();
  for (const answer of hooks) {
    const step = generalPath(answer.path);
    const known = answers.get(step);
    if (known) known.push(answer);
    else answers.set(step, [answer]);
  }
  return answers;
}

interface TableProps {
  steps: readonly StepSummary[];
  answers: ReadonlyMap<string, HookAnswer[]>;
  called: Called;
  onChoose(path: string): void;
}

function StepTable({ steps, answers, called, onChoose }: TableProps): JSX.Element {
  return (
    <Table
      head={[t('task.step'), t('task.state'), t('task.call'), t('task.hooks'), t('task.attempts'), t('task.duration')]}
    >
      {steps.map((step) => (
        <tr key={step.path} data-row tabIndex={-1} onKeyDown={(event) => event.key === 'Enter' && onChoose(step.path)}>
          <td>
            <button type="button" class="plain" onClick={() => onChoose(step.path)}>
              {step.path}
            </button>
          </td>
          <td>
            <State state={step.status} /> {progressOf(step)}{' '}
            {step.failed_turns !== undefined && t('task.failed-items', { count: step.failed_turns })}
          </td>
          <td>
            {step.call} <CalledTasks step={step} called={called} />
          </td>
          <td>
            <Verdicts answers={answers.get(step.path) ?? []} />
          </td>
          <td>{step.attempts > 1 && `×${step.attempts}`}</td>
          <td>{step.duration_ms !== null && duration(step.duration_ms)}</td>
        </tr>
      ))}
    </Table>
  );
}
