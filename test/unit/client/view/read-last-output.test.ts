import { expect, test } from 'vitest';
import { readLastOutput } from '../../../../src/client/view/read-call-logs.js';
import { pathsOf } from '../../../../src/server/project-paths.js';
import { temporaryProject } from '../../temporary-project.js';

const line = (attempt: number, stream: string, text: string) => `${JSON.stringify({ attempt, stream, text })}\n`;

test('the last words of an attempt are its last line on stderr, else its last line on stdout', () => {
  const project = temporaryProject({
    '.system/implement/t/logs/a/b.jsonl': [
      line(1, 'stderr', 'first'),
      line(1, 'stderr', 'last'),
      line(1, 'stderr', '  '),
      line(1, 'stdout', 'chatter'),
      line(2, 'stdout', 'only this '),
    ].join(''),
    '.system/implement/t/logs/broken.jsonl': '{"attempt": 1',
  });
  const session = { paths: pathsOf(project.root) };
  expect([...readLastOutput(session, 't', 'a/b')]).toEqual([
    [1, 'last'],
    [2, 'only this'],
  ]);
  expect(readLastOutput(session, 't', 'broken').size).toBe(0);
  expect(readLastOutput(session, 't', 'nothing').size).toBe(0);
});
