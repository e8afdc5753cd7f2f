import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { abilityPath, filter, goTo, setFilters } from '../address.js';
import { call } from '../call.js';
import { Effects, Problem, Table } from '../parts/parts.js';
import { useData } from '../parts/use-data.js';
import { t } from '../texts/text.js';

const TYPED_MS = 200;
const LOOK_MS = 10_000;

interface Shown {
  id: string;
  level?: string;
  type?: string | undefined;
  summary?: string | undefined;
  effects?: string | null;
  unavailable?: unknown;
}

/** The pool: all abilities, or those that fit a request, ranked as `ability route` ranks them. */
export function Abilities(): JSX.Element {
  const wanted = filter('search');
  const [text, setText] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => text.trim() !== wanted && setFilters({ search: text.trim() }), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, refusal } = useData(
    `abilities ${wanted}`,
    async (): Promise<Shown[]> =>
      wanted === ''
        ? call('listAbilities', {})
        : (await call('searchAbilities', { request: wanted, limit: 30 })).suggestions,
    wanted === '' ? LOOK_MS : undefined,
  );
  return (
    <>
      <h1>{t('view.abilities')}</h1>
      <label class="search">
        {t('abilities.search')}
        <input data-search type="search" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      {refusal && <Problem refusal={refusal} />}
      {data?.length === 0 && <p class="quiet">{t('abilities.empty')}</p>}
      {data && data.length > 0 && (
        <Table head={[t('tasks.ability'), t('ability.type'), t('ability.summary'), t('ability.effects')]}>
          {data.map(({ id, level, type, summary, effects, unavailable }) => (
            <tr
              key={id}
              data-row
              tabIndex={-1}
              class={unavailable ? 'off' : ''}
              onKeyDown={(event) => event.key === 'Enter' && goTo(abilityPath(id))}
            >
              <td>
                <a href={abilityPath(id)}>{id}</a>
              </td>
              <td>{type ?? (level && t(level === 'high' ? 'abilities.high' : 'abilities.low'))}</td>
              <td>{summary}</td>
              <td>{effects && <Effects effects={effects} />}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
