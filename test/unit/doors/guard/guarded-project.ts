import { onTestFinished } from 'vitest';
import type { AgentTool } from '../../../../src/doors/guard/agent-tools.js';
import type { Printed } from '../../../../src/doors/guard/print-answer.js';
import { runGuard } from '../../../../src/doors/guard/run-guard.js';
import type { ProjectFolder } from '../../../fixtures/project-folder.js';
import { lowLevel, temporaryProject } from '../../temporary-project.js';

/** A project with one ability of each kind, guards, and unrelated files. */
export const FILES = {
  ...lowLevel(
    'report.make',
    'effects: write_additive',
    'input_schema: { type: object, properties: { count: { type: integer, default: 3 } } }',
    'implementation: { kind: script, script: { path: ops/tools/make-report.py } }',
  ),
  ...lowLevel('site.deploy', 'effects: destructive', 'implementation: { kind: script, script: { path: deploy.sh } }'),
  ...lowLevel(
    'bill.charge',
    'effects: write_additive',
    'implementation: { kind: api, api: { service: billing, endpoint: main, method: POST, path: /charges } }',
  ),
  ...lowLevel(
    'logs.search',
    'input_schema: { type: object, properties: { text: { type: string }, limit: { type: integer, default: 10 } } }',
    'implementation: { kind: mcp, mcp: { server: log-server, tool: search } }',
  ),
  'registry/config/services.yaml': [
    'services:',
    '  billing:',
    '    endpoints: { main: "https://api.billing.test/v1" }',
    '    environments: { dev: { endpoints: { main: "http://127.0.0.1:4010/v1" } } }',
    'mcp_servers:',
    '  log-server: { command: node, args: [servers/logs.mjs] }',
  ].join('\n'),
  'registry/hooks/PreAbilityCall.yaml': [
    'hooks:',
    '  - id: no_secrets',
    '    blocking: true',
    '    match: { abilities: ["logs.*"] }',
    "    handler: { expression: { deny_if: \"input.?text.orValue('').contains('password')\", reason: No passwords., suggestion: Search for something else. } }",
    '  - id: few',
    '    blocking: true',
    '    match: { abilities: ["logs.*"] }',
    '    handler: { expression: { confirm_if: "input.limit > 100", reason: That is much. } }',
  ].join('\n'),
  'registry/low-level/scaffolded.yaml':
    'operation_key: draft.two\nsummary: Say here what draft.two is for.\neffects: read\n',
  'registry/hooks/PostAbilityCall.yaml': '# TODO in staging, too; Say here what it is for.\nhooks: []\n',
  'registry/config/hooks_impl.yaml': '# TODO\nhooks: []\n',
  'registry/low-level/draft.yaml': 'operation_key: draft.one\nsummary: TODO say what it does\neffects: read\n',
  'ops/tools/make-report.py': 'print(1)\n',
  'ops/tools/other.py': 'print(2)\n',
  'deploy.sh': 'echo deployed\n',
  'servers/logs.mjs': '// a server\n',
  'src/app.ts': 'export {};\n',
} as const;

/** A project, with the answers of the guard to the events of a tool. */
export interface GuardedProject {
  project: ProjectFolder;
  ask(event: object | string, tool?: AgentTool, env?: NodeJS.ProcessEnv): Promise<Printed>;
  /** The answer to a text that Claude Code would run in its shell. */
  shell(command: string, cwd?: string): Promise<Printed>;
}

/** A temporary project with {@link FILES} and these changes. */
export function guardedProject(changes: Record<string, string> = {}, keep = false): GuardedProject {
  const project = temporaryProject({ ...FILES, ...changes });
  if (!keep) onTestFinished(() => project.remove());
  const ask: GuardedProject['ask'] = (event, tool = 'claude', env = { HOME: '/home/nobody' }) => {
    const text = typeof event === 'string' ? event : JSON.stringify(event);
    return runGuard({ tool, root: project.root, environment: undefined, env, text });
  };
  const shell: GuardedProject['shell'] = (command, cwd = project.root) => ask(claudeCall('Bash', { command }, cwd));
  return { project, ask, shell };
}

/** The event of Claude Code before a call. */
export function claudeCall(tool_name: string, tool_input: object, cwd: string): object {
  const common = { session_id: 's', transcript_path: '/t', permission_mode: 'default', tool_use_id: 'u' };
  return { ...common, cwd, hook_event_name: 'PreToolUse', tool_name, tool_input };
}
