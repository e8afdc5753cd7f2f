import { z } from 'zod';
import { CALLERS } from '../../contracts/callers.js';
import { FOREIGN_EVENTS, FOREIGN_FORMATS, type ForeignEvent, SILENCES } from '../../contracts/foreign-hooks.js';
import { BUILTINS, HOOK_KINDS, PHASES } from '../../contracts/hooks.js';
import { script } from '../../kinds/script/format.js';
import type { HandlerName } from '../../rules/hooks/handlers.js';
import { faultOfToolName } from '../tool-mapping/tool-shapes.js';
import { editable } from './approval.js';
import {
  abilityId,
  condition,
  effect,
  environmentName,
  jsonObject,
  matching,
  moment,
  optional,
  plainName,
  seconds,
  text,
  texts,
} from './values.js';

const globs = texts.min(1).optional();

/** Which calls a hook fires for: all given fields must match. Source: R-000-63; docs/hooks.md. */
export const match = z.strictObject({
  abilities: globs.describe('Ids of abilities; * matches any characters.'),
  modules: globs.describe('Modules of the ability.'),
  environments: globs.describe('Names of environments.'),
  kinds: optional(
    z.array(z.enum(HOOK_KINDS)).min(1),
    'Kinds of the chosen implementation; `workflow`: a high-level ability.',
  ),
  effects: optional(z.array(effect).min(1), 'Effects of the ability.'),
  tags: globs.describe('Tags of the implementation.'),
  callers: optional(z.array(z.enum(CALLERS)).min(1), 'Who starts the task: person, ci, agent, session or child.'),
});

/** Protocol of a foreign handler. */
const foreignFormat = z.enum(FOREIGN_FORMATS);

/** The event that such a handler expects. Source: docs/hooks.md#importing-them. */
const foreignEvent = z.enum(Object.keys(FOREIGN_EVENTS) as ForeignEvent[]);

const toolName = z.string().superRefine((tool, { addIssue }) => {
  const fault = faultOfToolName(tool);
  if (fault !== undefined) addIssue({ code: 'custom', message: `For a hook of Claude Code ${fault}` });
});

/** `as`: an ability as a tool. */
const toolMapping = z.strictObject({
  match: match
    .omit({ kinds: true, callers: true })
    .describe('Which abilities are shown as this tool: every field given must fit.'),
  tool_name: toolName.describe(
    'The tool: Bash, Write, Edit, MultiEdit, Read, Grep, Glob, WebFetch, WebSearch, mcp__server__tool.',
  ),
  tool_input: z
    .union([jsonObject, matching(/^\s*\$\{\{[\s\S]*\}\}\s*$/, 'tool_input is a map, or one ${{ }} that gives a map')])
    .describe(
      'Its input: texts may contain ${{ }} over `input`; a key whose expression is an absent optional is left out.',
    ),
  if: optional(condition, 'CEL over tool_name and tool_input; false: the hook does not run for this call.'),
});

export type ToolMapping = z.output<typeof toolMapping>;

/** `must_deny`: a call to stop. */
const mustDeny = z.strictObject({
  ability: abilityId.describe('An ability that `as` shows as a tool.'),
  input: jsonObject.describe('An input of it that the hook must deny.'),
});

/** `abstain`: what silence means. */
const abstain = z.enum(SILENCES);

const expression = z
  .strictObject({
    deny_if: optional(condition, 'CEL; true: deny.'),
    confirm_if: optional(condition, 'CEL; true: a person must approve.'),
    warn_if: optional(condition, 'CEL; true: a warning.'),
    on_limit: optional(
      z.literal('ask'),
      'People are asked to raise the limit, which `deny_if` reads as `session.raised`, instead of denying.',
    ),
    reason: optional(text, 'The reason that is shown then.'),
    suggestion: optional(text, 'What to do instead.'),
  })
  .refine(
    ({ deny_if, confirm_if, warn_if }) => deny_if ?? confirm_if ?? warn_if,
    'An expression handler has at least one of deny_if, confirm_if, warn_if',
  )
  .meta({ anyOf: [{ required: ['deny_if'] }, { required: ['confirm_if'] }, { required: ['warn_if'] }] });

