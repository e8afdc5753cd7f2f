import type { PlanArgument } from '../../contracts/plan.js';
import { invalidDefinition, type SourceLocation } from '../../contracts/problem.js';
import type { ArgumentDefinition } from '../../definitions/formats/script-arguments.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import { literalsIn } from '../../rules/expressions/split-text.js';
import { type Available, checkCondition, checkTemplate } from '../steps/check-names.js';
import { isFreeName } from '../steps/check-step-texts.js';
import { type ArgumentNames, checkPlaceholders } from './placeholders.js';
import { SCRIPT_NAMES } from './texts.js';

export const IN_SCRIPTS: Available = {
  names: SCRIPT_NAMES,
  functions: [],
  where: 'what a script is given',
  instead: 'Let a step of a workflow pass it as a parameter of the call.',
};

interface Around {
  names: ArgumentNames;
  available: Available;
}

/** The checked `args` in the plan's form. @throws AbilityError `expression.*`, `definition.invalid`. */
export function resolveArguments(
  items: readonly ArgumentDefinition[],
  spot: Spot,
  names: ArgumentNames,
): PlanArgument[] {
  checkItems(items, spot, { names, available: IN_SCRIPTS });
  return planArguments(items);
}

/** The plan's form of `args`, even of invalid ones. */
export function planArguments(items: readonly ArgumentDefinition[]): PlanArgument[] {
  return items.map((item) => {
    if (typeof item === 'string') return item.includes('${{') ? { value: item } : item;
    if ('value' in item) return item.value.includes('${{') ? item : item.value;
    const inner = planArguments(item.then);
    return 'if' in item ? { if: item.if, items: inner } : { each: item.each, as: item.as, items: inner };
  });
}

function checkItems(items: readonly ArgumentDefinition[], spot: Spot, around: Around): void {
  for (const [index, item] of items.entries()) checkItem(item, within(spot, index), around);
}

function checkItem(item: ArgumentDefinition, spot: Spot, around: Around): void {
  const { available } = around;
  if (typeof item === 'string') checkText(item, spot, around);
  else if ('value' in item) checkText(item.value, within(spot, 'value'), around);
  else if ('if' in item) {
    checkCondition(item.if, available, within(spot, 'if'));
    checkItems(item.then, within(spot, 'then'), around);
  } else {
    checkCondition(item.each, available, within(spot, 'each'));
    refuseTaken(item.as, within(spot, 'as'), around);
    const names = [...available.names, item.as];
    checkItems(item.then, within(spot, 'then'), { ...around, available: { ...available, names } });
  }
}

function checkText(text: string, spot: Spot, { names, available }: Around): void {
  checkTemplate(text, available, spot);
  checkPlaceholders(literalsIn(text), names, locationOf(spot));
}

function refuseTaken(name: string, spot: Spot, { available }: Around): void {
  const isTaken = available.names.includes(name);
  if (!isTaken && isFreeName(name)) return;
  throw invalidDefinition(
    isTaken ? `The name \`${name}\` is taken here` : `\`${name}\` is a name of CEL`,
    locationOf(spot),
    'Choose another one.',
  );
}

/** Splits on unquoted blanks, without a shell. @throws AbilityError `definition.invalid` for an open quote. */
export function splitArguments(template: string, location: SourceLocation): string[] {
  const items: string[] = [];
  let item = '';
  let open = false;
  let quote = '';
  for (const character of template) {
    if (quote) {
      if (character === quote) quote = '';
      else item += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      open = true;
    } else if (/\s/.test(character)) {
      if (item || open) items.push(item);
      item = '';
      open = false;
    } else item += character;
  }
  if (quote) {
    const message = `A quote ${quote} in \`args_template\` is not closed`;
    const suggestion = 'Close it, or write `args` as a list.';
    throw invalidDefinition(message, location, suggestion);
  }
  if (item || open) items.push(item);
  return items;
}
