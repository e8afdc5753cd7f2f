import type { AbilityGuard } from '../../contracts/session.js';
import type { AgentTool } from './agent-tools.js';

/** The answer of the guard about one call. */
export interface Verdict {
  /** `none` is no opinion: the tool proceeds as if there were no guard. */
  decision: 'none' | 'deny' | 'ask';
  reason: string;
  /** Shown, and decides nothing. */
  warnings: string[];
  /** For the record of the session; nothing of the call's input. Empty if no guard ran. */
  guards: AbilityGuard[];
}

/** How a verdict leaves the process. */
export interface Printed {
  stdout: string;
  stderr: string;
  /** 0, or 2, which all of these tools take as a deny. */
  exit: 0 | 2;
}

/**
 * A verdict in the protocol of a tool.
 *
 * Exit code 2 with the reason on stderr is the refusal that all of them share; an `ask` at an event that cannot send a call to a
 * person is a deny as well, which says so. Source: docs/hooks.md#before-the-calls-of-an-agents-tool.
 *
 * @param event at which it was asked; undefined where that could not be read.
 */
export function printAnswer(
  { decision, reason, warnings }: Omit<Verdict, 'guards'>,
  tool: AgentTool,
  event: string | undefined,
  mayAsk: boolean,
): Printed {
  if (decision === 'deny') return denied(reason, tool);
  if (decision === 'ask') {
    if (event === 'PermissionRequest') return { stdout: '{}\n', stderr: '', exit: 0 };
    if (!mayAsk) return denied(`${reason} A person must agree, and ${tool} cannot ask one here.`, tool);
    return { stdout: `${JSON.stringify(askOf(reason, tool, event))}\n`, stderr: '', exit: 0 };
  }
  if (warnings.length === 0) return { stdout: '{}\n', stderr: '', exit: 0 };
  const text = warnings.join('\n');
  // Cursor shows a text only with a deny.
  const said = tool === 'cursor' ? {} : { systemMessage: text };
  return { stdout: `${JSON.stringify(said)}\n`, stderr: `${text}\n`, exit: 0 };
}

function denied(reason: string, tool: AgentTool): Printed {
  const answer = { permission: 'deny', user_message: reason, agent_message: reason };
  return { stdout: tool === 'cursor' ? `${JSON.stringify(answer)}\n` : '', stderr: `${reason}\n`, exit: 2 };
}

function askOf(reason: string, tool: AgentTool, event: string | undefined): object {
  if (tool === 'cursor') return { permission: 'ask', user_message: reason, agent_message: reason };
  return {
    hookSpecificOutput: { hookEventName: event, permissionDecision: 'ask', permissionDecisionReason: reason },
  };
}
