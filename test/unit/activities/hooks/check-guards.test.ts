import { afterAll, expect, test } from 'vitest';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { renderGuardCheck } from '../../../../src/doors/cli/output/findings/render-findings.js';
import { proveGuardsHere } from '../../../../src/worker/prove-guards.js';
import { makeProject, operation, projectFile } from '../../../fixtures/project-folder.js';

const guard = (id: string, commands: string[], ability = 'ops.run') => `
  - id: ${id}
    match: {}
    blocking: true
    handler: { script: { path: guards/no-rm.cjs }, format: claude-code }
    as: [{ match: { abilities: [ops.run] }, tool_name: Bash, tool_input: { command: "\${{ input.command }}" } }]
    must_deny: [${commands.map((command) => `{ ability: ${ability}, input: { command: ${command} } }`).join(', ')}]`;
const folders: { remove: () => void }[] = [];
const checked = (...guards: string[]) => {
  const folder = makeProject({
    'ability.yaml': projectFile('{ dev: {}, test: {} }'),
    ...operation('ops.run', 'return input;', { effects: 'write_idempotent' }),
    'guards/no-rm.cjs': `process.exitCode = /"rm /.test(require('node:fs').readFileSync(0, 'utf8')) ? 2 : 0;`,
    'registry/hooks/PreAbilityCall.yaml': guards.length === 0 ? 'hooks: []\n' : `hooks:${guards.join('')}\n`,
  });
  folders.push(folder);
  return proveGuardsHere(loadRegistry(folder.root), process.env, new AbortController().signal);
};
afterAll(() => {
  for (const folder of folders) folder.remove();
});

test('R-002-23: lint reports how many guards were fired in all environments, and with what outcome', async () => {
  const both = await checked(guard('one', ['rm a']), guard('two', ['rm a', 'ls']));
  expect(renderGuardCheck(both)).toBe('Fired 2 guards: 4 of 6 calls denied');
  expect(both.findings.map(({ message }) => message.replace(/ \(.*/, ''))).toEqual([
    'In dev the hook two fails: it does not deny what it must deny',
    'In test the hook two fails: it does not deny what it must deny',
  ]);
});

test('guards that cannot be fired are named but not counted', async () => {
  const one = await checked(guard('one', ['rm a']), guard('wrong', ['rm a'], 'ops.rum'));
  expect(renderGuardCheck(one)).toBe(
    'Fired 1 guard: 2 of 2 calls denied; cannot be fired before they are corrected: wrong',
  );
  expect(renderGuardCheck(await checked(guard('wrong', ['rm a'], 'ops.rum')))).toBe(
    'No guard was fired; cannot be fired before they are corrected: wrong',
  );
  expect(renderGuardCheck(await checked())).toBe('No guard has `must_deny`, so none was fired');
});
