/** The tools whose hooks are answered. */
export const AGENT_TOOLS = ['claude', 'codex', 'cursor', 'gemini'] as const;

/** One of {@link AGENT_TOOLS}. */
export type AgentTool = (typeof AGENT_TOOLS)[number];

/** How one tool calls hooks, according to its documentation on 2026-11-22. */
export interface Protocol {
  /** Events that wait for a permission. */
  asking: readonly string[];
  /** Those of these at which a hook may send the call to a person. */
  mayAsk: readonly string[];
  /** Events that wait for none; there this guard has no opinion. */
  others: readonly string[];
}

/** Of Claude Code and Codex, which share most names. */
const CLAUDE_EVENTS =
  'PostToolUse PostToolUseFailure PostToolBatch UserPromptSubmit SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact Notification PermissionDenied TaskCreated TaskCompleted TeammateIdle InstructionsLoaded ConfigChange CwdChanged FileChanged WorktreeCreate WorktreeRemove Elicitation ElicitationResult Setup';

/** The protocol of each tool. Codex and Gemini take no `ask`, and Cursor's preToolUse only seems to. */
export const PROTOCOLS: Record<AgentTool, Protocol> = {
  // Cursor runs the hooks of Claude Code as well, by its own name of the event.
  claude: {
    asking: ['PreToolUse', 'PermissionRequest', 'preToolUse'],
    mayAsk: ['PreToolUse'],
    others: CLAUDE_EVENTS.split(' '),
  },
  codex: { asking: ['PreToolUse', 'PermissionRequest'], mayAsk: [], others: CLAUDE_EVENTS.split(' ') },
  cursor: {
    asking: ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution', 'PreToolUse'],
    mayAsk: ['beforeShellExecution', 'beforeMCPExecution'],
    others:
      'postToolUse postToolUseFailure subagentStart subagentStop afterShellExecution afterMCPExecution afterFileEdit beforeReadFile beforeTabFileRead afterTabFileEdit beforeSubmitPrompt afterAgentResponse afterAgentThought sessionStart sessionEnd preCompact stop workspaceOpen'.split(
        ' ',
      ),
  },
  gemini: {
    asking: ['BeforeTool'],
    mayAsk: [],
    others:
      'AfterTool BeforeAgent AfterAgent BeforeModel AfterModel BeforeToolSelection SessionStart SessionEnd Notification PreCompress'.split(
        ' ',
      ),
  },
};