const builtin = z.union(
  [
    z.enum(BUILTINS).transform((name) => ({ name, options: {} })),
    z.strictObject({
      name: z.enum(BUILTINS).describe('Which one.'),
      options: jsonObject.default({}).describe('Its options.'),
    }),
  ],
  `A built-in handler is one of ${BUILTINS.join(', ')}, or { name, options }`,
);

/** A script that answers: it reads the event on stdin, and gets no files. Source: R-002-22. */
const answering = script.omit({ big_integers: true, stdin: true, output: true, exit_codes: true }).extend({
  args_template: optional(z.string(), 'Its arguments, split on blanks; may contain {pinned}.'),
  timeout_sec: optional(seconds, 'How long an answer may take; 10 without it.'),
});

/** As {@link answering}, for a script that may have been written for another tool. */
const answeringHere = answering.extend({
  plugin_root: optional(
    text,
    'With `format: claude-code`: the folder of its plugin, pinned with it, which CLAUDE_PLUGIN_ROOT names.',
  ),
});
const ability = z.union(
  [
    abilityId.transform((key) => ({ key, with: undefined, timeout_sec: undefined })),
    z.strictObject({
      key: abilityId.describe('Id of a low-level ability; its own hooks do not fire.'),
      with: optional(
        jsonObject,
        'Its input, with `${{ }}` over the names that hooks can read; without it, the EventContext.',
      ),
      timeout_sec: optional(seconds, 'How long an answer may take; 10 without it.'),
    }),
  ],
  'An ability handler is the id of a low-level ability, or { key, with }',
);

/** The kinds of handlers, each under its own key. */
const HANDLERS = {
  expression: z.strictObject({
    expression: expression.describe(
      'Conditions in CEL over input, environment, ability, implementation, effects, tags, task, session and user.',
    ),
  }),
  script: z.strictObject({
    format: optional(
      foreignFormat,
      '`claude-code`: the script speaks the hook protocol of Claude Code, and `as` states what it is shown; `codex`: the same, and an unknown key in its answer is a failure.',
    ),
    event: optional(
      foreignEvent,
      'With `format: claude-code`: the event that the script expects. Without it PreToolUse, PostToolUse or PostToolUseFailure, UserPromptSubmit, SessionEnd.',
    ),
    script: answeringHere.describe('A script: EventContext as JSON on stdin, HookResult as JSON on stdout.'),
  }),
  builtin: z.strictObject({ builtin: builtin.describe('A handler that comes with the runtime.') }),
  ability: z.strictObject({
    format: optional(
      foreignFormat,
      '`claude-code`: the ability receives the event of the tool as its input, and its output is read as the answer of a hook of Claude Code; `codex`: the same, and an unknown key is a failure.',
    ),
    event: optional(foreignEvent, 'With `format: claude-code`: the event that the ability expects.'),
    ability: ability.describe('A low-level ability whose output is a HookResult.'),
  }),
} satisfies { [K in HandlerName]: z.ZodType<Record<K, unknown>> };

/** The handler of a hook. Source: R-002-11. */
export const handler = z.union(Object.values(HANDLERS), `A handler is one of ${Object.keys(HANDLERS).join(', ')}`);

export type WrittenHandler = z.output<typeof handler>;

export type WrittenOf<K extends HandlerName> = z.output<(typeof HANDLERS)[K]>;

export function handlerNameOf(written: WrittenHandler): HandlerName {
  const name = Object.keys(HANDLERS).find((each) => each in written);
  return name as HandlerName;
}

const decision = z.enum(['allow', 'deny', 'need_user_confirm']).describe('What the hook must decide.');

/** Parts of an EventContext for a case; missing parts are empty. Source: docs/hooks.md#testing-hooks. */
export const eventParts = z.strictObject({
  event_type: optional(z.enum(PHASES), 'The phase; without it, that of the hook.'),
  session_id: optional(z.string().nullable(), 'The session.'),
  task_id: optional(z.string().nullable(), 'The key of the task.'),
  ability_id: optional(abilityId.nullable(), 'What is called.'),
  module_id: optional(z.string().nullable(), 'Its module.'),
  user_id: optional(text, 'Who makes the request.'),
  payload: optional(jsonObject, 'What it is about: before a call, its input.'),
  environment: optional(
    z.union([
      environmentName,
      z.strictObject({
        name: environmentName.describe('Its name.'),
        protected: optional(z.boolean(), 'Whether it is protected; without it, as in the project.'),
        vars: optional(jsonObject, 'Its variables; without it, those of the project.'),
      }),
    ]),
    'The environment, by its name or with its settings; without it, the default one, or the only one.',
  ),
  effects: optional(effect.nullable(), 'Its effects; `read` without it.'),
  tags: optional(z.array(z.string()), 'The tags of its implementation.'),
  plan_digest: optional(z.string().nullable(), 'The digest of the plan.'),
});

