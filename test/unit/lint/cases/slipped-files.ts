import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { lowLevel } from '../../temporary-project.js';

/** A call of the existing operation. */
export const CALL = (id: string) => `{ id: ${id}, call: op.read, with: { id: x } }`;

/** `ability.yaml` with these environments and further lines. */
export function project(environments: string, ...more: string[]): ProjectFiles {
  return { 'ability.yaml': ['format: 1', 'project: linted', `environments: ${environments}`, ...more].join('\n') };
}

/** A blocking hook with this filter. */
export function hook(match: string): ProjectFiles {
  return {
    'registry/hooks/PreAbilityCall.yaml': `hooks: [{ id: guard, blocking: true, match: { ${match} }, handler: { expression: { deny_if: environment.protected } } }]`,
  };
}

/** An operation that runs a script, with these settings. */
export function script(settings: string, more = ''): ProjectFiles {
  const inner = ['path: scripts/any.mjs', settings].filter(Boolean).join(', ');
  return lowLevel('op.two', `implementation: { kind: script, script: { ${inner} }${more} }`);
}

/** An operation that sends a request, with an address in every environment. */
export function request(api: string): ProjectFiles {
  const environment = '{ endpoints: { default: "https://a.test" } }';
  return {
    ...lowLevel('op.http', `implementation: { kind: api, api: ${api} }`),
    'registry/config/c.yaml': `abilities: [{ id: op.http, environments: { dev: ${environment}, staging: ${environment}, prod: ${environment} } }]`,
  };
}

/** An operation that calls a tool. */
export function tool(settings: string): ProjectFiles {
  return {
    ...lowLevel('op.tool', `implementation: { kind: mcp, mcp: { server: db, ${settings} } }`),
    'registry/config/s.yaml': 'mcp_servers: { db: { url: "https://db.test/mcp" } }',
  };
}

/** An environment profile. */
export function profile(settings: string): ProjectFiles {
  return { 'registry/config/p.yaml': `env_profiles: { p: { ${settings} } }` };
}

/** A file of test cases; lines that are not passed are valid. */
export function cases(...lines: string[]): ProjectFiles {
  const has = (key: string): boolean => lines.some((line) => line.startsWith(`${key}:`));
  return {
    'registry/low-level/own.test.yaml': [
      ...(has('ability') ? [] : ['ability: op.read']),
      ...(has('cases') ? [] : ['cases: [{ name: a, input: { id: x } }]']),
      ...lines,
    ].join('\n'),
  };
}
