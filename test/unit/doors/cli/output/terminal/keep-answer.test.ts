import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { keepAnswer } from '../../../../../../src/doors/cli/output/terminal/keep-answer.js';

test.each([new Error('Channel has been shut down'), 'a rejection that is no error'])(
  'what fails after the answer is reported, and leaves its exit code: %s',
  (fault) => {
    const around = Object.assign(new EventEmitter(), { exitCode: undefined as number | undefined });
    const terminal = { note: vi.fn(), leave: vi.fn() };
    keepAnswer(6, around as never, terminal);
    expect(around.exitCode).toBe(6);
    around.emit('uncaughtException', fault);
    expect(terminal.leave).toHaveBeenCalledExactlyOnceWith(6);
    const message = fault instanceof Error ? fault.message : fault;
    expect(terminal.note).toHaveBeenCalledExactlyOnceWith(`warning The command had ended when this failed: ${message}`);
  },
);