/** A case in the form of an EventContext; `ability hooks test` runs it for any handler. */
export const eventExample = z.strictObject({
  now: optional(moment, 'What `now()` gives.'),
  context: eventParts.describe('Parts of the EventContext.'),
  expect: decision,
});

/** The expected decision in one case; lint checks it. Missing parts are empty. */
const plainExample = z.strictObject({
  now: optional(moment, 'What `now()` gives.'),
  environment: optional(environmentName, 'The environment; without it, the default one, or the only one.'),
  ability: optional(abilityId, 'What is called.'),
  input: optional(jsonObject, 'Its input.'),
  effects: optional(effect, 'Its effects; `read` without it.'),
  tags: optional(z.array(z.string()), 'The tags of its implementation.'),
  user: optional(text, 'Who makes the request.'),
  decision,
});

const example = z.union(
  [plainExample, eventExample],
  'An example is { context, expect }, or `decision` with the facts of the case',
);

/** One hook. Source: R-002-20, R-002-21, C-05. */
export const hook = z.strictObject({
  id: plainName.describe('The name by which abilities bind it.'),
  summary: optional(z.string(), 'What it is for.'),
  enabled: z.boolean().default(true).describe('Whether it fires at all.'),
  blocking: z.boolean().default(false).describe('Before calls, only blocking and bound hooks run.'),
  match: optional(
    match,
    'Where it fires: every field that is set must match. On a bound hook it filters. Without it, a hook fires everywhere while nothing binds it.',
  ),
  edit: editable,
  handler: optional(handler, 'The handler; without it, the one in an entry of `config/hooks_impl.yaml`.'),
  as: optional(
    z.array(toolMapping).min(1),
    'With `format: claude-code`: as which tool the hook sees an ability. The first entry that matches is used; the hook does not cover abilities that no entry matches.',
  ),
  must_deny: optional(
    z.array(mustDeny).min(1),
    'With `format: claude-code`: calls that the hook must deny; while it does not, it counts as failed.',
  ),
  abstain: optional(
    abstain,
    'With `format: claude-code`: what its silence means. Without it, `allow` where `must_deny` is written; else the hook is refused.',
  ),
  examples: optional(
    z.array(example).min(1),
    'Cases with the expected decisions; lint evaluates expressions, `ability hooks test` runs all.',
  ),
});

/** `registry/hooks/<Phase>.yaml`. */
export const hooks = z.strictObject({
  hooks: z.array(hook).describe('The hooks of the phase the file is named after, in this order.'),
});

/** A hook as written: its handler may be in another file. */
export type WrittenHook = z.output<typeof hook>;

export type HookDefinition = WrittenHook & { handler: WrittenHandler };

export type HookExample = z.output<typeof example>;

export type EventParts = z.output<typeof eventParts>;

export type HookMatch = z.output<typeof match>;

/** The handler of a hook. Source: R-002-11. */
const hookImpl = z.union(
  [
    z.strictObject({
      kind: z.literal('script').describe('The handler is a script of the project.'),
      script: answering.describe('A script: EventContext as JSON on stdin, HookResult as JSON on stdout.'),
    }),
    z.strictObject({
      ability_id: abilityId.describe('A low-level ability: EventContext as input, HookResult as output.'),
    }),
  ],
  'The handler of a hook is { kind: script, script }, or { ability_id }',
);

/** `registry/config/hooks_impl.yaml`: handlers of hooks that are defined without one. Source: R-002-12. */
export const hooksImpl = z.strictObject({
  hooks: z
    .array(
      z.strictObject({
        id: plainName.describe('A hook of `registry/hooks` without a `handler`.'),
        impl: hookImpl.describe('Its handler.'),
      }),
    )
    .describe('Handlers, one per hook.'),
});

export type HookImpl = z.output<typeof hooksImpl>['hooks'][number];
