import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { JsonObject } from '../../contracts/json.js';
import type { OutputOf } from '../../operations/over-http/call-door.js';
import { filter, goTo, setFilters, taskPath } from '../address.js';
import { call } from '../call.js';
import { WhoIsAsked } from '../parts/asked.js';
import { Form } from '../parts/form.js';
import { Effects, Facts, Problem, Section, Value } from '../parts/parts.js';
import { flatSteps, PlanSteps } from '../parts/plan-steps.js';
import { useAction, useData } from '../parts/use-data.js';
import { mayDo, me } from '../state.js';
import { t } from '../texts/text.js';

type Described = Awaited<OutputOf<'describeAbility'>>;

/** What all kinds of definitions have. */
interface Definition {
  summary?: string;
  version?: number | string;
  input_schema?: JsonObject;
  output_schema?: JsonObject | null;
}
type Planned = Awaited<OutputOf<'planAbility'>>;

/** An ability: its contract, its guards, and a form to start it. */
export function AbilityView({ id }: { id: string }): JSX.Element {
  const environment = filter('environment') || me.value?.environment || me.value?.environments[0] || '';
  const { data, refusal } = useData(`ability ${id} ${environment}`, () => call('describeAbility', { id, environment }));
  if (refusal) return <Problem refusal={refusal} />;
  if (!data) return <p class="quiet">{t('loading')}</p>;
  const { problem } = data;
  const definition = data.definition as Definition | undefined;
  return (
    <>
      <h1>{id}</h1>
      <p>{definition?.summary}</p>
      <label>
        {t('tasks.environment')}
        <select value={environment} onChange={({ currentTarget }) => setFilters({ environment: currentTarget.value })}>
          {(me.value?.environments ?? []).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {problem && <Problem refusal={problem} />}
      <Contract data={data} />
      <WhoIsAsked id={id} />
      <Start key={environment} id={id} data={data} environment={environment} />
    </>
  );
}

function Contract({ data }: { data: Described }): JSX.Element {
  const { plan, placement, digest } = data;
  const definition = (data.definition ?? {}) as Definition;
  const hooks = plan ? [plan.ability.hooks, ...Object.values(plan.operations).map((operation) => operation.hooks)] : [];
  const guards = [
    ...new Set(
      hooks.flatMap((phases) =>
        Object.values(phases)
          .flat()
          .map((hook) => hook.id),
      ),
    ),
  ];
  return (
    <Section title={t('ability.contract')}>
      <Facts
        facts={[
          [t('ability.version'), definition.version],
          [t('ability.placement'), placement.placement],
          [t('ability.effects'), plan && <Effects effects={plan.ability.effects} />],
          [t('ability.guards'), guards.join(', ')],
          ['', digest && <code>{digest.slice(0, 16)}</code>],
        ]}
      />
      <h3>{t('ability.input-schema')}</h3>
      <Value value={definition.input_schema ?? {}} label={t('ability.input-schema')} />
      <h3>{t('ability.output-schema')}</h3>
      <Value value={definition.output_schema ?? null} label={t('ability.output-schema')} />
    </Section>
  );
}

/** *Plan* shows what would happen with the input; *Run* runs exactly that plan. */
function Start({ id, data, environment }: { id: string; data: Described; environment: string }): JSX.Element {
  const schema = ((data.definition ?? {}) as Definition).input_schema ?? {};
  const [input, setInput] = useState<JsonObject>({});
  const [planned, setPlanned] = useState<{ plan: Planned; input: JsonObject }>();
  const [refusal, carryOut] = useAction();
  const form = useRef<HTMLFormElement>(null);
  const act = (action: () => Promise<void>): Promise<void> =>
    carryOut(async () => form.current?.reportValidity() !== false && action());
  const plan = (): Promise<void> =>
    act(async () => setPlanned({ plan: await call('planAbility', { id, environment, input }), input }));
  const run = (): Promise<void> =>
    act(async () => {
      if (!planned) return;
      const made = await call('runAbility', { ability: id, environment, input, plan: planned.plan.reference });
      goTo(taskPath(String((made as { task_key: string }).task_key)));
    });
  const isCurrent = planned?.input === input;
  return (
    <Section title={t('ability.start')}>
      <Form schema={schema} value={input} onChange={setInput} form={form} />
      <div class="buttons">
        <button type="button" onClick={() => void plan()}>
          {t('ability.plan')}
        </button>
        {mayDo('run') && (
          <button
            type="button"
            class="primary"
            disabled={!isCurrent || planned?.plan.status !== 'available'}
            onClick={() => void run()}
          >
            {t('ability.run')}
          </button>
        )}
        {!isCurrent && <span class="quiet">{t(planned ? 'ability.plan.changed' : 'ability.plan.first')}</span>}
      </div>
      {refusal && <Problem refusal={refusal} />}
      {planned && isCurrent && <PlanView plan={planned.plan} />}
    </Section>
  );
}

function PlanView({ plan }: { plan: Planned }): JSX.Element {
  const { problems, warnings, start, steps, operations } = plan;
  return (
    <section class="card" aria-label={t('ability.plan.title')}>
      <h3>{t('ability.plan.title')}</h3>
      {problems.map((problem) => (
        <Problem key={problem.message} refusal={problem} />
      ))}
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
      <Facts
        facts={[
          [t('ability.effects'), <Effects effects={plan.effects} />],
          [t('ability.placement'), `${plan.placement.where} (${plan.placement.queue})`],
          [t('approval.who'), start.approval && (start.approval.approvers.join(', ') || t('approval.anyone'))],
        ]}
      />
      <PlanSteps steps={flatSteps(steps)} operations={operations} />
      {steps.length === 0 && operations.map(({ key, does }) => <code key={key}>{does}</code>)}
    </section>
  );
}
