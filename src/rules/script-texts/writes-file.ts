import type { PlanArgument, PlanScript } from '../../contracts/plan.js';
import { cutText } from '../expressions/template.js';
import { holdsPlaceholder, ownNamesIn } from '../placeholders.js';

/**
 * Whether a script is given the file for its output, under whatever condition; else stdout is its output.
 *
 * @param engine of the plan that holds the script.
 */
export function writesFile(
  { args, stdin, variables = {} }: Pick<PlanScript, 'args' | 'stdin' | 'variables'>,
  engine: number,
): boolean {
  const texts = [...(stdin === undefined ? [] : [stdin]), ...Object.values(variables)];
  return (
    args.some((item) => namesFile(item, engine)) ||
    texts.some((text) => written(text).some((part) => ownNamesIn(part).includes('output_file')))
  );
}

function namesFile(item: PlanArgument, engine: number): boolean {
  if (typeof item === 'string') return holdsPlaceholder(item, 'output_file', engine);
  if ('items' in item) return item.items.some((inner) => namesFile(inner, engine));
  return written(item.value).some((part) => holdsPlaceholder(part, 'output_file', engine));
}

/** The parts of a text that are no expressions. */
function written(text: string): string[] {
  return cutText(text).filter((part) => typeof part === 'string');
}
