import type { PlanArgument } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import type { ArgumentDefinition } from '../definitions/formats/script-arguments.js';
import type { Loaded } from '../definitions/registry.js';
import { cutText } from '../rules/expressions/template.js';
import { SCRIPT_NAMES } from '../rules/script-texts/evaluate-script.js';
import { type Available, checkCondition, checkTemplate } from './check-names.js';
import { type ArgumentNames, checkPlaceholders } from './check-placeholders.js';
import { isFreeName } from './loop-names.js';

/** What the expressions in the texts of a script may use. */
export const IN_SCRIPTS: Available = {
  names: SCRIPT_NAMES,
  functions: [],
  where: 'what a script is given',
  instead: 'Let a step of a workflow pass it as a parameter of the call.',
};

/** Where items stand, and what they may hold. */
interface Around {
  owner: Loaded<unknown>;
  names: ArgumentNames;
  available: Available;
}

/**
 * The items of `args` as a plan has them, each checked where it stands.
 *
 * @throws AbilityError `expression.*`, `definition.invalid`, with the place.
 */
export function resolveArguments(
  items: readonly ArgumentDefinition[],
  owner: Loaded<unknown>,
  path: readonly PropertyKey[],
  names: ArgumentNames,
): PlanArgument[] {
  return resolveItems(items, path, { owner, names, available: IN_SCRIPTS });
}

function resolveItems(
  items: readonly ArgumentDefinition[],
  path: readonly PropertyKey[],
  around: Around,
): PlanArgument[] {
  return items.map((item, index) => resolveItem(item, [...path, index], around));
}

function resolveItem(item: ArgumentDefinition, path: readonly PropertyKey[], around: Around): PlanArgument {
  const { owner, available } = around;
  if (typeof item === 'string') return holdsExpression(item, path, around) ? { value: item } : item;
  if ('value' in item) return holdsExpression(item.value, [...path, 'value'], around) ? item : item.value;
  if ('if' in item) {
    checkCondition(item.if, available, owner, [...path, 'if']);
    return { if: item.if, items: resolveItems(item.then, [...path, 'then'], around) };
  }
  const { each, as, then } = item;
  checkCondition(each, available, owner, [...path, 'each']);
  refuseTaken(as, path, around);
  const inside = { ...around, available: { ...available, names: [...available.names, as] } };
  return { each, as, items: resolveItems(then, [...path, 'then'], inside) };
}

/** Whether a text holds `${{ }}`, once it is known that nothing in it is wrong. */
function holdsExpression(text: string, path: readonly PropertyKey[], { owner, names, available }: Around): boolean {
  checkTemplate(text, available, owner, path);
  const parts = cutText(text);
  const written = parts.filter((part) => typeof part === 'string');
  checkPlaceholders(written, names, owner.locate([...path]));
  return written.length < parts.length;
}

function refuseTaken(name: string, path: readonly PropertyKey[], { owner, available }: Around): void {
  const isTaken = available.names.includes(name);
  if (!isTaken && isFreeName(name)) return;
  throw new AbilityError({
    code: 'definition.invalid',
    message: isTaken ? `The name \`${name}\` is taken here` : `\`${name}\` is a name of CEL`,
    location: owner.locate([...path, 'as']),
    suggestion: 'Choose another one.',
  });
}
