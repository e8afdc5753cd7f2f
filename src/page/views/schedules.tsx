import { abilityPath } from '../address.js';
import { call } from '../call.js';
import { Ago, Problem, Table } from '../parts/parts.js';
import { useData } from '../parts/use-data.js';
import { t } from '../texts/text.js';

const SHOWN = 3;

/** The schedules of the project, with their next firings. */
export function Schedules() {
  const { data, refusal } = useData('schedules', () => call('listSchedules', {}), 10_000);
  return (
    <>
      <h1>{t('view.schedules')}</h1>
      {refusal && <Problem refusal={refusal} />}
      {data?.schedules.length === 0 && <p class="quiet">{t('schedules.empty')}</p>}
      {data && data.schedules.length > 0 && (
        <Table
          head={[
            t('schedules.name'),
            t('tasks.ability'),
            t('tasks.environment'),
            t('schedules.when'),
            t('schedules.next'),
          ]}
        >
          {data.schedules.map(({ spec, paused, next }) => (
            <tr key={spec.id} data-row tabIndex={-1}>
              <td>{spec.id}</td>
              <td>
                <a href={abilityPath(spec.ability)}>{spec.ability}</a>
              </td>
              <td>{spec.environment}</td>
              <td>
                <code>{spec.cron}</code>
              </td>
              <td>
                {paused
                  ? t('schedules.paused')
                  : next.slice(0, SHOWN).map((at) => (
                      <div key={at}>
                        <Ago at={at} />
                      </div>
                    ))}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
