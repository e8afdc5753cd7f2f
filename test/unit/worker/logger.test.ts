import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { dropBelowLevel } from '../../../src/worker/logger.js';

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
