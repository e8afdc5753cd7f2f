import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SOURCES = fileURLToPath(new URL('../../../src', import.meta.url));
const KINDS = readdirSync(`${SOURCES}/kinds`, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

const HANDLER = 'a handler of hooks, which has a kind of its own';
const TOOLS = 'tools of MCP servers';
const SCRIPTS = 'files of scripts';

/** Files that are about one kind. A new kind changes none of them. */
const ABOUT_ONE_KIND: Record<string, string> = {
  'activities/call/trace-call.ts': 'a request to a model has a span of another form',
  'authoring/harvest/plan-promotion.ts': SCRIPTS,
  'authoring/routing-documents/listed-abilities.ts': SCRIPTS,
  'authoring/scaffold/plan-scripts.ts': SCRIPTS,
  'choosing/read-abilities.ts': TOOLS,
  'client/explain/build-story.ts': 'only MCP has versions of its protocol',
  'doors/cli/commands/harvest/promote.ts': SCRIPTS,
  'doors/cli/commands/import/hooks.ts': `${HANDLER}; ${TOOLS}`,
  'lint/checks/plans.ts': 'environments in which a script is planned alike',
  'lint/checks/script-reach.ts': SCRIPTS,
  'lint/checks/unevaluated-texts.ts': 'arguments of scripts',
  'lint/types/implementations.ts': 'forms in which scripts write their output',
  'operations/calls-seen.ts': SCRIPTS,
  'operations/harvest.ts': 'turns of an agent, which are no calls of abilities',
  'planning/hooks/foreign-guards.ts': HANDLER,
  'planning/preview/preview-call.ts': 'the command line of a script',
  'planning/resolve/check-parameters.ts': 'inputs that a request names',
  'planning/resolve/resolve-output.ts': 'files that a script leaves, and that an HTTP call cannot',
  'planning/route-targets.ts': TOOLS,
  'planning/secrets/written-references.ts': 'variables of scripts',
  'planning/steps/check-step-texts.ts': 'arguments of scripts',
  'planning/steps/named-codes.ts': 'exit codes of scripts',
  'server/logs/harvest-file.ts': 'a kind of finding',
  'testing/case-calls.ts': 'an endpoint of a model, which no case asks',
  'testing/plan-names.ts': HANDLER,
};

const names = KINDS.join('|');
const COMPARISON = new RegExp(`\\bkind [!=]== '(${names})'|\\bcase '(${names})':`);

test('a file outside `kinds` compares the name of a kind only if it is about that kind', () => {
  expect(KINDS).toEqual(['api', 'mcp', 'model', 'script']);
  const comparing = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('kinds/'))
    .filter((file) => COMPARISON.test(readFileSync(`${SOURCES}/${file}`, 'utf8')));
  expect(comparing.sort()).toEqual(Object.keys(ABOUT_ONE_KIND).sort());
});
