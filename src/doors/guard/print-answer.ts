import type { AbilityGuard } from '../../contracts/session.js';
import type { AgentTool } from './agent-tools.js';

export interface Verdict {
  /** `none`: no opinion; the tool proceeds as without a guard. */
  decision: 'none' | 'deny' | 'ask';
  reason: string;
  /** Shown only; they do not affect the decision. */
  warnings: string[];
  /** For the session's record; without the call's input. Empty if no guard ran. */
  guards: AbilityGuard[];
}

export interface Printed {
  stdout: string;
  stderr: string;
  /** 0, or 2, which all these tools take as a denial. */
  exit: 0 | 2;
}

const PASSED: Printed = { stdout: '{}\n', stderr: '', exit: 0 };

/**
 * All tools take exit code 2 with the reason on stderr as a denial; an `ask` that cannot reach a person is one,
 * too. @param event undefined if unreadable. Source: docs/hooks.md#guarding-the-calls-of-agent-tools.
 */
export function printAnswer(
  { decision, reason, warnings }: Omit<Verdict, 'guards'>,
  tool: AgentTool,
  event: string | undefined,
  mayAsk: boolean,
): Printed {
  if (decision === 'deny') return denied(reason, tool);
  if (decision === 'ask') {
    if (event === 'PermissionRequest') return PASSED;
    if (!mayAsk) return denied(`${reason} A person must agree, and ${tool} cannot ask one here.`, tool);
    return { stdout: `${JSON.stringify(askOf(reason, tool, event))}\n`, stderr: '', exit: 0 };
  }
  if (warnings.length === 0) return PASSED;
  const text = warnings.join('\n');
  // Cursor shows a text only with a deny.
  const said = tool === 'cursor' ? {} : { systemMessage: text };
  return { stdout: `${JSON.stringify(said)}\n`, stderr: `${text}\n`, exit: 0 };
}

export function denied(reason: string, tool: AgentTool): Printed {
  const answer = { permission: 'deny', user_message: reason, agent_message: reason };
  return { stdout: tool === 'cursor' ? `${JSON.stringify(answer)}\n` : '', stderr: `${reason}\n`, exit: 2 };
}

function askOf(reason: string, tool: AgentTool, event: string | undefined): object {
  if (tool === 'cursor') return { permission: 'ask', user_message: reason, agent_message: reason };
  return {
    hookSpecificOutput: { hookEventName: event, permissionDecision: 'ask', permissionDecisionReason: reason },
  };
}
