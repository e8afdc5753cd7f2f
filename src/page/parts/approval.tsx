import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ApprovalField, Grant, Verdict } from '../../contracts/approvals.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { needsComment } from '../../rules/tasks/decision-form.js';
import { describeChanges, shownEdits } from '../../rules/tasks/shown-approvals.js';
import { abilityPath, taskPath } from '../address.js';
import { call } from '../call.js';
import { announce } from '../state.js';
import { type TextKey, t } from '../texts/text.js';
import { AfterApproval } from './after-approval.js';
import { ObjectFields } from './form.js';
import { mayDecide, type Waiting } from './may-decide.js';
import { Ago, Effects, Facts, Problem, Section, Value } from './parts.js';
import { useAction, useData, useSeen } from './use-data.js';

interface Props {
  approval: Waiting;
  /** Those that ask the same, this one included. */
  alike: Waiting[];
  onDecided(): void;
  onApproveAll(alike: Waiting[]): Promise<void>;
}

/** One approval with all that its decider needs, and the decision. */
export function Approval({ approval, alike, onDecided, onApproveAll }: Props): JSX.Element {
  const { id, task_key, title, what, reasons, approvers, quorum, decisions, requested_by } = approval;
  const why = mayDecide(approval);
  const by = requested_by.agent
    ? `${requested_by.name}, ${t('approval.agent', { agent: requested_by.agent })}`
    : requested_by.name;
  const have = decisions.filter(({ decision }) => decision === 'approve').length;
  return (
    <article class="card approval" data-row tabIndex={-1} aria-label={title}>
      <header>
        <h3>{title}</h3>
        <a href={taskPath(task_key)}>{task_key}</a>
      </header>
      <Facts
        facts={[
          [t('approval.what'), <a href={abilityPath(what.ability)}>{what.ability}</a>],
          [t('approval.environment'), what.environment],
          [t('approval.effects'), what.effects && <Effects effects={what.effects} />],
          [t('approval.asked-by'), by],
          [t('approval.waits'), <Ago at={approval.raised_at} />],
          [t('approval.until'), <Ago at={approval.expires_at} />],
          [t('approval.due'), approval.due_at && <Ago at={approval.due_at} />],
          [t('approval.who'), approvers.length > 0 ? approvers.join(', ') : t('approval.anyone')],
          ['', quorum > 1 && t('approval.quorum', { have, need: quorum })],
          ['', approval.proof === 'required' && t('approval.proof')],
          [t('approval.why'), reasons.length > 0 && reasons.join('; ')],
        ]}
      />
      <Input approval={approval} />
      <Edits approval={approval} />
      {what.undo && (
        <p>
          {t('approval.undo')} <a href={abilityPath(what.undo.ability)}>{what.undo.ability}</a>{' '}
          <Effects effects={what.undo.effects} /> <code>{JSON.stringify(what.undo.input)}</code>
        </p>
      )}
      <After approval={approval} />
      {why === undefined ? (
        <Decide approval={approval} alike={alike} onDecided={onDecided} onApproveAll={onApproveAll} />
      ) : (
        <p class="quiet">{why}</p>
      )}
      <span class="quiet">{id}</span>
    </article>
  );
}

