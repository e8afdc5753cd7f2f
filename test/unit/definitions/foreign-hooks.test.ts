import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { PlanHook } from '../../../src/contracts/plan.js';
import { errorOf } from '../error-of.js';
import { lowLevel, registryOf, resolved, SCRIPT, SCRIPT_FILE } from '../temporary-project.js';

const HANDLER = 'handler: { script: { path: guards/g.sh }, format: claude-code }';
const AS = 'as: [{ match: { abilities: [op] }, tool_name: Bash, tool_input: { command: "${{ input.command }}" } }]';
const MUST = 'must_deny: [{ ability: op, input: { command: rm -rf / } }]';
const FILES = {
  ...SCRIPT_FILE,
  ...lowLevel('op', SCRIPT),
  ...lowLevel('other', SCRIPT),
  'guards/g.sh': '#!/bin/sh\n',
  'guards/lib/words.txt': 'rm\n',
};
const hook = (...parts: string[]) => `hooks: [{ id: g, blocking: true, match: {}, ${parts.join(', ')} }]\n`;
const at = (phase: string, text: string) => ({ ...FILES, [`registry/hooks/${phase}.yaml`]: text });
const guards = (text: string, ability = 'op', environment = 'dev'): PlanHook[] =>
  resolved(at('PreAbilityCall', text), ability, environment).plan.operations[ability]?.hooks.pre_call ?? [];

