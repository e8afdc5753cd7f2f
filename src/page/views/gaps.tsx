import { abilityPath } from '../address.js';
import { call } from '../call.js';
import { Ago, Problem, Table } from '../parts/parts.js';
import { useData } from '../parts/use-data.js';
import { t } from '../texts/text.js';

/** Requests that no ability covered, the most frequent first. */
export function Gaps() {
  const { data, refusal } = useData('gaps', () => call('listGaps', {}), 30_000);
  return (
    <>
      <h1>{t('view.gaps')}</h1>
      {refusal && <Problem refusal={refusal} />}
      {data?.gaps.length === 0 && <p class="quiet">{t('gaps.empty')}</p>}
      {data && data.gaps.length > 0 && (
        <Table head={[t('gaps.request'), t('gaps.times'), t('gaps.last'), t('gaps.nearest')]}>
          {data.gaps.map(({ request, times, last, nearest }) => (
            <tr key={request} data-row tabIndex={-1}>
              <td>{request}</td>
              <td>{times}</td>
              <td>
                <Ago at={last} />
              </td>
              <td class="links">
                {nearest.map((id) => (
                  <a key={id} href={abilityPath(id)}>
                    {id}
                  </a>
                ))}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
