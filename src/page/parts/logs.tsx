import type { JSX } from 'preact';
import { call } from '../call.js';
import { t } from '../texts/text.js';
import { Problem, Value } from './parts.js';
import { useData } from './use-data.js';

const LOGS_MS = 1500;

/** What the calls of a task have printed, or those of one step; it follows while they run. */
export function Logs({ id, step, isOver }: { id: string; step?: string; isOver: boolean }): JSX.Element {
  const wanted = step === undefined ? { key: id } : { key: id, step };
  const { data, refusal } = useData(
    `logs ${id} ${step} ${isOver}`,
    () => call('readLogs', wanted),
    isOver ? undefined : LOGS_MS,
  );
  if (refusal) return <Problem refusal={refusal} />;
  if (!data) return <p class="quiet">{t('loading')}</p>;
  if (data.length === 0) return <p class="quiet">{t('task.logs.empty')}</p>;
  const text = data.map(
    (line) => `${line.time.slice(11, 19)} ${step === undefined ? `${line.step} ` : ''}${line.text}`,
  );
  return <Value value={text.join('\n')} label={t('task.logs')} />;
}
