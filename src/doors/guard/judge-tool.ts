import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../../contracts/json.js';
import { type Finding, roundAbility } from './finding.js';
import { type FormOfCall, filesNamedIn, mayWrite } from './forms-of-call.js';
import type { Registered } from './judge-argv.js';
import { judgeShell } from './judge-shell.js';
import { findDecisionInText } from './own-commands.js';
import type { AgentCall } from './read-event.js';
import { type FoundTool, registeredTool } from './registered-tools.js';

/**
 * Finds bypasses of the runtime in a call of an agent's tool. Source: docs/hooks.md#guarding-the-calls-of-agent-tools.
 */
export function judgeTool(
  call: AgentCall,
  forms: readonly FormOfCall[],
  cwd: string,
  registered: Registered,
): Finding[] {
  const { root, index } = registered.places;
  const tool = registeredTool(call, index.tools, root);
  const findings = tool ? [roundMcpTool(call.name, tool)] : [];
  return [...findings, ...forms.flatMap((form) => judgeForm(call, form, cwd, registered))];
}

function judgeForm(
  call: AgentCall,
  { tool_name, tool_input }: FormOfCall,
  cwd: string,
  registered: Registered,
): Finding[] {
  if (tool_name === 'Bash') {
    const { command, workdir, dir_path: folder, cwd: own } = tool_input;
    const at = [workdir, folder, own].find((value): value is string => typeof value === 'string');
    return judgeShell(String(command), at === undefined ? cwd : resolve(cwd, at), registered);
  }
  const found: (Finding | undefined)[] = [];
  const writes = /^(Write|Edit|MultiEdit|NotebookEdit|Delete|apply_patch)$/.test(tool_name) || mayWrite(call.name);
  for (const path of filesNamedIn(tool_input)) {
    const file = pathOf(path);
    if (writes)
      found.push(registered.places.refuse(resolve(cwd, file), /^Delete$|delete|remove|move|rename/i.test(tool_name)));
    found.push(findDecisionInText(resolve(cwd, file)));
  }
  if (tool_name === 'apply_patch') found.push(...judgeShell(String(tool_input.command), cwd, registered));
  // Fetching an address counts as a call.
  if (/fetch|http|browse|navigate|request/i.test(call.name)) {
    for (const text of textsIn(tool_input)) found.push(registered.endpoints.find(text, ''));
  }
  return found.filter((finding) => finding !== undefined);
}

function roundMcpTool(name: string, { ability, tool, isCertain }: FoundTool): Finding {
  if (isCertain) return roundAbility(`${name} is the MCP tool`, ability);
  const finding = roundAbility(`${name} has the name of the MCP tool ${tool}, and counts as that`, ability);
  const advice = 'Where its server is another one, a person can name that server in `.mcp.json` of the project.';
  return { ...finding, instead: `${finding.instead} ${advice}` };
}

function pathOf(text: string): string {
  try {
    return text.startsWith('file://') ? fileURLToPath(text) : text;
  } catch {
    return text;
  }
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}
