import { expect, test } from 'vitest';
import { makesFiles } from '../../../../src/rules/calls/files-in.js';
import { toolName } from '../../../../src/rules/calls/tools-used.js';

const script = { kind: 'script' };
const api = (as?: string) => ({ kind: 'api', api: { ...(as !== undefined && { response: { as } }) } });

test.each([
  [{ implementation: script, output_files: {} }, true],
  [{ implementation: script }, false],
  [{ implementation: api() }, false],
  [{ implementation: api('json') }, false],
  [{ implementation: api('file') }, true],
  [{ implementation: { ...api('file'), kind: 'script' } }, false],
  [undefined, false],
])('the operation %j makes files: %s', (operation, is) => {
  expect(makesFiles(operation as never)).toBe(is);
});

test.each([
  [script, 'shell:a.op'],
  [api(), 'http:a.op'],
  [{ kind: 'mcp', mcp: { tool: 'query', server: { name: 'logs' } } }, 'logs:query'],
  [{ kind: 'model' }, 'a.op'],
])('the tool of the implementation %j is %s', (implementation, name) => {
  expect(toolName({ key: 'a.op', implementation: implementation as never })).toBe(name);
});
