import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scaffoldLogGenerate } from './scaffold-abilities.mjs';

const TIMES = 5;

/** Source: R-002-63. */
export const telemetryHook = {
  name: 'telemetry-hook',
  ids: ['R-002-63'],
  scope: 'integration',
  what: 'A scaffolded operation, `log.generate`, runs five times under a hook after all abilities, which counts each call.',
  expected: ['the five calls succeed', 'the hook fires for each of them', 'each has one line of usage'],
  async run(record) {
    await scaffoldLogGenerate(record);
    const handler = { script: { path: 'scripts/telemetry.mjs' } };
    const hook = { id: 'telemetry', summary: 'Counts calls of all abilities.', handler };
    record.files({
      'scripts/telemetry.mjs': [
        "import { appendFileSync, readFileSync } from 'node:fs';",
        "const { ability_id } = JSON.parse(readFileSync(0, 'utf8'));",
        "appendFileSync('.system/telemetry.txt', `${ability_id}\\n`);",
        'console.log(JSON.stringify({ log: `counted ${ability_id}` }));',
        '',
      ].join('\n'),
    });
    await record.run(['scaffold', 'hook', '--phase', 'PostAbilityCall', '--from', '-'], {
      input: JSON.stringify({ hooks: [hook] }),
    });
    const keys = [];
    for (let turn = 1; turn <= TIMES; turn += 1) {
      const { task_key, status, output } = await record.json(['run', 'log.generate', '--set', `message=line ${turn}`]);
      keys.push(record.task(task_key));
      record.expect(
        status === 'succeeded' && output.line.endsWith(`line ${turn}`),
        `call ${turn} succeeded: ${output.line}`,
      );
    }
    const counted = () =>
      readFileSync(join(record.root, '.system/telemetry.txt'), 'utf8')
        .split('\n')
        .filter((line) => line === 'log.generate');
    await record.until(
      'the hook has fired for each call',
      () => record.has('.system/telemetry.txt') && counted().length >= TIMES,
    );
    record.expect(counted().length === TIMES, `the hook fired ${counted().length} times`);
    await record.until('usage has all calls', () => record.usage().length >= TIMES);
    record.expect(
      record.usage().length === TIMES && new Set(keys).size === TIMES,
      `${record.usage().length} lines of usage`,
    );
  },
};
