import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Json } from '../../contracts/json.js';
import type { StepSummary } from '../../contracts/task.js';
import type { Refusal } from '../call.js';
import { now } from '../state.js';
import { duration, t } from '../texts/text.js';

/** A moment as its distance from now; the moment itself on hover. */
export function Ago({ at }: { at: string | null | undefined }): JSX.Element | null {
  if (!at) return null;
  const distance = Date.parse(at) - now.value;
  const time = duration(Math.abs(distance));
  const text = Math.abs(distance) < 1000 ? t('when.now') : t(distance > 0 ? 'when.in' : 'when.ago', { time });
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {text}
    </time>
  );
}

/** A state, in the words of the terminal. */
export function State({ state }: { state: string }): JSX.Element {
  return <span class={`state state-${state}`}>{state.replaceAll('_', ' ')}</span>;
}

/** What an effect means is in its name; how bad it may be is in its look. */
export function Effects({ effects }: { effects: string | null }): JSX.Element {
  return <span class={`effects effects-${effects}`}>{effects ?? '?'}</span>;
}

/** A value as text, never as markup. */
export function Value({ value, label }: { value: Json | undefined; label: string }): JSX.Element {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    // What scrolls can be reached by the keyboard.
    <pre class="value" tabIndex={0} role="group" aria-label={label}>
      {text ?? ''}
    </pre>
  );
}

export function Problem({ refusal }: { refusal: Pick<Refusal, 'code' | 'message'> & { suggestion?: string | null } }) {
  return (
    <div class="problem" role="alert">
      <strong>{refusal.code}</strong> {refusal.message}
      {refusal.suggestion && <p>{refusal.suggestion}</p>}
    </div>
  );
}

/** Pairs of a name and what it is; empty ones are left out. */
export function Facts({ facts }: { facts: [string, ComponentChildren][] }): JSX.Element {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

export function Section({
  title,
  children,
  open = true,
}: {
  title: string;
  children: ComponentChildren;
  open?: boolean;
}) {
  return (
    <details class="section" open={open}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  );
}

/** Asks before something ends; Escape says no. */
export function Dialog({ title, onClose, children }: { title: string; onClose(): void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          {t('close')}
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** A table whose rows open something: j and k move between them. */
export function Table({ head, children }: { head: string[]; children: ComponentChildren }): JSX.Element {
  return (
    <div class="wide" tabIndex={0} role="group" aria-label={head[0] ?? ''}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** Such as `12/20`: a loop is one line, not one for each item. */
export function progressOf({ items }: Pick<StepSummary, 'items'>): string | null {
  if (!items) return null;
  const { total, succeeded, failed = 0, skipped = 0 } = items as typeof items & { failed?: number; skipped?: number };
  return t('task.items', { done: succeeded + failed + skipped, total });
}