describe('a guard written for Claude Code (answer 38)', () => {
  test('a plan has the mapping of its ability, and the calls that the guard must deny, as the guard will see them', () => {
    const [planned] = guards(hook(HANDLER, AS, MUST));
    expect(planned?.handler).toMatchObject({
      kind: 'script',
      foreign: {
        format: 'claude-code',
        shown: { tool_name: 'Bash', tool_input: { command: '${{ input.command }}' } },
        must_deny: [{ ability: 'op', tool_name: 'Bash', tool_input: { command: 'rm -rf /' } }],
        silence: 'allow',
      },
    });
  });

  test('a call that it must deny is shown with defaults, like a real call, so that it cannot distinguish them', () => {
    const input =
      '{ type: object, properties: { command: { type: string }, timeout: { type: integer, default: 7 }, description: { type: string } } }';
    const whole = 'as: [{ match: { abilities: [op] }, tool_name: Bash, tool_input: "${{ input }}" }]';
    const text = hook(HANDLER, whole, MUST);
    const op = lowLevel(
      'op',
      `input_schema: ${input}`,
      SCRIPT.replace(' }', ' }, defaults: { command: ls, description: d }'),
    );
    const files = { ...at('PreAbilityCall', text), ...op };
    const [planned] = resolved(files, 'op', 'dev').plan.operations.op?.hooks.pre_call ?? [];
    const seen = { command: 'rm -rf /', timeout: 7, description: 'd' };
    expect(planned?.handler).toMatchObject({ foreign: { must_deny: [{ input: seen, tool_input: seen }] } });
  });

  test('it does not cover an ability that `as` does not map', () => {
    expect(guards(hook(HANDLER, AS, MUST), 'other')).toEqual([]);
  });

  test('the folder of its plugin is pinned with it', () => {
    const script = 'handler: { script: { path: guards/g.sh, plugin_root: guards }, format: claude-code }';
    const [planned] = guards(hook(script, AS, MUST));
    expect(planned?.handler).toMatchObject({
      foreign: { plugin_root: 'guards' },
      script: { files: expect.arrayContaining([expect.objectContaining({ path: 'guards/lib/words.txt' })]) },
    });
  });

  test('`abstain: allow` needs no must_deny, and `abstain: deny` wins over it', () => {
    const [silent] = guards(hook(HANDLER, AS, 'abstain: allow'));
    expect(silent?.handler).toMatchObject({ foreign: { silence: 'allow' } });
    const [strict] = guards(hook(HANDLER, AS, MUST, 'abstain: deny'));
    expect(strict?.handler).toMatchObject({ foreign: { silence: 'deny' } });
  });

  test.each([
    ['no `as`', hook(HANDLER, MUST), /as which tool/],
    ['neither must_deny nor abstain', hook(HANDLER, AS), /must deny/],
    ['`as` without a format', hook('handler: { script: { path: guards/g.sh } }', AS), /`as`.*format/],
    [
      '`must_deny` beside an ability',
      hook('handler: { ability: op, format: claude-code }', AS, MUST),
      /ability.*must_deny/,
    ],
    [
      'an ability that does not say what its silence means',
      hook('handler: { ability: op, format: claude-code }', AS),
      /silence/,
    ],
    ['`must_deny` beside an expression', hook('handler: { expression: { deny_if: "true" } }', MUST), /`must_deny`/],
    ['`plugin_root` without a format', hook('handler: { script: { path: g, plugin_root: x } }'), /`plugin_root`/],
    ['another format', hook('handler: { script: { path: g }, format: claude }', AS, MUST), /claude-code/],
    ['an event of another phase', hook(HANDLER.replace(' }', ' }, event: Stop'), AS, MUST), /Stop.*PreAbilityCall/],
    ['a tool that there is not', hook(HANDLER, AS.replace('Bash', 'bash'), MUST), /no tool is called bash/],
    ['a key that the tool lacks', hook(HANDLER, AS.replace('{ command:', '{ cmd:'), MUST), /Bash needs command/],
    ['an unknown key', hook(HANDLER, AS.replace('tool_name', 'tool'), MUST), /tool/],
  ])('%s is refused, and so is every ability', (_, text, message) => {
    const registry = registryOf(at('PreAbilityCall', text));
    expect(registry.problems[0]).toMatchObject({ code: 'definition.invalid', message: expect.stringMatching(message) });
    expect(errorOf(() => guards(text, 'other'))).toMatchObject({ code: 'definition.invalid' });
  });

  test.each([
    ['an ability that there is not', MUST.replace('op', 'opp'), 'definition.unknown_reference'],
    ['an ability that `as` does not show', MUST.replace('op', 'other'), 'definition.invalid'],
    ['an input that the mapping cannot read', MUST.replace('command', 'cmd'), 'expression.failed'],
  ])('must_deny of %s is refused', (_, must, code) => {
    expect(errorOf(() => guards(hook(HANDLER, AS, must)))).toMatchObject({ code });
  });

  test('a filter that keeps the call from the guard is refused', () => {
    const filtered = AS.replace('} }]', `}, if: 'tool_input.command.startsWith("git")' }]`);
    expect(errorOf(() => guards(hook(HANDLER, filtered, MUST)))).toMatchObject({
      code: 'definition.invalid',
      location: { file: 'registry/hooks/PreAbilityCall.yaml' },
    });
  });

  test.each([
    ['PreAbilityCreate', hook(HANDLER, AS, MUST), /not known yet/],
    ['PostAbilityCall', hook(HANDLER, AS, MUST), /decides nothing/],
    ['PostAbilityCall', hook(HANDLER, AS, 'abstain: allow'), /decides nothing/],
  ])('in %s it is refused: %s', (phase, text, message) => {
    expect(registryOf(at(phase, text)).problems[0]).toMatchObject({ message: expect.stringMatching(message) });
  });
});

test('the example of docs/hooks.md is planned as described', () => {
  const page = readFileSync(new URL('../../../docs/hooks.md', import.meta.url), 'utf8');
  const [, text = ''] = /<!-- claude-code -->\n```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const files = { ...lowLevel('tools.bash', SCRIPT), ...SCRIPT_FILE, '.claude/hooks/block.sh': '#!/bin/sh\n' };
  const { plan } = resolved({ ...files, 'registry/hooks/PreAbilityCall.yaml': text }, 'tools.bash');
  expect(plan.operations['tools.bash']?.hooks.pre_call).toMatchObject([
    { id: 'block', handler: { foreign: { silence: 'allow', must_deny: [{ tool_input: { command: 'rm -rf /' } }] } } },
  ]);
});
