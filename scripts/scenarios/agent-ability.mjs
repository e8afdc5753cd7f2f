import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { scaffold, scaffoldLogGenerate } from './scaffold-abilities.mjs';

/** Source: R-002-65, R-000-97. */
export const agentAbility = {
  name: 'agent-ability',
  ids: ['R-002-65'],
  scope: 'integration',
  what: 'A scaffolded `type: agent` ability runs as a task: its model, a program that sees what a model would, calls one tool and answers.',
  expected: [
    'the model calls `log.generate` and reads its result',
    'its answer is the output of the task',
    '`ability why` has its turns',
  ],
  async run(record) {
    await scaffoldLogGenerate(record);
    record.files({ 'scripts/models/logger.mjs': MODEL });
    const file = join(record.root, 'ability.yaml');
    const project = parseDocument(readFileSync(file, 'utf8'));
    project.setIn(['models', 'logger'], { command: { path: 'scripts/models/logger.mjs' } });
    writeFileSync(file, String(project));
    await scaffold(record, 'agent', {
      id: 'log_keeper',
      type: 'agent',
      summary: 'Writes into the log what it is asked to.',
      instructions: 'Generate one line for what you are asked, and answer with that line.',
      operations: ['log.generate'],
      model: 'logger',
      limits: { max_turns: 4, max_calls: 2 },
    });
    const { task_key, status, output } = await record.json(['run', 'log_keeper', '--set', 'request=the build is done']);
    record.task(task_key);
    record.expect(status === 'succeeded', `${task_key} is ${status}`);
    record.expect(JSON.stringify(output).includes('the build is done'), `it answered ${JSON.stringify(output)}`);
    const why = await record.run(['why', task_key]);
    record.expect(
      why.includes('log.generate') && record.usage().some((line) => line.includes('"log.generate"')),
      'the tool was called',
    );
  },
};

const MODEL = `let text = '';
for await (const part of process.stdin) text += part;
const { messages, tools } = JSON.parse(text);
const request = messages.find(({ role }) => role === 'user').content;
const result = messages.findLast(({ role }) => role === 'tool');
const said = result ? { text: result.content } : { calls: [{ name: tools[0].name, arguments: { message: request } }] };
process.stdout.write(JSON.stringify(said));
`;
