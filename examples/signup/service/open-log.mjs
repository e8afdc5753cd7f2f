/** The log of the service: a file with one JSON object a line, which the log server searches. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Begins a log file anew.
 *
 * @param {string} file
 * @returns {(service: string, severity: 'info' | 'warning' | 'error', message: string, fields?: object) => void}
 * writes a line before it returns, so that a caller with an answer finds its trace in the log.
 */
export function openLog(file) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  return (service, severity, message, fields = {}) => {
    const entry = { time: new Date().toISOString(), service, severity, message, ...fields };
    appendFileSync(file, `${JSON.stringify(entry)}\n`);
  };
}
