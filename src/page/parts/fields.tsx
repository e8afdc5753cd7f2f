import type { JSX } from 'preact';
import type { ApprovalField } from '../../contracts/approvals.js';
import type { Json } from '../../contracts/json.js';
import { t } from '../texts/text.js';
import { numberOf } from './form.js';

export type FieldValues = Record<string, Json>;

interface Props {
  fields: Record<string, ApprovalField>;
  values: FieldValues;
  onChange(values: FieldValues): void;
}

/** What an approval asks its decider to fill in. */
export function Fields({ fields, values, onChange }: Props): JSX.Element {
  const set = (name: string, value: Json | undefined): void => {
    const { [name]: _, ...rest } = values;
    onChange(value === undefined ? rest : { ...rest, [name]: value });
  };
  return (
    <div class="fields">
      {Object.entries(fields).map(([name, field]) => (
        <label key={name}>
          {field.title ?? name} {!field.optional && <span class="quiet">({t('field.needed')})</span>}{' '}
          {field.description && <span class="quiet">{field.description}</span>}
          <FieldInput field={field} value={values[name]} onChange={(value) => set(name, value)} />
        </label>
      ))}
    </div>
  );
}

function FieldInput({
  field,
  value,
  onChange,
}: {
  field: ApprovalField;
  value: Json | undefined;
  onChange(value: Json | undefined): void;
}) {
  if (field.enum) {
    return (
      <select
        value={value === undefined ? '' : String(value)}
        onChange={({ currentTarget }) => onChange(field.enum?.find((choice) => String(choice) === currentTarget.value))}
      >
        <option value="">{t('form.unset')}</option>
        {field.enum.map((choice) => (
          <option key={String(choice)} value={String(choice)}>
            {String(choice)}
          </option>
        ))}
      </select>
    );
  }
  if (field.type === 'boolean') {
    return (
      <select
        value={value === undefined ? '' : String(value)}
        onChange={({ currentTarget: { value: said } }) => onChange(said === '' ? undefined : said === 'true')}
      >
        <option value="">{t('form.unset')}</option>
        <option value="true">{t('form.yes')}</option>
        <option value="false">{t('form.no')}</option>
      </select>
    );
  }
  const isNumber = field.type !== 'string';
  return (
    <input
      {...(isNumber ? { type: 'number', step: field.type === 'integer' ? 1 : 'any' } : { type: 'text' })}
      value={value === undefined ? '' : String(value)}
      onInput={({ currentTarget: { value: said } }) =>
        onChange(said === '' ? undefined : isNumber ? numberOf(said) : said)
      }
    />
  );
}
