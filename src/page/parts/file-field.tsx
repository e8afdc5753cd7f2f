import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { isFileValue } from '../../contracts/files.js';
import type { Json } from '../../contracts/json.js';
import { formatBytes } from '../../text/byte-size.js';
import { keepFile } from '../call.js';
import { t } from '../texts/text.js';

interface Props {
  name: string;
  value: Json | undefined;
  onChange(value: Json | undefined): void;
}

/** A file of this computer, which is sent as soon as it is chosen; the form is not valid until the store has it. */
export function FileField({ name, value, onChange }: Props): JSX.Element {
  const [said, setSaid] = useState('');
  // Other fields may change while the file is on its way.
  const latest = useRef(onChange);
  latest.current = onChange;
  const turn = useRef(0);
  const take = async (field: HTMLInputElement): Promise<void> => {
    turn.current += 1;
    const own = turn.current;
    const say = (text: string): void => {
      field.setCustomValidity(text);
      setSaid(text);
    };
    const [file] = field.files ?? [];
    latest.current(undefined);
    say(file ? t('form.file.sending', { name: file.name }) : '');
    if (!file) return;
    try {
      const kept = await keepFile(file);
      if (own !== turn.current) return;
      say('');
      latest.current(kept);
    } catch (error) {
      if (own === turn.current) say((error as Error).message);
    }
  };
  return (
    <>
      <input name={name} type="file" onChange={({ currentTarget }) => void take(currentTarget)} />
      {isFileValue(value) && (
        <span>
          {value.name}, {formatBytes(value.bytes)}
        </span>
      )}
      {said !== '' && <span role="alert">{said}</span>}
    </>
  );
}