/** The input, as its difference to the last approved one of its kind. */
function Input({ approval }: { approval: Waiting }): JSX.Element {
  const { task_key, id, what } = approval;
  const [element, isSeen] = useSeen<HTMLDivElement>();
  const { data } = useData(`input ${task_key} ${id} ${isSeen}`, async () =>
    isSeen ? call('readApprovals', { key: task_key }) : undefined,
  );
  const last = data?.find((one) => one.id === id)?.last_approved;
  const differs = last?.differs.filter(({ at }) => at.startsWith('what.input')) ?? [];
  const place = last && { task: last.task_key, when: new Date(last.at).toLocaleString() };
  return (
    <div ref={element}>
      <Value value={what.input} label={t('approval.input')} />
      {data && !last && <p class="quiet">{t('approval.first')}</p>}
      {place && differs.length === 0 && <p class="quiet">{t('approval.same', place)}</p>}
      {place && differs.length > 0 && (
        <table class="differs">
          <caption>{t('approval.differs', place)}</caption>
          <thead>
            <tr>
              <th scope="col">{t('approval.input')}</th>
              <th scope="col">{t('approval.before')}</th>
              <th scope="col">{t('approval.now')}</th>
            </tr>
          </thead>
          <tbody>
            {differs.map(({ at, expected, actual }) => (
              <tr key={at}>
                <th scope="row">{at.replace(/^what\.input\.?/, '')}</th>
                <td class="before">{shown(expected)}</td>
                <td class="after">{shown(actual)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function shown(value: Json | undefined): string {
  return value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
}

function After({ approval }: { approval: Waiting }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) {
    return (
      <Section title={t('approval.after')}>
        <AfterApproval approval={approval} />
      </Section>
    );
  }
  return (
    <button type="button" class="plain" onClick={() => setOpen(true)}>
      {t('approval.show-after')}
    </button>
  );
}

interface EditProps {
  approval: Waiting;
  /** What may be changed, with its schemas. */
  fields: Record<string, JsonObject>;
  changed: JsonObject;
  onChange(changed: JsonObject): void;
}

/** Corrects the input before it is approved. Only what the person changes is sent: the rest may be masked here. */
function Edit({ approval: { id, task_key, what }, fields, changed, onChange }: EditProps): JSX.Element {
  const input = isJsonObject(what.input) ? what.input : {};
  const now = Object.fromEntries(Object.entries(input).filter(([name]) => Object.hasOwn(fields, name)));
  const change = (next: JsonObject): void => {
    const differs = ([name, value]: [string, Json]): boolean => JSON.stringify(value) !== JSON.stringify(now[name]);
    onChange(Object.fromEntries(Object.entries(next).filter(differs)));
  };
  return (
    <Section title={t('approval.edit')} open={false}>
      <ObjectFields
        schema={{ properties: fields }}
        value={{ ...now, ...changed }}
        onChange={change}
        path={`${task_key} ${id} `}
      />
    </Section>
  );
}

interface GrantProps {
  approval: Waiting;
  grant: Grant | undefined;
  onChange(grant: Grant | undefined): void;
}

/** One yes for further calls that are alike. Source: docs/approvals.md#one-yes-for-what-is-alike. */
function GrantFields({ approval: { grants = [] }, grant, onChange }: GrantProps): JSX.Element {
  const [hours, setHours] = useState('');
  const set = (change: Partial<Grant>): void => grant && onChange({ ...grant, ...change });
  const choose = (chosen: string): void =>
    onChange(chosen === '' ? undefined : { up_to: 10, ...grant, for: chosen as Grant['for'] });
  return (
    <Section title={t('grant')} open={false}>
      <label>
        {t('grant.for')}
        <select value={grant?.for ?? ''} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          <option value="">{t('grant.none')}</option>
          {grants.map((one) => (
            <option key={one} value={one}>
              {t(`grant.for.${one}`)}
            </option>
          ))}
        </select>
      </label>
      {grant && (
        <>
          <label>
            {t('grant.up-to')}
            <input
              type="number"
              min={2}
              max={1000}
              required
              value={String(grant.up_to)}
              onInput={({ currentTarget }) => set({ up_to: currentTarget.valueAsNumber })}
            />
          </label>
          <label>
            {t('grant.hours')}
            <input
              type="number"
              min={0.01}
              max={168}
              step="any"
              value={hours}
              onInput={({ currentTarget: { value, valueAsNumber } }) => {
                setHours(value);
                const { for_ms: _, ...rest } = grant;
                onChange(value === '' ? rest : { ...rest, for_ms: Math.round(valueAsNumber * 3_600_000) });
              }}
            />
          </label>
          <label>
            {t('grant.if')}
            <input
              type="text"
              placeholder={'input.env == "staging"'}
              value={grant.if ?? ''}
              onInput={({ currentTarget: { value } }) => {
                const { if: _, ...rest } = grant;
                onChange(value === '' ? rest : { ...rest, if: value });
              }}
            />
          </label>
        </>
      )}
    </Section>
  );
}

/** What decisions have changed so far. */
function Edits({ approval }: { approval: Waiting }): JSX.Element | null {
  const edits = shownEdits(approval);
  if (edits.length === 0) return null;
  return (
    <ul>
      {edits.map((edit) => (
        <li key={edit.at}>
          {describeChanges(edit)} {t('by', { name: edit.by === 'unnamed' ? edit.by : edit.by.name })}{' '}
          <Ago at={edit.at} />
        </li>
      ))}
    </ul>
  );
}

const KEYS = { approve: 'a', deny: 'd', request_changes: 'c' } as const;
const NAMES: Record<Verdict, TextKey> = {
  approve: 'approval.approve',
  deny: 'approval.deny',
  request_changes: 'approval.request-changes',
};

/** What an approval asks its decider to fill in, as a JSON Schema. */
function schemaOf(fields: Record<string, ApprovalField>): JsonObject {
  const needed = Object.keys(fields).filter((name) => !fields[name]?.optional);
  return { properties: fields as unknown as JsonObject, required: needed };
}

function Decide({ approval, alike, onDecided, onApproveAll }: Props): JSX.Element {
  const { id, task_key, fields = {} } = approval;
  const [comment, setComment] = useState('');
  const [values, setValues] = useState<JsonObject>({});
  const [changed, setChanged] = useState<JsonObject>({});
  const [grant, setGrant] = useState<Grant>();
  const [refusal, act] = useAction();
  const [isSent, setSent] = useState(false);
  const needed = approval.comment === 'required';
  const form = useRef<HTMLFormElement>(null);
  const decide = async (verdict: Verdict): Promise<void> => {
    // A field that holds what is no number would count as left out.
    if (verdict === 'approve' && form.current?.reportValidity() === false) return;
    if (needsComment(approval, verdict) && comment.trim() === '') {
      document.getElementById(`comment ${task_key} ${id}`)?.focus();
      announce(t('approval.comment.needed'), true);
      return;
    }
    setSent(true);
    await act(async () => {
      const said = comment.trim() === '' ? {} : { comment };
      const given = { ...values, ...changed };
      const filled = verdict === 'approve' && Object.keys(given).length > 0 ? { fields: given } : {};
      const more = verdict === 'approve' && grant ? { grant } : {};
      const decision = { key: task_key, approval: id, decision: verdict, ...said, ...filled, ...more };
      const { missing } = await call('decide', decision);
      announce(missing > 0 ? t('approval.decided.missing', { count: missing }) : t(`approval.decided.${verdict}`));
      onDecided();
    });
  };
  return (
    <form class="decide" ref={form} onSubmit={(event) => event.preventDefault()}>
      {Object.keys(fields).length > 0 && (
        <div class="fields">
          <ObjectFields
            schema={schemaOf(fields)}
            value={values}
            onChange={setValues}
            path={`${task_key} ${id} asked `}
          />
        </div>
      )}
      {approval.grants && <GrantFields approval={approval} grant={grant} onChange={setGrant} />}
      {approval.edit && <Edit approval={approval} fields={approval.edit} changed={changed} onChange={setChanged} />}
      <label>
        {t(needed ? 'approval.comment.needed' : 'approval.comment')}
        <textarea
          id={`comment ${task_key} ${id}`}
          rows={1}
          value={comment}
          onInput={({ currentTarget }) => setComment(currentTarget.value)}
        />
      </label>
      {refusal && <Problem refusal={refusal} />}
      <div class="buttons">
        {(['approve', 'deny', 'request_changes'] as const).map((verdict) => (
          <button
            key={verdict}
            type="button"
            class={verdict === 'approve' ? 'primary' : verdict === 'deny' ? 'danger' : ''}
            data-key={KEYS[verdict]}
            aria-keyshortcuts={KEYS[verdict]}
            disabled={isSent && !refusal}
            onClick={() => void decide(verdict)}
          >
            {t(NAMES[verdict])}
          </button>
        ))}
        {alike.length > 1 && (
          <button type="button" disabled={isSent && !refusal} onClick={() => void onApproveAll(alike)}>
            {t('approval.like', { count: alike.length })}
          </button>
        )}
      </div>
    </form>
  );
}
