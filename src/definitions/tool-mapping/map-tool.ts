import type { ShownAs, ToolCall } from '../../contracts/foreign-hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { evaluateCondition } from '../../rules/expressions/evaluate.js';
import { evaluateTemplate } from '../../rules/expressions/template.js';
import { fitsMatch, type MappedAbility } from '../fits-match.js';
import type { ToolMapping } from '../formats/hooks.js';
import { faultOfToolInput } from './tool-shapes.js';

export const MAPPING_NAMES = ['input'] as const;

/** The first mapping that fits; undefined: the hook does not cover this ability. */
export function mappingOf<M extends Pick<ToolMapping, 'match'>>(
  mappings: readonly M[],
  subject: MappedAbility,
): M | undefined {
  return mappings.find(({ match }) => fitsMatch(match, subject));
}

/**
 * An absent optional value leaves out its key.
 * @throws AbilityError `expression.*`; `input.invalid` if the tool takes no such input.
 */
export function toolCallOf(
  { tool_name, tool_input }: Pick<ShownAs, 'tool_name' | 'tool_input'>,
  input: JsonObject,
): ToolCall {
  const value = evaluateTemplate(tool_input, { values: { input } });
  const fault = faultOfToolInput(tool_name, value);
  if (fault === undefined) return { tool_name, tool_input: value as JsonObject };
  throw new AbilityError({
    code: 'input.invalid',
    message: `The tool input that \`as\` builds cannot be shown to the hook: ${fault}`,
    suggestion: 'Correct `tool_input` of the hook.',
  });
}

/** Whether a call passes the filter of a mapping. @throws AbilityError `expression.*`. */
export function isShown({ if: condition }: Pick<ShownAs, 'if'>, call: ToolCall): boolean {
  if (condition === undefined) return true;
  const { tool_name, tool_input } = call;
  return evaluateCondition(condition, { tool_name, tool_input });
}
