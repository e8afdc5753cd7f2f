import type { JSX } from 'preact';
import type { Problem as Fault } from '../../contracts/problem.js';
import { type AskedPlace, whoIsAsked } from '../../rules/plans/who-is-asked.js';
import { call } from '../call.js';
import { me } from '../state.js';
import { t } from '../texts/text.js';
import { Effects, Problem, Section, Table } from './parts.js';
import { useData } from './use-data.js';

interface Asked {
  environment: string;
  places: AskedPlace[];
  isProved: boolean;
  problem: Fault | null;
}

/** Who is asked when an ability runs, in each environment. */
export function WhoIsAsked({ id }: { id: string }): JSX.Element {
  const environments = me.value?.environments ?? [];
  const { data, refusal } = useData(`asked ${id} ${environments.join()}`, () => Promise.all(environments.map(read)));
  async function read(environment: string): Promise<Asked> {
    const { plan, problem } = await call('describeAbility', { id, environment });
    const isProved = plan?.environment.proof === 'required';
    return { environment, places: plan ? whoIsAsked(plan) : [], isProved, problem };
  }
  return (
    <Section title={t('ability.asked')}>
      {refusal && <Problem refusal={refusal} />}
      {!data && !refusal && <p class="quiet">{t('loading')}</p>}
      {data && (
        <Table head={[t('tasks.environment'), t('ability.asked.where'), t('approval.who'), t('ability.asked.how')]}>
          {data.map((asked) => (
            <Rows key={asked.environment} id={id} asked={asked} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function Rows({ id, asked: { environment, places, isProved, problem } }: { id: string; asked: Asked }): JSX.Element {
  if (places.length === 0) {
    return (
      <tr>
        <th scope="row">{environment}</th>
        <td colSpan={3} class="quiet">
          {problem ? problem.message : t('ability.asked.nobody')}
        </td>
      </tr>
    );
  }
  return (
    <>
      {places.map((place, index) => (
        <tr key={JSON.stringify(place)}>
          {index === 0 && (
            <th scope="rowgroup" rowSpan={places.length}>
              {environment}
            </th>
          )}
          <Place id={id} place={place} isProved={isProved} />
        </tr>
      ))}
    </>
  );
}

function Place({ id, place, isProved }: { id: string; place: AskedPlace; isProved: boolean }): JSX.Element {
  const { ability, path, what, effects, hook, approvers, quorum, self_approval } = place;
  const at = [...(ability === id ? [] : [ability]), ...(path === '' ? [] : [path])].join(' ');
  const conditions = [
    quorum > 1 && t('ability.asked.needed', { count: quorum }),
    !self_approval && t('ability.asked.not-self'),
    isProved && t('approval.proof'),
    hook !== null && t('ability.asked.hook', { hook }),
  ];
  const who = approvers.listed.join(', ');
  const people = approvers.people.join(', ');
  return (
    <>
      <td>
        {at !== '' && <span class="path">{at}</span>} {what} {effects && <Effects effects={effects} />}
      </td>
      <td>
        {who || t('approval.anyone')} {people !== who && <span class="quiet">{people}</span>}
      </td>
      <td>{conditions.filter(Boolean).join('; ')}</td>
    </>
  );
}
