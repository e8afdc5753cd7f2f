import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../contracts/json.js';
import type { AgentTool } from './agent-tools.js';

/** Where a tool keeps the hooks of a project, and which entry puts the guard before each call. */
export interface ToolSettings {
  /** Relative to the project. */
  file: string;
  /** What a new file begins with. */
  empty: string;
  /** Keys that lead to the list of hooks before a call. */
  path: readonly string[];
  command: string;
  /** The entry in that list. */
  entry: Json;
}

/** The variable that names the project to a hook; without one, hooks run in it. */
const PROJECT: Record<AgentTool, string> = {
  claude: '"$CLAUDE_PROJECT_DIR"',
  codex: '.',
  cursor: '.',
  gemini: '"$GEMINI_PROJECT_DIR"',
};

/** The settings of a tool for a project. */
export function settingsOf(tool: AgentTool, root: string): ToolSettings {
  const command = commandFor(tool, root);
  switch (tool) {
    case 'claude': {
      const hook = { type: 'command', command, onFailure: 'block' };
      return {
        file: '.claude/settings.json',
        empty: '{}\n',
        path: ['hooks', 'PreToolUse'],
        command,
        entry: { matcher: '*', hooks: [hook] },
      };
    }
    case 'codex':
      return {
        file: '.codex/hooks.json',
        empty: '{}\n',
        path: ['hooks', 'PreToolUse'],
        command,
        entry: { hooks: [{ type: 'command', command }] },
      };
    case 'cursor':
      return {
        file: '.cursor/hooks.json',
        empty: '{\n  "version": 1\n}\n',
        path: ['hooks', 'preToolUse'],
        command,
        entry: { command, failClosed: true },
      };
    case 'gemini': {
      const hook = { name: 'ability-guard', type: 'command', command };
      return {
        file: '.gemini/settings.json',
        empty: '{}\n',
        path: ['hooks', 'BeforeTool'],
        command,
        entry: { hooks: [hook] },
      };
    }
  }
}

/** What every exported command holds, by which it is found again. */
export function guardWords(tool: AgentTool): string {
  return `ability guard --for ${tool}`;
}

/**
 * The command of the entry. A tool goes on where a hook ends with any code but 2, a command that is not found included; so every
 * other end is made one.
 */
function commandFor(tool: AgentTool, root: string): string {
  const project = PROJECT[tool];
  const isInstalled = existsSync(join(root, 'node_modules/.bin/ability'));
  const folder = isInstalled ? (project === '.' ? './node_modules/.bin/' : `${project}/node_modules/.bin/`) : '';
  return `${folder}${guardWords(tool)} --project ${project} || exit 2`;
}
