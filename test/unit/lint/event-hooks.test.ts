import { expect, test } from 'vitest';
import { checkEventHooks } from '../../../src/lint/checks/hooks.js';
import { registryOf } from '../temporary-project.js';

const hooks = (...list: string[]) => ({ 'registry/hooks/PromptSubmit.yaml': `hooks: [${list.join(', ')}]` });
const WARN = 'blocking: true, handler: { expression: { warn_if: "true" } }';

test('each session hook that could not be evaluated is an error, before a session starts', () => {
  const registry = registryOf(
    hooks(
      `{ id: a, match: { callers: [agent] }, ${WARN} }`,
      `{ id: b, match: { effects: [read] }, ${WARN} }`,
      `{ id: fine, match: { environments: [dev] }, ${WARN} }`,
      `{ id: off, enabled: false, match: { tags: [x] }, ${WARN} }`,
    ),
  );
  const found = [...checkEventHooks({ registry } as Parameters<typeof checkEventHooks>[0])];
  expect(found.map(({ code, message, location }) => [code, message.split(',')[0], location.line])).toEqual([
    ['definition.invalid', 'The hook a matches callers', 1],
    ['definition.invalid', 'The hook b matches effects', 1],
  ]);
});
