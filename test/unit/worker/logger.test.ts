import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { dropBelowLevel } from '../../../src/worker/logger.js';

test.each<[string, string, Error, boolean]>([
  ['a call, whose own log has it', 'db.write', new Error('lost'), false],
  ['an activity of ours that is not retried', 'ability:purge', ApplicationFailure.nonRetryable('no'), false],
  ['an activity of ours that may be retried', 'ability:purge', new Error('lost'), true],
])('a failed attempt of %s: whether it is logged (%#)', (_, activityType, error, isLogged) => {
  const kept: LogEntry[] = [];
  const logger = new DefaultLogger('TRACE', (entry) => kept.push(entry));
  dropBelowLevel(logger);
  logger.warn('Activity failed', { activityType, error });
  expect(kept).toHaveLength(isLogged ? 1 : 0);
});

test('messages of the SDK below the level do not reach its buffer, and those above it do', () => {
  const kept: LogEntry[] = [];
  const logger = new DefaultLogger('TRACE', (entry) => kept.push(entry));
  dropBelowLevel(logger);
  logger.trace('Starting activity');
  logger.debug('Workflow started');
  logger.info('Worker state changed');
  logger.warn('Activity failed');
  expect(kept).toEqual([]);
  logger.warn('Failed to encode', { n: 1 });
  logger.error('Worker failed');
  logger.log('WARN', 'Odd');
  expect(kept.map(({ level, message, meta }) => [level, message, meta])).toEqual([
    ['WARN', 'Failed to encode', { n: 1 }],
    ['ERROR', 'Worker failed', undefined],
    ['WARN', 'Odd', undefined],
  ]);
});
