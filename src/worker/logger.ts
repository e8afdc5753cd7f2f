import { ApplicationFailure } from '@temporalio/common';
import type { Logger, LogLevel, LogMetadata } from '@temporalio/worker';
import { type Level, pino } from 'pino';
import { attempt } from '../text/attempt.js';

const LEVELS: Record<LogLevel, Level> = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' };
/** The SDK logs whole failures, with details of hundreds of kilobytes. */
const MAX_CHARACTERS = 2000;

/** A task's history and record contain its failure, the log of a call those of all its attempts. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  'Activity failed',
  'Workflow failed',
  // As meant: a worker that holds sessions of tasks.
  'No workflows registered, not polling for workflow tasks',
]);

/** The worker's log, as JSON lines on stderr; `ABILITY_LOG` sets the level. */
export const log = pino({ level: process.env.ABILITY_LOG ?? 'info', base: null }, pino.destination(2));

/** Forwards the SDK's messages, shortened, and without those at each start and end. */
export class WorkerLogger implements Logger {
  log(level: LogLevel, message: string, meta?: LogMetadata): void {
    const name = levelOf(level, message, meta);
    // The SDK logs several messages per call; those below the level are not formatted.
    if (log.isLevelEnabled(name)) log[name](shorten(meta), message);
  }

  trace = (message: string, meta?: LogMetadata): void => this.log('TRACE', message, meta);
  debug = (message: string, meta?: LogMetadata): void => this.log('DEBUG', message, meta);
  info = (message: string, meta?: LogMetadata): void => this.log('INFO', message, meta);
  warn = (message: string, meta?: LogMetadata): void => this.log('WARN', message, meta);
  error = (message: string, meta?: LogMetadata): void => this.log('ERROR', message, meta);
}

/**
 * Drops the SDK's entries below the level, several per call, before it times and sorts them among those of its
 * core. @param logger the SDK's own, which forwards to a {@link WorkerLogger}.
 */
export function dropBelowLevel(logger: Logger): void {
  const keep = logger.log.bind(logger);
  logger.log = (level, message, meta) => {
    if (log.isLevelEnabled(levelOf(level, message, meta))) keep(level, message, meta);
  };
}

function levelOf(level: LogLevel, message: string, meta?: LogMetadata): Level {
  const isShown = SHOWN_ELSEWHERE.has(message) && !mayBeRetried(meta);
  return level === 'INFO' || isShown ? 'debug' : LEVELS[level];
}

/** Whether an activity of our own failed that may be retried: a history keeps at most its last failure. */
function mayBeRetried({ activityType, error }: LogMetadata = {}): boolean {
  const isOwn = String(activityType).includes(':');
  return isOwn && !(error instanceof ApplicationFailure && error.nonRetryable);
}

function shorten(meta: LogMetadata = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(meta).map(([name, value]) => {
      if (value instanceof Error) return [name, `${value.name}: ${value.message}`.slice(0, MAX_CHARACTERS)];
      if (value === null || typeof value !== 'object') return [name, value];
      return [name, safeJson(value).slice(0, MAX_CHARACTERS)];
    }),
  );
}

function safeJson(value: object): string {
  return attempt(
    () => JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? String(item) : item)) ?? '',
    '(not printable)',
  );
}
