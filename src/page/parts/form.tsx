import type { JSX, RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { readInput } from '../../text/lossless-json/read-json.js';
import { faultOfNumber } from '../../text/lossless-json/replace-parts.js';
import { t } from '../texts/text.js';
import { FileField } from './file-field.js';

interface Props {
  schema: JsonObject;
  value: JsonObject;
  onChange(value: JsonObject): void;
  /** To ask whether all fields are valid. */
  form?: RefObject<HTMLFormElement | null>;
}

/** A form made from a JSON Schema; JSON where a part of the schema is beyond it, or the person prefers it. */
export function Form({ schema, value, onChange, form }: Props): JSX.Element {
  const [isJson, setJson] = useState(kindOf({ type: 'object', ...schema }) !== 'object');
  return (
    <form class="form" {...(form && { ref: form })} onSubmit={(event) => event.preventDefault()}>
      {isJson ? (
        <JsonField
          name=""
          label={t('ability.input-schema')}
          value={value}
          onChange={(next) => onChange((next ?? {}) as JsonObject)}
        />
      ) : (
        <ObjectFields schema={schema} value={value} onChange={onChange} path="" />
      )}
      {kindOf({ type: 'object', ...schema }) === 'object' && (
        <button type="button" class="plain" onClick={() => setJson(!isJson)}>
          {t(isJson ? 'ability.fields' : 'ability.json')}
        </button>
      )}
    </form>
  );
}

type Kind = 'object' | 'array' | 'enum' | 'boolean' | 'number' | 'integer' | 'string' | 'file' | 'json';

/** What a part of a schema is shown as; `json`: it is beyond a form. */
function kindOf(schema: JsonObject): Kind {
  if (schema.format === 'file') return 'file';
  const beyond = ['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'patternProperties'];
  if (beyond.some((name) => name in schema)) return 'json';
  if (Array.isArray(schema.enum)) return 'enum';
  const { type } = schema;
  if (type === 'object') return isJsonObject(schema.properties) ? 'object' : 'json';
  if (type === 'array') return isJsonObject(schema.items) ? 'array' : 'json';
  if (type === 'string' || type === 'boolean' || type === 'number' || type === 'integer') return type;
  return 'json';
}

/** The properties of a schema, each as a field. @param path goes before the names, which are unique in a form. */
export function ObjectFields({ schema, value, onChange, path }: Props & { path: string }): JSX.Element {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const set = (name: string, next: Json | undefined): void => {
    const { [name]: _, ...rest } = value;
    onChange(next === undefined ? rest : { ...rest, [name]: next });
  };
  return (
    <>
      {Object.entries((schema.properties ?? {}) as Record<string, JsonObject>).map(([name, part]) => (
        <Field
          key={name}
          name={`${path}${name}`}
          label={String(part.title ?? name)}
          isNeeded={required.includes(name)}
          schema={part}
          value={value[name]}
          onChange={(next) => set(name, next)}
        />
      ))}
    </>
  );
}

interface FieldProps {
  /** Its place, which is unique in the form. */
  name: string;
  label: string;
  isNeeded?: boolean;
  schema: JsonObject;
  value: Json | undefined;
  onChange(value: Json | undefined): void;
}

function Field(props: FieldProps): JSX.Element {
  const { name, label, isNeeded, schema, value, onChange } = props;
  const kind = kindOf(schema);
  const text = (
    <>
      {label} {isNeeded && <span class="quiet">({t('field.needed')})</span>}{' '}
      {typeof schema.description === 'string' && <span class="quiet">{schema.description}</span>}
    </>
  );
  if (kind === 'object') {
    return (
      <fieldset>
        <legend>{text}</legend>
        <ObjectFields schema={schema} value={isJsonObject(value) ? value : {}} onChange={onChange} path={`${name}.`} />
      </fieldset>
    );
  }
  if (kind === 'array') return <ListField {...props} text={text} />;
  if (kind === 'json') return <JsonField name={name} label={label} value={value} onChange={onChange} />;
  return (
    <label>
      {text}
      {kind === 'file' ? (
        <FileField value={value} name={name} onChange={onChange} />
      ) : (
        <Single kind={kind} schema={schema} value={value} name={name} onChange={onChange} />
      )}
    </label>
  );
}

function ListField({ name, schema, value, onChange, text, label }: FieldProps & { text: JSX.Element }): JSX.Element {
  const items = Array.isArray(value) ? value : [];
  const part = schema.items as JsonObject;
  const set = (next: Json[]): void => onChange(next.length === 0 ? undefined : next);
  return (
    <fieldset>
      <legend>{text}</legend>
      {items.map((item, index) => (
        <div class="item" key={index}>
          <Field
            name={`${name}[${index}]`}
            label={`${label} ${index + 1}`}
            schema={part}
            value={item}
            onChange={(next) => set(items.map((old, at) => (at === index ? (next ?? emptyOf(part)) : old)))}
          />
          <button type="button" onClick={() => set(items.filter((_, at) => at !== index))}>
            {t('form.remove')}
          </button>
        </div>
      ))}
      <button type="button" onClick={() => set([...items, emptyOf(part)])}>
        {t('form.add')}
      </button>
    </fieldset>
  );
}

function emptyOf(schema: JsonObject): Json {
  const kind = kindOf(schema);
  if (kind === 'object') return {};
  if (kind === 'array') return [];
  return kind === 'string' ? '' : null;
}

function Single({ kind, schema, value, name, onChange }: Omit<FieldProps, 'label'> & { kind: Kind }): JSX.Element {
  if (kind === 'enum' || kind === 'boolean') {
    const choices = kind === 'boolean' ? [true, false] : (schema.enum as Json[]);
    const shown = (choice: Json): string =>
      kind === 'boolean'
        ? t(choice ? 'form.yes' : 'form.no')
        : typeof choice === 'string'
          ? choice
          : JSON.stringify(choice);
    return (
      <select
        name={name}
        value={value === undefined ? '' : JSON.stringify(value)}
        onChange={({ currentTarget }) =>
          onChange(
            currentTarget.value === ''
              ? undefined
              : choices.find((choice) => JSON.stringify(choice) === currentTarget.value),
          )
        }
      >
        <option value="">{t('form.unset')}</option>
        {choices.map((choice) => (
          <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
            {shown(choice)}
          </option>
        ))}
      </select>
    );
  }
  const isNumber = kind !== 'string';
  return (
    <input
      name={name}
      {...(isNumber ? { type: 'number', step: kind === 'integer' ? 1 : 'any' } : { type: 'text' })}
      placeholder={schema.default === undefined ? '' : String(schema.default)}
      value={value === undefined || value === null ? '' : String(value)}
      onInput={({ currentTarget: { value: said } }) =>
        onChange(said === '' ? undefined : isNumber ? numberOf(said) : said)
      }
    />
  );
}

/** A number that a double cannot hold stays as it was typed, so that the runtime refuses it. */
function numberOf(text: string): Json {
  return faultOfNumber(text) === undefined ? Number(text) : text;
}

/** JSON as it was typed, or the message why it is none: no number is rounded. */
export function readTyped(text: string): { value: Json | undefined } | { wrong: string } {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: readInput(text, { what: t('form.this') }) };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

function JsonField({
  name,
  label,
  value,
  onChange,
}: Pick<FieldProps, 'name' | 'label' | 'value' | 'onChange'>): JSX.Element {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  const [wrong, setWrong] = useState('');
  // The form is not valid while this is no JSON, so that what was typed before is not sent.
  const take = (field: HTMLTextAreaElement): void => {
    setText(field.value);
    const read = readTyped(field.value);
    const message = 'wrong' in read ? read.wrong : '';
    field.setCustomValidity(message);
    setWrong(message);
    if ('value' in read) onChange(read.value);
  };
  return (
    <label>
      {label} <span class="quiet">JSON</span>
      <textarea
        name={name}
        rows={5}
        value={text}
        aria-invalid={wrong !== ''}
        onInput={({ currentTarget }) => take(currentTarget)}
      />
      {wrong !== '' && <span role="alert">{wrong}</span>}
    </label>
  );
}
