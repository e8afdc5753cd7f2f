export const AGENT_TOOLS = ['claude', 'codex', 'cursor', 'gemini'] as const;

export type AgentTool = (typeof AGENT_TOOLS)[number];

/** How one tool calls hooks, according to its documentation on 2026-11-22. */
export interface Protocol {
  /** Events that wait for a permission. */
  asking: readonly string[];
  /** Of these, the events at which a hook may refer the call to a person. */
  mayAsk: readonly string[];
  /** Events that wait for no permission; the guard has no opinion on them. */
  others: readonly string[];
}

/** Claude Code and Codex share most names. */
const CLAUDE_EVENTS =
  'PostToolUse PostToolUseFailure PostToolBatch UserPromptSubmit SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact Notification PermissionDenied TaskCreated TaskCompleted TeammateIdle InstructionsLoaded ConfigChange CwdChanged FileChanged WorktreeCreate WorktreeRemove Elicitation ElicitationResult Setup';

/** The protocol of each tool. Codex and Gemini take no `ask`, and Cursor's preToolUse only seems to. */
export const PROTOCOLS: Record<AgentTool, Protocol> = {
  // Cursor also runs the hooks of Claude Code, under its own event name.
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
