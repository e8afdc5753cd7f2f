import { spawnSync } from 'node:child_process';
import type { CheckResult } from '../../contracts/check.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { AGENT_TOOLS, type AgentTool } from './agent-tools.js';
import { exportedCommand } from './export-guard.js';
import type { BypassLevel } from './guard-index.js';

/** A tool would have given up long before. */
const LIMIT_MS = 30_000;

/** Fires each exported guard. @param decisions of `policy.bypass`: unless `deny`, the call must pass. */
export function checkExports(root: string, env: NodeJS.ProcessEnv, decisions: BypassLevel): CheckResult[] {
  return AGENT_TOOLS.flatMap((tool): CheckResult[] => {
    try {
      const command = exportedCommand(tool, root);
      return command === undefined ? [] : [fire(tool, command, root, env, decisions === 'deny')];
    } catch (error) {
      const advice = error instanceof AbilityError ? error.suggestion : undefined;
      return [{ name: 'guard', status: 'failed', message: reasonOf(error), ...(advice !== undefined && { advice }) }];
    }
  });
}

function fire(tool: AgentTool, command: string, root: string, env: NodeJS.ProcessEnv, isStopped: boolean): CheckResult {
  const input = JSON.stringify(eventOf(tool, root, isStopped ? 'ability approve doctor' : 'true'));
  const own = { ...env, CLAUDE_PROJECT_DIR: root, GEMINI_PROJECT_DIR: root };
  const ended = spawnSync(command, { cwd: root, env: own, input, shell: true, timeout: LIMIT_MS, encoding: 'utf8' });
  const isRight = isStopped ? ended.status === 2 && ended.stderr.includes('is for people') : ended.status === 0;
  if (isRight) return { name: 'guard', status: 'ok', message: `the guard in the settings of ${tool} answers` };
  const said = (ended.stderr || ended.stdout || ended.error?.message || '').trim().split('\n')[0] ?? '';
  const how = ended.signal ? `was ended by ${ended.signal}` : `ended with exit code ${ended.status}`;
  return {
    name: 'guard',
    status: 'failed',
    message: `the guard in the settings of ${tool} does not answer as it must: \`${command}\` ${how}${said && `: ${said}`}`,
    advice: `Run \`ability hooks export --to ${tool}\` again, and see that the command is found.`,
  };
}

function eventOf(tool: AgentTool, root: string, command: string): object {
  const session = { session_id: 'doctor', transcript_path: null, cwd: root };
  const event = { ...session, tool_input: { command }, tool_use_id: 'doctor' };
  if (tool === 'gemini')
    return { ...event, hook_event_name: 'BeforeTool', tool_name: 'run_shell_command', timestamp: '' };
  if (tool === 'cursor')
    return { ...event, hook_event_name: 'preToolUse', tool_name: 'Shell', workspace_roots: [root] };
  return { ...event, hook_event_name: 'PreToolUse', tool_name: 'Bash', permission_mode: 'default' };
}
