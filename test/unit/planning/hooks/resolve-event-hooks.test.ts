import { expect, test } from 'vitest';
import type { SessionPhase } from '../../../../src/contracts/hooks.js';
import { findUnread } from '../../../../src/definitions/find-unread.js';
import { resolveEventHooks } from '../../../../src/planning/hooks/resolve-event-hooks.js';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { registryOf } from '../../temporary-project.js';

const WARN = 'handler: { expression: { warn_if: "true", reason: r } }';
const files = (phase: SessionPhase, ...hooks: string[]): ProjectFiles => ({
  'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {}, prod: {} }\n',
  [`registry/hooks/${phase}.yaml`]: ['hooks:', ...hooks.map((hook) => `  - { ${hook} }`)].join('\n'),
});
const resolve = (
  phase: SessionPhase,
  hooks: string[],
  subject = { environment: 'dev', modules: ['ops'] as string[] },
) => resolveEventHooks(registryOf(files(phase, ...hooks)), phase, subject);

test.each<SessionPhase>(['SessionStart', 'PromptSubmit', 'SessionStop'])(
  'R-002-16, R-002-20: %s has the enabled hooks of its file in order, and marks those that do not block',
  (phase) => {
    const hooks = resolve(phase, [
      `id: last, blocking: true, ${WARN}`,
      `id: off, enabled: false, blocking: true, ${WARN}`,
      `id: aside, ${WARN}`,
    ]);
    expect(hooks.map(({ id, blocking }) => [id, blocking])).toEqual([
      ['last', undefined],
      ['aside', false],
    ]);
  },
);

test('R-000-63: `match` applies to the environment and to the modules of the scope', () => {
  const hooks = [
    `id: everywhere, ${WARN}`,
    `id: in_prod, match: { environments: [prod] }, ${WARN}`,
    `id: in_ops, match: { modules: ["op*"] }, ${WARN}`,
  ];
  const ids = (environment: string, modules: string[]) =>
    resolve('SessionStop', hooks, { environment, modules }).map(({ id }) => id);
  expect(ids('dev', ['ops'])).toEqual(['everywhere', 'in_ops']);
  expect(ids('prod', [])).toEqual(['everywhere', 'in_prod']);
});

test.each(['abilities: ["*"]', 'kinds: [script]', 'effects: [read]', 'tags: [x]', 'callers: [agent]'])(
  'a session is about no ability, so a hook that matches %s is refused and not ignored',
  (match) => {
    const error = errorOf(() => resolve('PromptSubmit', [`id: g, blocking: true, match: { ${match} }, ${WARN}`]));
    expect(error).toMatchObject({ code: 'definition.invalid' });
  },
);

test('nothing can be denied at the end of a session', () => {
  const deny = 'id: g, handler: { expression: { deny_if: "true" } }';
  expect(errorOf(() => resolve('SessionStop', [deny]))).toMatchObject({ code: 'definition.invalid' });
});

test('an unreadable file leaves no session unguarded', () => {
  const broken = { ...files('PromptSubmit'), 'registry/hooks/PromptSubmit.yaml': 'hooks: [{ id: 7' };
  expect(() => resolveEventHooks(registryOf(broken), 'PromptSubmit', { environment: 'dev', modules: [] })).toThrow();
});

test('C-07: lint reports a hook of PromptSubmit that could never run', () => {
  const registry = registryOf(files('PromptSubmit', `id: aside, ${WARN}`, `id: active, blocking: true, ${WARN}`));
  expect(findUnread(registry).map(({ problem }) => problem.message)).toEqual([
    'The hook aside never runs: PromptSubmit runs blocking hooks only',
  ]);
});
