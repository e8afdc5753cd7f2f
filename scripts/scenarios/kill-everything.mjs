import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, markOf } from '../../build/server/processes/processes.js';
import { scaffold, scriptOf } from './scaffold-abilities.mjs';

/** Source: R-002-65; issue 15, item 5. */
export const killEverything = {
  name: 'kill-everything',
  ids: ['R-002-65'],
  scope: 'integration',
  what: 'In the middle of a task, runtime, worker and server are killed with SIGKILL; the task ends after they are started again.',
  expected: ['all processes are gone', 'the task ends well', 'what was done before is not done again'],
  async run(record) {
    record.files({ 'scripts/note-step.mjs': NOTE });
    const input_schema = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, waits: { type: 'boolean' } },
    };
    const implementation = scriptOf('scripts/note-step.mjs');
    await scaffold(record, 'low-level', {
      operation_key: 'step.note',
      summary: 'Note a step, once its gate is open.',
      effects: 'write_idempotent',
      input_schema,
      implementation,
    });
    const step = (name, waits = false) => ({ id: name, call: 'step.note', with: { name, waits } });
    await scaffold(record, 'high-level', {
      id: 'three_steps',
      type: 'workflow',
      summary: 'Take three steps, one after the other.',
      steps: [step('first'), step('second', true), step('third')],
    });
    const key = record.task('acceptance-kill');
    await record.run(['run', 'three_steps', '--key', key, '--detach']);
    await record.until('the second step has begun', () => notes(record).includes('begin second'));
    const { pid, server } = JSON.parse(readFileSync(join(record.root, '.system/runtime.json'), 'utf8'));
    const marks = [markOf(pid), markOf(server.pid)];
    for (const { pid: killed } of marks) process.kill(killed, 'SIGKILL');
    await record.until('they are gone', () => !marks.some(isAlive));
    record.expect(!marks.some(isAlive), 'runtime with its worker, and server, are gone');
    record.files({ '.system/gate': '' });
    const { status } = await record.json(['task', 'watch', key, '--timeout', '4m']);
    record.expect(status === 'succeeded', `${key} is ${status}`);
    const begun = (name) => notes(record).filter((line) => line === `begin ${name}`).length;
    const often = ['first', 'second', 'third'].map(begun);
    record.expect(often[0] === 1 && often[1] >= 1 && often[2] === 1, `the steps began ${often.join(', ')} times`);
    await record.run(['why', key]);
  },
};

function notes(record) {
  return record.has('.system/notes.txt')
    ? readFileSync(join(record.root, '.system/notes.txt'), 'utf8').split('\n')
    : [];
}

const NOTE = `import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
const [input, output] = process.argv.slice(2);
const { name, waits } = JSON.parse(readFileSync(input, 'utf8'));
appendFileSync('.system/notes.txt', 'begin ' + name + '\\n');
while (waits && !existsSync('.system/gate')) await new Promise((resolve) => setTimeout(resolve, 100));
writeFileSync(output, JSON.stringify({ noted: name }));
`;
