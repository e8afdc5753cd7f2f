import { z } from 'zod';
import { FOREIGN_EVENTS, FOREIGN_FORMATS, type ForeignEvent, SILENCES } from '../../contracts/foreign-hooks.js';
import { faultOfToolName } from '../tool-mapping/tool-shapes.js';
import { abilityId, condition, effect, jsonObject, matching, optional, texts } from './values.js';

const globs = texts.min(1).optional();

/** Protocol of a foreign handler. */
export const foreignFormat = z.enum(FOREIGN_FORMATS);

/** The event that such a handler expects. Source: docs/hooks.md#importing-them. */
export const foreignEvent = z.enum(Object.keys(FOREIGN_EVENTS) as ForeignEvent[]);

/** Which abilities are shown as a tool: only facts known when a plan is made. */
const mappedAbilities = z.strictObject({
  abilities: globs.describe('Ids of abilities; * matches any characters.'),
  modules: globs.describe('Modules of the ability.'),
  environments: globs.describe('Names of environments.'),
  effects: optional(z.array(effect).min(1), 'Effects of the ability.'),
  tags: globs.describe('Tags of the implementation.'),
});

const toolName = z.string().superRefine((tool, { addIssue }) => {
  const fault = faultOfToolName(tool);
  if (fault !== undefined) addIssue({ code: 'custom', message: `For a hook of Claude Code ${fault}` });
});

/** `as`: an ability as a tool. */
export const toolMapping = z.strictObject({
  match: mappedAbilities.describe('Which abilities are shown as this tool: every field given must fit.'),
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

/** `must_deny`: a call to stop. */
export const mustDeny = z.strictObject({
  ability: abilityId.describe('An ability that `as` shows as a tool.'),
  input: jsonObject.describe('An input of it that the hook must deny.'),
});

/** `abstain`: what silence means. */
export const abstain = z.enum(SILENCES);
