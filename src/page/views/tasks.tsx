import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { LISTED_STATES } from '../../contracts/states.js';
import { filter, goTo, setFilters, taskPath } from '../address.js';
import { call } from '../call.js';
import { Ago, Problem, State, Table } from '../parts/parts.js';
import { useData } from '../parts/use-data.js';
import { me } from '../state.js';
import { duration, t } from '../texts/text.js';

const PART = 50;
const LOOK_MS = 2000;

/** The tasks of the project, open ones first. The filters are part of the address. */
export function Tasks(): JSX.Element {
  const [status, ability, environment] = [filter('status'), filter('ability'), filter('environment')];
  const [limit, setLimit] = useState(PART);
  const wanted = {
    limit,
    ...(status !== '' && { status: [status as (typeof LISTED_STATES)[number]] }),
    ...(ability !== '' && { ability }),
    ...(environment !== '' && { environment }),
  };
  const { data, refusal } = useData(`tasks ${JSON.stringify(wanted)}`, () => call('listTasks', wanted), LOOK_MS);
  const choice = (name: string, value: string, label: string, choices: readonly string[]): JSX.Element => (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => setFilters({ [name]: currentTarget.value })}>
        <option value="">{t('all')}</option>
        {choices.map((one) => (
          <option key={one} value={one}>
            {one.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <h1>{t('view.tasks')}</h1>
      <div class="filters">
        {choice('status', status, t('tasks.status'), LISTED_STATES)}
        {choice('environment', environment, t('tasks.environment'), me.value?.environments ?? [])}
        <label>
          {t('tasks.ability')}
          <input
            data-search
            value={ability}
            onChange={({ currentTarget }) => setFilters({ ability: currentTarget.value.trim() })}
          />
        </label>
      </div>
      {refusal && <Problem refusal={refusal} />}
      {data?.tasks.length === 0 && <p class="quiet">{t('tasks.empty')}</p>}
      {data && data.tasks.length > 0 && (
        <Table
          head={[
            t('tasks.status'),
            t('tasks.key'),
            t('tasks.ability'),
            t('tasks.environment'),
            t('tasks.by'),
            t('tasks.started'),
            t('tasks.took'),
            t('tasks.intent'),
          ]}
        >
          {data.tasks.map((task) => (
            <tr
              key={task.task_key}
              data-row
              tabIndex={-1}
              onKeyDown={(event) => event.key === 'Enter' && goTo(taskPath(task.task_key))}
            >
              <td>
                <State state={task.status} />
              </td>
              <td>
                <a href={taskPath(task.task_key)}>{task.task_key}</a>
              </td>
              <td>{task.ability_id}</td>
              <td>{task.environment}</td>
              <td>{task.agent ? `${task.requested_by} · ${task.agent}` : task.requested_by}</td>
              <td>
                <Ago at={task.started_at} />
              </td>
              <td>{task.finished_at && duration(Date.parse(task.finished_at) - Date.parse(task.started_at))}</td>
              <td class="intent">{task.intent}</td>
            </tr>
          ))}
        </Table>
      )}
      {data && data.next_cursor !== null && limit < 999 && (
        <button type="button" onClick={() => setLimit(Math.min(999, limit + PART))}>
          {t('more')}
        </button>
      )}
    </>
  );
}
