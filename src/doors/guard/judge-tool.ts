import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../../contracts/json.js';
import { type Finding, roundAbility } from './finding.js';
import { type FormOfCall, filesNamedIn, readsOnly } from './forms-of-call.js';
import type { Registered } from './judge-argv.js';
import { judgeShell } from './judge-shell.js';
import { findKept } from './kept-keys.js';
import { findDecisionInText } from './own-commands.js';
import type { AgentCall } from './read-event.js';
import { type FoundTool, registeredTool } from './registered-tools.js';
import { markedGlob } from './shell/marks.js';
import { isFolder } from './words.js';

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
  const { places } = registered;
  const texts = isForeign(call.name) ? textsIn(tool_input).filter((text) => /^\S{1,1024}$/.test(text)) : [];
  const files = [...filesNamedIn(tool_input), ...texts].map(pathOf);
  const isWhole = /^Delete$|delete|remove|move|rename/i.test(call.name);
  if (!READS.test(tool_name) && !readsOnly(call.name))
    found.push(...files.map((file) => places.refuse(resolve(cwd, file), isWhole)));
  const folders = [cwd, ...files.map((file) => resolve(cwd, file)).filter(isFolder)];
  const patterns = /^(Grep|Glob)$/.test(tool_name) ? [tool_input.pattern, tool_input.glob, tool_input.include] : [];
  const globs = patterns.filter((text) => typeof text === 'string').map(markedGlob);
  found.push(findKept([tool_name, ...files, ...(tool_name === 'Grep' ? globs.slice(1) : globs)], folders, places));
  if (tool_name === 'Grep' && !places.ignoresState())
    found.push(findKept(['grep', '-r', ...(files.length > 0 ? files : ['.'])], [cwd], places));
  for (const file of files) found.push(findDecisionInText(resolve(cwd, file)));
  if (tool_name === 'apply_patch') found.push(...judgeShell(String(tool_input.command), cwd, registered));
  // Fetching an address counts as a call.
  if (/fetch|http|browse|navigate|request/i.test(call.name)) {
    for (const text of textsIn(tool_input)) found.push(registered.endpoints.find(text, ''));
  }
  return found.filter((finding) => finding !== undefined);
}

/** The tools of agents themselves that only read files, or name none. */
const READS = /^(Read|Grep|Glob|LS|NotebookRead|WebFetch|WebSearch|Task|Agent|Todo\w*|Skill)$/;

/** A tool of a server: any of its texts may be a path. */
function isForeign(name: string): boolean {
  return /__|:/.test(name);
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
