import type { PlanArgument, PlanScript } from '../../../contracts/plan.js';
import { cutText } from '../../../rules/expressions/template.js';
import { holdsPlaceholder, ownNamesIn, type PLACEHOLDERS } from '../placeholders.js';

type Texts = Pick<PlanScript, 'args' | 'stdin' | 'variables'>;

/**
 * Whether a script is given the file for its output, under whatever condition; else stdout is its output.
 *
 * @param engine of the plan that holds the script.
 */
export function writesFile(texts: Texts, engine: number): boolean {
  return holdsName(texts, 'output_file', engine);
}

/** Whether a script is given a folder to write files into, under whatever condition. */
export function writesFolder(texts: Texts, engine: number): boolean {
  return holdsName(texts, 'output_dir', engine);
}

type Name = (typeof PLACEHOLDERS)[number];

function holdsName({ args, stdin, variables = {} }: Texts, name: Name, engine: number): boolean {
  const texts = [...(stdin === undefined ? [] : [stdin]), ...Object.values(variables)];
  return (
    args.some((item) => isNamed(item, name, engine)) ||
    texts.some((text) => written(text).some((part) => ownNamesIn(part).includes(name)))
  );
}

function isNamed(item: PlanArgument, name: Name, engine: number): boolean {
  if (typeof item === 'string') return holdsPlaceholder(item, name, engine);
  if ('items' in item) return item.items.some((inner) => isNamed(inner, name, engine));
  return written(item.value).some((part) => holdsPlaceholder(part, name, engine));
}

/** The parts of a text that are no expressions. */
function written(text: string): string[] {
  return cutText(text).filter((part) => typeof part === 'string');
}
